"""The YAML block on top of a Markdown file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import yaml

from connectors.conversion.converted import Warnings, aware, short_title
from memory.access import Status

_BLOCK = re.compile(r"\A---[ \t]*\n(.*?)^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S | re.M)
_MAX_LENGTH = 65_536
_STATUS = {
    "archived": Status.ARCHIVED,
    "deprecated": Status.ARCHIVED,
    "obsolete": Status.ARCHIVED,
    "draft": Status.DRAFT,
    "superseded": Status.SUPERSEDED,
}
_DATES = ("updated", "updated_at", "last_updated", "lastmod", "modified", "date")


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What a page says about itself; empty where it doesn't."""

    title: str = ""
    author: str = ""
    owner: str = ""
    updated_at: datetime | None = None
    status: Status = Status.CURRENT


def split_front_matter(text: str, warnings: Warnings) -> tuple[FrontMatter, str]:
    """Return the front matter and the text after it.

    Broken YAML is a warning and is left out of the text. A block that isn't a mapping
    (a rule at the top of a page) is text.
    """
    match = _BLOCK.match(text)
    if match is None or len(match.group(1)) > _MAX_LENGTH:
        return FrontMatter(), text
    source = match.group(1)
    try:
        values = _load(source)
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError) as error:
        if not re.search(r"^\w[\w .-]*:", source, re.M):
            return FrontMatter(), text
        problem = getattr(error, "problem", None) or "it can't be read"
        warnings.add(
            "front_matter",
            f"The front matter isn't valid YAML ({problem}), so its title, owner, date "
            "and status were not used.",
        )
        return FrontMatter(), text[match.end() :]
    if values is None:
        return FrontMatter(), text[match.end() :]
    if not isinstance(values, Mapping):
        return FrontMatter(), text
    return _front_matter(values), text[match.end() :]


def _load(source: str) -> object:
    """Load plain values; an alias could make a small file huge, so there are none."""
    for event in yaml.parse(source, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            raise yaml.YAMLError("aliases are not supported")
    return yaml.safe_load(source)


def _front_matter(values: Mapping[object, object]) -> FrontMatter:
    lowered = {str(key).strip().lower(): value for key, value in values.items()}
    dates = (aware(lowered.get(name)) for name in _DATES)
    return FrontMatter(
        title=short_title(_text(lowered.get("title"))),
        author=short_title(_text(lowered.get("author", lowered.get("authors")))),
        owner=short_title(_text(lowered.get("owner", lowered.get("owners")))),
        updated_at=next((date for date in dates if date), None),
        status=_status(lowered),
    )


def _status(values: Mapping[str, object]) -> Status:
    status = _STATUS.get(_text(values.get("status")).strip().lower())
    if status is not None:
        return status
    for name, found in _STATUS.items():
        if values.get(name) is True:
            return found
    return Status.CURRENT


def _text(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(_text(item) for item in value[:20])
    if isinstance(value, Mapping):
        return _text(value.get("name"))
    return "" if value is None or isinstance(value, bool) else str(value)
