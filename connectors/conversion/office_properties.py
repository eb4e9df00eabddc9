"""Title, author and date of Office files, less what programs fill in by themselves."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from connectors.conversion.converted import aware, short_title

_NO_TITLE = frozenset(
    ("word document", "powerpoint presentation", "document", "presentation", "untitled")
)
_NO_AUTHOR = frozenset(
    ("python-docx", "openpyxl", "xlsxwriter", "apache poi", "unknown", "author")
)
_CORE = "metadata/core-properties"


@dataclass(frozen=True, slots=True)
class OfficeProperties:
    """Core properties; empty where the file has none."""

    title: str = ""
    author: str = ""
    updated_at: datetime | None = None


def office_properties(relations: Iterable[Any], core: Any) -> OfficeProperties:
    """Return the core properties of a file by its package's relations.

    python-docx and python-pptx make up properties with today's date where a file has
    none.
    """
    if not any(relation.reltype.endswith(_CORE) for relation in relations):
        return OfficeProperties()
    return OfficeProperties(
        title=office_title(_value(core, "title")),
        author=office_author(
            _value(core, "author") or _value(core, "last_modified_by")
        ),
        updated_at=aware(_value(core, "modified")),
    )


def office_title(title: str | None) -> str:
    """Return a title that a person gave."""
    short = short_title(title or "")
    return "" if short.lower() in _NO_TITLE else short


def office_author(author: str | None) -> str:
    """Return an author that is a person or a team."""
    short = short_title(author or "")
    return "" if short.lower() in _NO_AUTHOR else short


def _value(core: Any, name: str) -> Any:
    try:
        return getattr(core, name)
    except (ValueError, AttributeError, KeyError, OverflowError):
        # A malformed date is no reason not to read the text.
        return None
