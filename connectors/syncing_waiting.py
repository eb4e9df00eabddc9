"""Waiting for a store whose server is away, so that a restart of it ends no run."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import TypeVar

import structlog

from connectors.models import SyncRun
from connectors.syncing_lease import Lease
from connectors.syncing_report import Report
from memory.errors import StoreUnreachable

log = structlog.get_logger(__name__)

Result = TypeVar("Result")

STAGE = "waiting for the store"
#: How long a run waits for the store at one call, and between two tries of it.
WAIT_S = 600.0
_FIRST_WAIT_S = 0.5
_LONGEST_WAIT_S = 15.0


def patiently(call: Callable[[], Result], lease: Lease, report: Report) -> Result:
    """Return what `call` returns, trying again while the store can't be reached.

    `call` must be safe to do again. The run shows that it waits and keeps its lease.
    Raises StoreUnreachable after ten minutes, or when somebody asks the run to stop:
    what wasn't written is marked in SQL, and the next run does it.
    """
    stage, tries = report.stage, 0
    until = time.monotonic() + WAIT_S
    while True:
        try:
            result = call()
        except StoreUnreachable as error:
            if time.monotonic() >= until or _is_cancelled(report):
                raise
            log.warning("store_unreachable", run=report.run.pk, reason=str(error))
            report.enter(STAGE)
            lease.keep()
            _sleep(tries)
            tries += 1
        else:
            if tries:
                report.enter(stage)
            return result


def _sleep(tries: int) -> None:
    longest = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**tries)
    # Spread, so that a server that's back isn't asked by all workers at once.
    time.sleep(random.uniform(longest / 2, longest))  # noqa: S311


def _is_cancelled(report: Report) -> bool:
    return SyncRun.objects.filter(pk=report.run.pk, cancel_requested=True).exists()
