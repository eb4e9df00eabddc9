"""Model calls side by side, for builds: bounded, in order, and given up early."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, field
from typing import TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Seconds between two words to who waits: a call and its retries can take longer than
#: the lease that a build is made under.
WAIT_S = 15.0


def in_order(
    work: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    workers: int,
    on_wait: Callable[[], None] | None = None,
) -> Iterator[Result]:
    """Yield one result a task, in the tasks' order; at most `workers` run at once.

    Each runs in a copy of the caller's context, so the ledger and the deadline hold.
    When the caller stops asking, what hasn't begun is never begun. `on_wait` is called
    in the caller's thread before each result and now and then while one is waited for;
    what it raises ends the work.
    """
    if not tasks:
        return
    with ThreadPoolExecutor(min(workers, len(tasks))) as pool:
        futures = [pool.submit(copy_context().run, work, task) for task in tasks]
        try:
            for future in futures:
                _wait_for(future, on_wait)
                yield future.result()
        finally:
            for future in futures:
                future.cancel()


def _wait_for(future: Future[Result], on_wait: Callable[[], None] | None) -> None:
    """Return once a result is there, at once where nobody is to be told."""
    if on_wait is None:
        return
    on_wait()
    while wait([future], timeout=WAIT_S).not_done:
        on_wait()


@dataclass(slots=True)
class Brake:
    """Ends a batch whose every call would fail: no budget, no endpoint, a wrong key.

    It's pulled at once by `pull`, and by `limit` failures in a row. Safe for threads.
    """

    limit: int = 8
    reason: str = ""
    _row: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def is_pulled(self) -> bool:
        """Tell whether nothing more should be tried."""
        return bool(self.reason)

    def pull(self, reason: str) -> None:
        """Stop, for this reason; the first one stays."""
        with self._lock:
            self.reason = self.reason or reason

    def failed(self, reason: str) -> None:
        """Count a failure that may be everybody's."""
        with self._lock:
            self._row += 1
            if self._row >= self.limit:
                self.reason = self.reason or reason

    def worked(self) -> None:
        """Note that a call worked."""
        with self._lock:
            self._row = 0
