"""Where an item stands in a list of a Google Doc, and its number."""

from __future__ import annotations

from dataclasses import dataclass

from connectors.google_drive.json_parts import Json, number, part, parts, text

_NUMBERED = frozenset(
    ("DECIMAL", "ZERO_DECIMAL", "UPPER_ALPHA", "ALPHA", "UPPER_ROMAN", "ROMAN")
)
#: A list has at most nine levels.
DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Place:
    """An item's depth from 0, and its number where the list is numbered."""

    depth: int
    ordinal: int | None
    is_new: bool


class Numbering:
    """Counts the items of one tab's lists, by its `lists`."""

    def __init__(self, lists: Json) -> None:
        """Count nothing yet."""
        self._lists = lists
        self._counts: dict[str, list[int]] = {}
        self._last = ""

    def leave(self) -> None:
        """Note that something else than an item came."""
        self._last = ""

    def place(self, bullet: Json) -> Place:
        """Return where the next item stands."""
        id_ = text(bullet, "listId")
        depth = min(max(0, number(bullet, "nestingLevel")), DEEPEST)
        counts = self._counts.setdefault(id_, [])
        del counts[depth + 1 :]
        counts.extend([0] * (depth + 1 - len(counts)))
        counts[depth] += 1
        is_new, self._last = id_ != self._last, id_
        level = self._level(id_, depth)
        if level.get("glyphType") not in _NUMBERED:
            return Place(depth, None, is_new)
        first = max(1, number(level, "startNumber", 1))
        return Place(depth, first + counts[depth] - 1, is_new)

    def _level(self, id_: str, depth: int) -> Json:
        levels = parts(part(part(self._lists, id_), "listProperties"), "nestingLevels")
        return levels[depth] if depth < len(levels) else {}
