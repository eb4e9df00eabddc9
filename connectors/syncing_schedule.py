"""Which sources are due, and syncing them one after the other in this process."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

import structlog
from django.db import close_old_connections
from django.db.models import Max
from django.utils import timezone

from connectors.errors import AlreadySyncing, OptionError
from connectors.models import Source, SyncRun
from connectors.registry import connector_for
from connectors.syncing_index import Index
from connectors.syncing_run import Control, run_sync

log = structlog.get_logger(__name__)


def next_run_at(source: Source, last_started_at: datetime | None) -> datetime | None:
    """Return when a source is due next; None: not by itself. Never synced: now.

    A held source is due like an active one: once its mount is back, the next run
    finds it whole and ends the hold; until then every run is held anew.
    """
    if source.state == Source.State.PAUSED:
        return None
    if last_started_at is None:
        return source.created_at
    return last_started_at + timedelta(minutes=source.sync_every_minutes)


def due_sources(now: datetime | None = None) -> list[Source]:
    """Return the sources that are due and not being synced, longest due first."""
    now = now or timezone.now()
    due = []
    rows = Source.objects.annotate(last=Max("runs__started_at")).order_by("name")
    for source in rows.exclude(state=Source.State.PAUSED):
        at = next_run_at(source, source.last)
        busy = source.lease_until is not None and source.lease_until > now
        if at is not None and at <= now and not busy:
            due.append((at, source))
    return [source for _, source in sorted(due, key=lambda pair: pair[0])]


def runtime_index() -> Index:
    """Return the process's builder and store; the first call loads the model."""
    from memory.runtime import runtime

    return Index(runtime().builder, runtime().store)


def run_due(
    index: Callable[[], Index] = runtime_index,
    should_stop: Callable[[], bool] = lambda: False,
) -> list[SyncRun]:
    """Sync every due source and return the runs; an error of one never stops another.

    `should_stop` is asked between batches, so that a server can end.
    """
    runs = []
    looked_at = timezone.now()
    try:
        for source in due_sources(looked_at):
            if should_stop():
                break
            control = Control(should_stop=should_stop, wanted_since=looked_at)
            if run := _run(source, index, control):
                runs.append(run)
    finally:
        close_old_connections()
    return runs


def _run(
    source: Source, index: Callable[[], Index], control: Control
) -> SyncRun | None:
    try:
        return run_sync(source, connector_for(source), index(), control)
    except AlreadySyncing:
        return None
    except OptionError as error:
        # Options that can't be need a person; trying again won't help.
        Source.objects.filter(id=source.id).update(
            state=Source.State.PAUSED, reason=str(error)
        )
    except Exception:
        log.exception("sync_not_started", source=str(source.id))
    return None
