"""What a conversion returns, and the small readings that every format shares."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from pathlib import PurePosixPath

from connectors.conversion.rich import clean
from memory.access import Status
from memory.documents import Content

_WORD_BREAKS = re.compile(r"[_\-+\s]+")
_MAX_TITLE = 300


@dataclass(frozen=True, slots=True)
class Converted:
    """A document as its bytes have it.

    `updated_at` is aware, or None where the bytes don't say. `warnings` are pairs of a
    short stable reason and a message for an administrator.
    """

    content: Content
    title: str
    author: str = ""
    owner: str = ""
    updated_at: datetime | None = None
    status: Status = Status.CURRENT
    kind: str = "text"
    warnings: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Warnings:
    """Collects what an administrator should know though the document was read."""

    found: list[tuple[str, str]] = field(default_factory=list)

    def add(self, reason: str, message: str) -> None:
        """Keep a warning; the same one once."""
        if (reason, message) not in self.found:
            self.found.append((reason, message))


def title_from_name(name: str) -> str:
    """Return a file's name as a person would write it: no extension, no dashes.

    `index` and `readme` say nothing, so their folder's name is taken.
    """
    path = PurePosixPath(name.replace("\\", "/"))
    stem = path.stem
    if stem.lower() in ("index", "readme") and path.parent.name:
        stem = path.parent.name
    words = _WORD_BREAKS.sub(" ", stem).strip()
    return short_title(words[:1].upper() + words[1:]) or short_title(path.name)


def short_title(text: str) -> str:
    """Return a title on one line, at most 300 characters long."""
    line = " ".join(clean(text).split())
    return line if len(line) <= _MAX_TITLE else line[: _MAX_TITLE - 1].rstrip() + "…"


def first_heading(content: Content) -> str:
    """Return the first level-1 heading, or "" where there's none."""
    titles = (section.path[-1] for section in content.sections if section.level == 1)
    return next(titles, "")


def aware(value: object) -> datetime | None:
    """Return a date or its ISO or RFC 2822 text as an aware time, UTC unless it says.

    None for anything else; it never raises.
    """
    try:
        moment = _moment(value)
        if moment is None:
            return None
        moment = moment.replace(tzinfo=moment.tzinfo or UTC)
        # Offsets near the calendar's ends can't be turned into UTC by anyone.
        moment.astimezone(UTC)
    except (ValueError, OverflowError, TypeError, IndexError):
        return None
    return moment


def _moment(value: object) -> datetime | None:
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime(value.year, value.month, value.day, tzinfo=UTC)
    if not isinstance(value, str) or not value.strip():
        return None
    try:
        return datetime.fromisoformat(value.strip())
    except ValueError:
        return parsedate_to_datetime(value.strip())
