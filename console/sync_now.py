"""Starting a sync from a page: in a thread of this process, as `serve` does on schedule."""

from __future__ import annotations

import threading
from datetime import datetime
from uuid import UUID

import structlog
from django.db import close_old_connections
from django.utils import timezone

from connectors.errors import AlreadySyncing, OptionError
from connectors.models import Source
from connectors.registry import connector_for
from connectors.syncing import Control, run_sync, runtime_index

log = structlog.get_logger(__name__)


def start_sync(source: Source, *, approve_deletions: bool = False) -> None:
    """Begin a sync and return at once; its run tells how it goes.

    When another worker has the source already, nothing happens: the lease decides.
    """
    wishes = {"approve_deletions": approve_deletions, "wanted_since": timezone.now()}
    thread = threading.Thread(
        target=sync,
        args=(source.id,),
        kwargs=wishes,
        name=f"sync {source.id}",
        daemon=True,
    )
    thread.start()


def sync(
    source_id: UUID,
    *,
    approve_deletions: bool = False,
    wanted_since: datetime | None = None,
) -> None:
    """Sync a source once; the edge of its thread, so errors end in the log.

    A click that a run has granted meanwhile, the schedule's or another click's, gives
    no second one; an approval always runs.
    """
    try:
        source = Source.objects.get(id=source_id)
        control = Control(
            approve_deletions=approve_deletions,
            wanted_since=None if approve_deletions else wanted_since,
        )
        run_sync(source, connector_for(source), runtime_index(), control)
    except AlreadySyncing:
        log.info("sync_already_running", source=str(source_id))
    except OptionError as error:
        Source.objects.filter(id=source_id).update(
            state=Source.State.PAUSED, reason=str(error)
        )
    except Exception:
        log.exception("sync_not_started", source=str(source_id))
    finally:
        close_old_connections()
