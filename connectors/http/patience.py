"""How long a request is tried, and how long it waits in between.

Vendors say when to come back (Retry-After in seconds or as a date). That's honoured up
to a limit; beyond it the run ends with its cursor saved, rather than sleep for an hour
and look as if it hung.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

#: Answers that another try may change, by their status.
TRANSIENT = frozenset({408, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Waiting:
    """A pause that the source asked for, or that gives it time to come back."""

    until: datetime
    seconds: float
    message: str


def _quietly(_: Waiting) -> None:
    """Tell nobody."""


@dataclass(slots=True)
class Patience:
    """Retries of one session. `on_wait` is told before each pause; `sleep` makes it.

    Whoever runs a sync may set both, to show "waiting until" and to keep its lease.
    """

    sleep: Callable[[float], None] = time.sleep
    on_wait: Callable[[Waiting], None] = _quietly
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    tries: int = 5
    #: The first pause without a Retry-After; each further one is twice as long.
    first_pause_s: float = 1.0
    #: No single pause is longer, nor all pauses of one request together than the second.
    longest_pause_s: float = 90.0
    longest_total_s: float = 300.0
    #: Pauses so far, for whoever reports them; the reader may empty it.
    waits: list[Waiting] = field(default_factory=list)

    def pause_s(self, attempt: int, headers: Mapping[str, str]) -> float:
        """Return how long to wait after a try (from 1) that failed, in seconds.

        Never less than the source asks for; a little more, so that many workers don't
        come back at once.
        """
        asked = self.asked_s(headers)
        if asked is not None:
            return asked + random.uniform(0, min(1.0, 0.1 * asked + 0.1))  # noqa: S311
        pause = self.first_pause_s * 2.0 ** (attempt - 1)
        return float(pause * random.uniform(0.75, 1.25))  # noqa: S311

    def asked_s(self, headers: Mapping[str, str]) -> float | None:
        """Return the seconds of a Retry-After, or None without a usable one."""
        value = (headers.get("Retry-After") or "").strip()
        if not value:
            return None
        try:
            seconds = float(value)
        except ValueError:
            seconds = self._until(value)
        return max(0.0, seconds) if math.isfinite(seconds) else None

    def _until(self, value: str) -> float:
        try:
            moment = parsedate_to_datetime(value)
        except ValueError:
            return math.nan
        moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
        return math.ceil((moment - self.clock()).total_seconds())

    def allows(self, pause_s: float, *, waited_s: float) -> bool:
        """Tell whether a run makes this pause after others of `waited_s`."""
        return (
            pause_s <= self.longest_pause_s
            and waited_s + pause_s <= self.longest_total_s
        )

    def wait(self, pause_s: float, why: str) -> None:
        """Say until when, then wait."""
        until = self.until(pause_s)
        message = f"{why} Waiting until {until:%H:%M:%S} UTC."
        waiting = Waiting(until, pause_s, message)
        self.waits.append(waiting)
        self.on_wait(waiting)
        self.sleep(pause_s)

    def until(self, pause_s: float) -> datetime:
        """Return the end of a pause that starts now; a far one is cut to a year."""
        return self.clock() + timedelta(seconds=min(pause_s, 365 * 86_400.0))
