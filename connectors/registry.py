"""The kinds of sources there are: one line each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

from connectors.base import Connector, Option
from connectors.credentials import opened
from connectors.errors import OptionError
from connectors.models import Source
from connectors.options import complete


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of source: its name for people, and its module with OPTIONS and connect."""

    label: str
    module: str


KINDS: Mapping[str, Kind] = {
    "files": Kind("Files", "connectors.files.connector"),
    "confluence": Kind("Confluence", "connectors.confluence.connector"),
    "jira": Kind("Jira", "connectors.jira.connector"),
    "google_drive": Kind("Google Drive", "connectors.google_drive.connector"),
}


class ConnectorModule(Protocol):
    """What a kind's module holds."""

    OPTIONS: Sequence[Option]

    def connect(self, source: Source, options: Mapping[str, Any]) -> Connector:
        """Return the connector of a source with complete options."""
        ...


def kind_named(name: str) -> Kind:
    """Return a kind, or raise OptionError naming those there are."""
    if name not in KINDS:
        raise OptionError(f"There's no kind “{name}”. There are: {', '.join(KINDS)}.")
    return KINDS[name]


def options_of(kind: str) -> Sequence[Option]:
    """Return the options of a kind of source."""
    return _module(kind).OPTIONS


def connector_for(source: Source) -> Connector:
    """Return a source's connector. Raises OptionError for options that can't be."""
    module = _module(source.kind)
    values = opened(
        complete(source.options, module.OPTIONS), module.OPTIONS, source=source.name
    )
    return module.connect(source, values)


def _module(kind: str) -> ConnectorModule:
    return cast(ConnectorModule, import_module(kind_named(kind).module))
