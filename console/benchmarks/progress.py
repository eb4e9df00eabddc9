"""Progress on a terminal, and now and then a plain line elsewhere."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Protocol

_WIDTH = 24
#: A terminal is drawn at most so often; a log gets a line at most so often.
_DRAW_EVERY_S = 0.1
_LINE_EVERY_S = 15.0


class Stream(Protocol):
    """Where progress goes."""

    def write(self, text: str, /) -> object:
        """Write text."""
        ...

    def flush(self) -> object:
        """Show what was written."""
        ...

    def isatty(self) -> bool:
        """Tell whether it's a terminal."""
        ...


@dataclass(slots=True)
class ProgressLine:
    """One line that fills up. Call it with what is done and what there is in all."""

    stream: Stream
    label: str
    _started: float = field(default_factory=time.monotonic)
    _shown: float = float("-inf")

    def __call__(self, done: int, total: int) -> None:
        """Show progress, unless that was done a moment ago; the end always shows."""
        now = time.monotonic()
        terminal = self.stream.isatty()
        every_s = _DRAW_EVERY_S if terminal else _LINE_EVERY_S
        if done < total and now - self._shown < every_s:
            return
        self._shown = now
        text = f"{self.label}: {done:,} of {total:,}, {now - self._started:.0f} s"
        if not terminal:
            self.stream.write(f"{text}\n")
        else:
            filled = _WIDTH * done // max(total, 1)
            bar = "#" * filled + "." * (_WIDTH - filled)
            end = "\n" if done >= total else ""
            self.stream.write(f"\r[{bar}] {text}\x1b[K{end}")
        self.stream.flush()
