"""Where the reading of a site stands, by the site's own clock.

CQL reads a time in the time zone of the account, or of the server, at the grain of a
minute, and doesn't say which. So the window starts half a day early, which no zone can
make late; what is found has its exact time, which tells what was there before. Neither our
clock nor daylight saving has a part in it.
https://developer.atlassian.com/cloud/confluence/cql-fields/ (read 2026-12)
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from connectors.base import Cursor
from connectors.confluence.options import ConfluenceOptions
from connectors.conversion.converted import aware

#: The zone furthest behind UTC: there, a text means the latest moment.
FURTHEST_BEHIND = timedelta(hours=12)
#: The search index lags behind writes.
OVERLAP = timedelta(minutes=30)
#: A whole pass is due when it took less than this share of the time since the last one,
#: and at the latest after the second.
WHOLE_SHARE = 1 / 15
WHOLE_AT_LATEST = timedelta(hours=24)


@dataclass(frozen=True, slots=True)
class Position:
    """`since` is the site's time, `whole_at` ours."""

    since: datetime | None = None
    whole_at: datetime | None = None
    whole_s: float = 0.0
    options: str = ""

    @classmethod
    def of(cls, cursor: Cursor | None) -> Position:
        """Read a cursor; one that can't be read is like none."""
        value = cursor or {}
        seconds = value.get("whole_s")
        return cls(
            since=aware(value.get("since")),
            whole_at=aware(value.get("whole_at")),
            whole_s=float(seconds) if isinstance(seconds, int | float) else 0.0,
            options=str(value.get("options") or ""),
        )

    def cursor(self) -> Cursor:
        """Write it as JSON values."""
        return {
            "since": self.since.isoformat() if self.since else None,
            "whole_at": self.whole_at.isoformat() if self.whole_at else None,
            "whole_s": round(self.whole_s, 3),
            "options": self.options,
        }

    def needs_whole(self, options: str, now: datetime) -> bool:
        """Tell whether everything is to be looked at, not only what changed."""
        if self.since is None or self.whole_at is None or self.options != options:
            return True
        passed = now - self.whole_at
        due = timedelta(seconds=self.whole_s / WHOLE_SHARE)
        return not timedelta(0) <= passed < min(due, WHOLE_AT_LATEST)

    def window(self) -> str:
        """Return the start of the window as CQL writes it, early in every zone."""
        if self.since is None:
            raise ValueError("Nothing was read yet, so there's no window.")
        start = self.since.astimezone(UTC) - FURTHEST_BEHIND - OVERLAP
        return start.strftime("%Y-%m-%d %H:%M")

    def has_read(self, changed_at: datetime | None) -> bool:
        """Tell whether a change was read before, however late the index showed it."""
        if self.since is None or changed_at is None:
            return False
        return changed_at < self.since - OVERLAP

    def moved(self, newest: datetime | None) -> Position:
        """Return the position after something that changed then was read."""
        if newest is None or (self.since is not None and newest <= self.since):
            return self
        return replace(self, since=newest)


def fingerprint(options: ConfluenceOptions) -> str:
    """Name the options that decide what is read; another one means a whole pass."""
    values: list[Any] = [
        options.base_url,
        sorted(options.spaces),
        sorted(options.exclude_spaces),
        options.attachments,
        options.comments,
        str(options.anonymous),
        options.max_file_mb,
    ]
    return hashlib.sha256(json.dumps(values).encode()).hexdigest()[:12]
