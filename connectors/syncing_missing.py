"""Memories that extraction by a model owes: who waits for them, and until when.

A chunk whose extraction failed has no memories and answers by its text. As the
document itself hasn't changed, only this row makes a later run ask again.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from connectors.models import Document, MissingMemories, Source
from connectors.syncing_rows import Action, Plan

#: How long a document waits, at first and at most. Each try waits four times as long
#: as the one before, since a model that refuses a text will do so again.
AGAIN_AFTER = timedelta(minutes=15)
AGAIN_LATEST = timedelta(days=1)
_ENOUGH_TRIES = 6


def due(source: Source, now: datetime) -> list[UUID]:
    """Return the answering documents whose memories are to be asked for, oldest first."""
    rows = MissingMemories.objects.filter(
        document__source=source,
        document__state__in=Document.ANSWERING,
        again_at__lte=now,
    ).order_by("again_at", "document_id")
    return list(rows.values_list("document_id", flat=True))


def save_missing(plans: Sequence[Plan], now: datetime) -> None:
    """Write what is owed of the documents that were built, and forget what isn't."""
    built = [plan for plan in plans if plan.action is not Action.PROPERTIES]
    owing = [plan for plan in built if plan.undistilled]
    if settled := [plan.id for plan in built if not plan.undistilled]:
        MissingMemories.objects.filter(document_id__in=settled).delete()
    old = MissingMemories.objects.in_bulk([plan.id for plan in owing])
    MissingMemories.objects.bulk_create(
        [_row(plan, old.get(plan.id), now) for plan in owing],
        update_conflicts=True,
        unique_fields=["document"],
        update_fields=["count", "tries", "again_at"],
    )


def _row(plan: Plan, old: MissingMemories | None, now: datetime) -> MissingMemories:
    """Return the row; another text is a first try."""
    tries = old.tries + 1 if old is not None and plan.is_repair else 1
    wait = AGAIN_AFTER * 4 ** (min(tries, _ENOUGH_TRIES) - 1)
    return MissingMemories(
        document_id=plan.id,
        count=plan.undistilled,
        tries=min(tries, _ENOUGH_TRIES),
        again_at=now + min(wait, AGAIN_LATEST),
    )
