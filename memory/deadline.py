"""One deadline over everything that is done for a question (DESIGN.md, "Failure").

The deadline is ambient, as stages that take no clock (a model call three objects down)
must keep it too. It's a context variable: threads that work for a question must be
started with a copy of its context (`contextvars.copy_context().run`).
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from memory.errors import AttestError

_ENDS_AT: ContextVar[float | None] = ContextVar("deadline_ends_at", default=None)


class DeadlineExceeded(AttestError):
    """The time that a question may take is used up."""


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Bound what runs inside; a deadline outside that ends earlier still holds."""
    ends_at = time.monotonic() + seconds
    outer = _ENDS_AT.get()
    token = _ENDS_AT.set(ends_at if outer is None else min(outer, ends_at))
    try:
        yield
    finally:
        _ENDS_AT.reset(token)


def is_set() -> bool:
    """Tell whether there's a deadline here: somebody waits for what is done."""
    return _ENDS_AT.get() is not None


def remaining(limit: float) -> float:
    """Return the seconds that a step of at most `limit` seconds may take, 0 at least."""
    ends_at = _ENDS_AT.get()
    if ends_at is None:
        return limit
    return max(0.0, min(limit, ends_at - time.monotonic()))


def check(step: str) -> None:
    """Raise DeadlineExceeded, naming the step that can't begin, when time is up."""
    ends_at = _ENDS_AT.get()
    if ends_at is not None and time.monotonic() >= ends_at:
        raise DeadlineExceeded(f"The question's time was used up before {step}.")
