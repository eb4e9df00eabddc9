"""Documents that SQL says are indexed and the store hasn't: its folder was lost.

A deleted, emptied or replaced store opens like a new one, and unchanged documents are
never written again, so without this look answers would quietly miss them for ever.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from connectors.models import Document, Source
from connectors.syncing_index import Index
from connectors.syncing_lease import Lease
from connectors.syncing_report import Report, Severity
from connectors.syncing_waiting import patiently

#: Documents that every run looks for. A lost store lacks all of them.
PROBED = 5
_MARKED_AT_ONCE = 500


def mark_lost(source: Source, index: Index, lease: Lease, report: Report) -> int:
    """Ask for a repair of every document that the store lost; return how many.

    All are looked for where one of a few is missing. Raises StoreError when the store
    can't be read, so that no run succeeds over one that is damaged.
    """
    indexed = source.documents.filter(
        state__in=Document.ANSWERING, needs_repair=False, chunk_count__gt=0
    ).order_by("id")
    ids = list(indexed.values_list("id", flat=True))
    with report.timed("store"):
        step = max(1, len(ids) // PROBED)
        few = ids[::step]
        if not patiently(lambda: _missing(index, few, lease), lease, report):
            return 0
        lost = patiently(lambda: _missing(index, ids, lease), lease, report)
    for start in range(0, len(lost), _MARKED_AT_ONCE):
        part = lost[start : start + _MARKED_AT_ONCE]
        with report.saved_with(lease):
            Document.objects.filter(id__in=part).update(needs_repair=True)
    report.issue(
        Severity.WARNING,
        "store_lost",
        f"The store lacked {len(lost):,} of {len(ids):,} indexed documents, as after "
        "its folder was deleted or restored. They're built again from their texts.",
    )
    return len(lost)


def _missing(index: Index, ids: Sequence[UUID], lease: Lease) -> list[UUID]:
    missing = []
    for id_ in ids:
        lease.keep()
        if not index.store.embedded_hashes(id_).chunks:
            missing.append(id_)
    return missing
