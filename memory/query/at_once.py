"""Doing several searches of one question at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import lru_cache
from typing import TypeVar

Result = TypeVar("Result")

#: Searches of one process at once; a store works on several without Python's help.
_MOST = 8


def at_once(calls: Sequence[Callable[[], Result]]) -> list[Result]:
    """Return what the calls return, in their order.

    Each runs in a copy of this context, so that the question's deadline holds there.
    Raises what the earliest failing one raised. The calls use no Django.
    """
    if not calls:
        return []
    waiting = [_threads().submit(copy_context().run, call) for call in calls[1:]]
    # The first runs here, which saves a thread.
    return [calls[0](), *(each.result() for each in waiting)]


@lru_cache(maxsize=1)
def _threads() -> ThreadPoolExecutor:
    """Return the threads that all questions of this process share."""
    return ThreadPoolExecutor(_MOST, thread_name_prefix="searches")
