"""Text for a terminal: names made printable, tables, durations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from unicodedata import category

#: Joins and parts letters and emoji; a terminal obeys neither.
_JOINERS = "\u200c\u200d"


def printable(text: str) -> str:
    """Return text on one line with nothing in it that a terminal would obey."""
    return "".join(map(_printable, text))


def _printable(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    if category(char) == "Zs":
        return " "
    return char.encode("unicode_escape").decode("ascii")


def printable_json(values: Any) -> str:
    """Return indented JSON that a person can read and a terminal can't obey."""
    text = json.dumps(values, ensure_ascii=False, indent=2)
    # What isn't printable, new lines between values aside, can only be in a string.
    return "".join(
        char if char.isprintable() or char == "\n" else json.dumps(char)[1:-1]
        for char in text
    )


def duration(seconds: float) -> str:
    """Return a length of time: 3.2 s, 4 min 10 s, 2 h 5 min."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def moment(at: datetime | None) -> str:
    """Return a time in UTC to the minute, a dash for none."""
    return f"{at:%Y-%m-%d %H:%M}" if at else "-"


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table whose columns are as wide as they need to be."""
    lines = [head, *rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(head))]
    return [
        "  ".join(
            cell.ljust(width) for cell, width in zip(line, widths, strict=True)
        ).rstrip()
        for line in lines
    ]
