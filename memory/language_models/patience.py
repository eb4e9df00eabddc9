"""How often a call is tried, and how long it waits in between (A12)."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from memory import deadline


@dataclass(frozen=True, slots=True)
class Patience:
    """Two retries after 1, 2, 4 … at most 8 seconds, or what the endpoint asks for.

    `sleep` makes the pause, so that tests needn't wait.
    """

    retries: int = 2
    first_pause_s: float = 1.0
    longest_pause_s: float = 8.0
    #: An endpoint that asks for more than this is taken as away.
    longest_asked_s: float = 60.0
    sleep: Callable[[float], None] = time.sleep

    def pause_s(self, tries: int, asked_s: float | None) -> float:
        """Return the pause after the `tries`th try (from 1), never less than asked."""
        own = min(self.longest_pause_s, self.first_pause_s * 2.0 ** (tries - 1))
        return own if asked_s is None else asked_s

    def allows(self, tries: int, pause_s: float) -> bool:
        """Tell whether another try may follow: never past the ambient deadline."""
        if tries > self.retries or pause_s > self.longest_asked_s:
            return False
        return pause_s < deadline.remaining(self.longest_asked_s + 1)
