"""Takes a source out: its documents leave the answers, the store and the database."""

from __future__ import annotations

from django.utils import timezone

from connectors.models import Document, Source, SyncRun
from connectors.syncing_lease import NOBODY_HOLDS_IT, Lease, acquire
from memory.errors import AttestError
from memory.stores.base import MemoryStore

#: Documents that leave the store in one commit.
BATCH_DOCUMENTS = 500

PAUSED_REASON = "It's being removed: ./manage.py remove_source NAME finishes that."


def remove_source(source: Source, store: MemoryStore) -> int:
    """Remove a source and return how many documents it had.

    The rows say first that the documents are gone, so they answer no more from then
    on; killed at any moment, a second call finishes. The files at the source stay as
    they are. Raises AlreadySyncing, and StoreError when the store can't be reached.
    """
    lease, run = acquire(source, timezone.now)
    with lease.transaction(state=Source.State.PAUSED, reason=PAUSED_REASON):
        source.documents.update(state=Document.State.REMOVED, needs_repair=True)
    ids = list(source.documents.values_list("id", flat=True))
    try:
        for start in range(0, len(ids), BATCH_DOCUMENTS):
            store.delete_documents(ids[start : start + BATCH_DOCUMENTS])
            lease.keep()
    except AttestError as error:
        _end(run, lease, str(error))
        raise
    with lease.transaction():
        source.delete()
    store.optimize()
    return len(ids)


def _end(run: SyncRun, lease: Lease, message: str) -> None:
    """Say why the run ended and give the lease back, so that the next one needn't wait."""
    with lease.transaction(**NOBODY_HOLDS_IT):
        SyncRun.objects.filter(pk=run.pk).update(
            state=SyncRun.State.FAILED, message=message, finished_at=lease.clock()
        )
