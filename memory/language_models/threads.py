"""Many model calls at once, in threads that know the question's deadline and ledger."""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


def in_threads(
    work: Callable[[Item], Made], items: Iterable[Item], *, threads: int
) -> list[Made]:
    """Return `work` of every item, in the items' order, `threads` at a time.

    Each runs in a copy of the caller's context. The first error (in the items' order)
    is raised, and what hasn't begun by then doesn't begin any more.
    """
    todo = list(items)
    if len(todo) < 2 or threads < 2:
        return [work(item) for item in todo]
    pool = ThreadPoolExecutor(min(threads, len(todo)), "language-model")
    try:
        running = [
            pool.submit(contextvars.copy_context().run, work, item) for item in todo
        ]
        return [future.result() for future in running]
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
