"""Where a run stands: which window it reads, how far it is, what is read again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from connectors.base import Cursor
from connectors.jira.search import Position

#: A search may lag behind what was written by so much (the vendor promises nothing; it
#: says that recent updates may be missing). What is read twice costs no embedding.
OVERLAP_MS = 15 * 60 * 1000
#: Issues that are asked for again at the next run, though they didn't change.
MAX_AGAIN = 500


@dataclass(slots=True)
class Window:
    """One run's window: `updated` from a time on, in the site's own epoch milliseconds.

    `next_from` is where the next run's window begins, fixed before the first page.
    """

    updated_from: int
    next_from: int
    #: What is read and how; see `connectors.jira.connector.Jira._reads`.
    reads: str = ""
    position: Position | None = None
    #: Ids of issues that an earlier run could not read whole, and this one's.
    waiting: tuple[str, ...] = ()
    again: dict[str, None] = field(default_factory=dict)

    @classmethod
    def begun(cls, since: Cursor | None, now_ms: int | None, reads: str = "") -> Window:
        """Return the window after a cursor; one that was begun goes on as it is.

        `now_ms` is the site's clock; without it the next window begins where this does.
        """
        cursor: Mapping[str, Any] = since or {}
        start = int(cursor.get("updated_from") or 0)
        waiting = tuple(str(item) for item in cursor.get("again") or ())
        if "next_from" in cursor:
            next_from = int(cursor["next_from"])
            return cls(start, next_from, reads, cursor.get("position"), waiting)
        next_from = start if now_ms is None else max(0, now_ms - OVERLAP_MS)
        return cls(start, max(start, next_from), reads, None, waiting)

    def read_again(self, issue_id: str) -> None:
        """Ask for an issue at the next run."""
        if len(self.again) < MAX_AGAIN:
            self.again[issue_id] = None

    def between(self, position: Position) -> Cursor:
        """Return the cursor of a run that isn't at its end."""
        again = list(dict.fromkeys((*self.waiting, *self.again)))
        return {
            "updated_from": self.updated_from,
            "next_from": self.next_from,
            "position": dict(position),
            "again": again,
            "reads": self.reads,
        }

    def done(self) -> Cursor:
        """Return the cursor of a run that saw its window's end."""
        again = list(self.again)
        return {"updated_from": self.next_from, "again": again, "reads": self.reads}
