"""Builds the whole store anew beside the one that answers, then swaps them.

Everything comes from the rows' own texts: no source is asked. Syncs go on meanwhile
and write to the old store; what they change is caught up with, the last of it while
every source's lease is held, so that nothing is lost at the swap. Killed at any
moment, the old store goes on answering, and the next rebuild begins clean; the
encoder's cache makes it quick.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.db.models import QuerySet
from django.utils import timezone

from connectors.errors import AlreadySyncing
from connectors.models import Document, Source, SyncRun
from connectors.syncing_batch import BATCH_DOCUMENTS
from connectors.syncing_index import DocumentBuilder, Index, Indexing
from connectors.syncing_lease import NOBODY_HOLDS_IT, Lease, acquire, is_dead
from connectors.syncing_missing import save_missing
from connectors.syncing_report import Progress, Report
from connectors.syncing_rows import Action, plan_repair
from connectors.syncing_run import Cancelled, Control
from memory.errors import AttestError
from memory.stores.base import MemoryStore, StorePlace

#: What of a row the store depends on: another value means that it's written again.
FACTS = (
    *("state", "content_hash", "rule_id", "status", "url", "updated_at", "title"),
    *("external_id", "source__name"),
)
#: A catch-up that finds no more than this is followed by the last one.
FEW = 100
#: Catch-ups before the last one, however much syncs write meanwhile.
CATCH_UPS = 5
#: Between two looks at whether the running syncs have ended.
WAIT_S = 1.0


@dataclass(slots=True)
class Rebuilt:
    """What a rebuild did; `failed` are the documents that could not be built."""

    counts: Counter[str]
    failed: dict[UUID, str]


def rebuild(
    place: StorePlace,
    builder_for: Callable[[MemoryStore], DocumentBuilder],
    control: Control | None = None,
) -> Rebuilt:
    """Build a fresh store from SQL and let it answer.

    Raises Cancelled, KeyboardInterrupt, and what store or encoder raise: the old store
    answers then. The caller sees to it that only one runs.
    """
    control = control or Control()
    fresh = place.fresh()
    copy = _Copy(Index(builder_for(fresh), fresh), control)
    try:
        for _ in range(CATCH_UPS):
            if copy.catch_up() <= FEW:
                break
        fresh.optimize()
        leases = _leases(copy)
    except BaseException:
        with suppress(AttestError):
            place.discard(fresh)
        raise
    with _given_back(leases):
        try:
            copy.catch_up()
            for lease, _ in leases:
                lease.fence()
        except BaseException:
            with suppress(AttestError):
                place.discard(fresh)
            raise
        # From here on the fresh one may be the one that answers: it's never discarded,
        # and where it isn't, the next rebuild removes it.
        copy.enter("swap")
        place.swap(fresh)
        copy.conclude([lease.source_id for lease, _ in leases])
    return Rebuilt(copy.report.counts, copy.failed)


class _Unfenced(Lease):
    """Stands for the lease while nothing but the fresh store is written."""

    def keep(self) -> None:
        """Do nothing."""


@dataclass(slots=True)
class _Copy:
    """The fresh store, and which state of each row is in it."""

    index: Index
    control: Control
    report: Report = field(init=False)
    failed: dict[UUID, str] = field(default_factory=dict)
    _written: dict[UUID, tuple[Any, ...]] = field(default_factory=dict)
    _built: dict[UUID, tuple[int, int]] = field(default_factory=dict)
    _total: int = 0

    def __post_init__(self) -> None:
        """Count into a report that is never saved."""
        self.report = Report(SyncRun())

    def enter(self, stage: str) -> None:
        """Say what is being done."""
        self.report.stage = stage
        self._show()

    def catch_up(self) -> int:
        """Bring the fresh store to what the rows say now; return how many differed."""
        self.enter("rebuild")
        facts = {id_: tuple(rest) for id_, _, *rest in _answering().iterator()}
        self._total = len(facts)
        gone = [id_ for id_ in self._written if id_ not in facts]
        self.index.store.delete_documents(gone)
        for id_ in gone:
            self._forget(id_)
        stale = [id_ for id_, told in facts.items() if self._written.get(id_) != told]
        for start in range(0, len(stale), BATCH_DOCUMENTS):
            if self.control.should_stop():
                raise Cancelled
            self._write(stale[start : start + BATCH_DOCUMENTS])
            self._show()
        return len(stale) + len(gone)

    def conclude(self, sources: Sequence[UUID]) -> None:
        """Say in the rows that the store agrees with them; their sources are leased."""
        now = self.control.clock()
        Document.objects.filter(source_id__in=sources, needs_repair=True).update(
            needs_repair=False
        )
        rows = [
            Document(id=id_, chunk_count=chunks, memory_count=memories, indexed_at=now)
            for id_, (chunks, memories) in self._built.items()
        ]
        counts = ("chunk_count", "memory_count", "indexed_at")
        Document.objects.bulk_update(rows, counts, batch_size=200)
        # The next sync tries these again and says why; and a source that is younger
        # than the leases wrote to the old store.
        failed = list(self.failed)
        for start in range(0, len(failed), 500):
            part = failed[start : start + 500]
            Document.objects.filter(id__in=part).update(needs_repair=True)
        answering = Document.objects.filter(state__in=Document.ANSWERING)
        answering.exclude(source_id__in=sources).update(needs_repair=True)

    def _write(self, ids: Sequence[UUID]) -> None:
        rows = Document.objects.filter(id__in=ids).select_related("rule", "source")
        by_source: dict[UUID, list[Document]] = {}
        for row in rows:
            self._written[row.id] = _facts(row)
            by_source.setdefault(row.source_id, []).append(row)
        for group in by_source.values():
            source = group[0].source
            lease = _Unfenced(source.id, uuid4(), self.control.clock)
            plans = [plan_repair(row) for row in group]
            indexing = Indexing(source, self.index, lease, self.report)
            errors = indexing.carry_out(plans)
            for plan in plans:
                self._note(plan.id, plan.row, errors.get(plan.id))
            built = [plan for plan in plans if plan.action is Action.BUILD]
            save_missing(
                [plan for plan in built if plan.id not in errors], self.control.clock()
            )

    def _note(self, id_: UUID, row: Document, error: str | None) -> None:
        self.failed.pop(id_, None)
        self._built.pop(id_, None)
        if error is not None:
            self.failed[id_] = error
        elif row.state in Document.ANSWERING:
            self._built[id_] = (row.chunk_count, row.memory_count)

    def _forget(self, id_: UUID) -> None:
        for told in (self._written, self._built, self.failed):
            told.pop(id_, None)

    def _show(self) -> None:
        if self.control.on_progress is not None:
            embedded = self.report.texts_embedded
            counts = self.report.counts
            self.control.on_progress(
                Progress(
                    self.report.stage, len(self._written), self._total, counts, embedded
                )
            )


def _answering() -> QuerySet[Document, tuple[Any, ...]]:
    """Return id, source and facts of the rows whose texts answer, source by source."""
    rows = Document.objects.filter(state__in=Document.ANSWERING)
    return rows.order_by("source_id", "id").values_list("id", "source_id", *FACTS)


def _facts(row: Document) -> tuple[Any, ...]:
    return (*(getattr(row, name) for name in FACTS[:-1]), row.source.name)


def _leases(copy: _Copy) -> list[tuple[Lease, SyncRun]]:
    """Take every source's lease once no sync is running; catch up while waiting."""
    while True:
        while _busy():
            copy.enter("wait for syncs")
            time.sleep(WAIT_S)
            copy.catch_up()
            if copy.control.should_stop():
                raise Cancelled
        taken: list[tuple[Lease, SyncRun]] = []
        try:
            for source in Source.objects.all():
                taken.append(acquire(source, copy.control.clock))
        except AlreadySyncing:
            _give_back(taken)
        except BaseException:
            _give_back(taken)
            raise
        else:
            return taken


def _busy() -> bool:
    held = Source.objects.filter(lease_until__gt=timezone.now())
    return any(
        not is_dead(name) for name in held.values_list("lease_holder", flat=True)
    )


@contextmanager
def _given_back(leases: Sequence[tuple[Lease, SyncRun]]) -> Iterator[None]:
    try:
        yield
    finally:
        _give_back(leases)


def _give_back(leases: Sequence[tuple[Lease, SyncRun]]) -> None:
    """End the leases; their runs leave no trace, as no source was looked at."""
    for lease, run in leases:
        # Lost leases belong to somebody else now.
        with suppress(Exception), lease.transaction(**NOBODY_HOLDS_IT):
            run.delete()
