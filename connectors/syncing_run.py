"""One sync run of one source, from lease to summary.

    lease -> repairs, missing memories -> changes in batches -> deletions, unless held
          -> repairs of what the store lost -> optimize

A run may be killed at any moment: what it wrote stays, and the next one goes on. Only
the holder of the lease writes (syncing_lease); a batch is written to SQL before the
store (syncing_batch); a document that can't be read or indexed is an issue, never the
end of a run.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog
from django.db import OperationalError
from django.utils import timezone

from connectors.base import Change, Connector, Delete
from connectors.content_json import storable_text
from connectors.errors import (
    ConnectorError,
    IncompleteListing,
    LeaseLost,
    PermanentError,
    SourceMissing,
)
from connectors.models import Document, Source, SyncRun
from connectors.rules import forget_unused
from connectors.syncing_batch import BATCH_DOCUMENTS, Batch
from connectors.syncing_index import Index, Indexing
from connectors.syncing_intake import Intake
from connectors.syncing_known import KnownDocument, KnownDocuments
from connectors.syncing_lease import NOBODY_HOLDS_IT, Lease, acquire
from connectors.syncing_lost import mark_lost
from connectors.syncing_missing import due
from connectors.syncing_prune import gone, hold, hold_message, must_hold
from connectors.syncing_report import Progress, Report, Severity
from memory.errors import AttestError

log = structlog.get_logger(__name__)

State = SyncRun.State

#: How often a run looks for a request to cancel, and saves its counts, between batches.
BREATHE_EVERY_S = 1.0
#: Runs of a source that are kept, with their issues.
KEEP_RUNS = 200

CANCELLED_MESSAGE = "Cancelled. What was done is kept; the next run goes on from there."
REPAIRED_MESSAGE = "Only the index was written; the source was not looked at."
DATABASE_MESSAGE = (
    "The database failed: {}. What was done is kept; ./manage.py doctor says what to "
    "mend, and the next run goes on from there."
)
INCOMPLETE_MESSAGE = (
    "A part of the source could not be seen; nothing there was deleted."
)


class Cancelled(Exception):  # noqa: N818 - it's a wish, no error
    """Somebody asked the run to stop."""


@dataclass(frozen=True, slots=True)
class Control:
    """How a run is started and watched."""

    clock: Callable[[], datetime] = timezone.now
    on_progress: Callable[[Progress], None] | None = None
    #: Delete what an earlier run holds. What is missing besides is judged anew.
    approve_deletions: bool = False
    should_stop: Callable[[], bool] = lambda: False
    #: Somebody's wish from then: a run that began since has granted it.
    wanted_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended, and fields of its source to set with it."""

    state: State
    message: str = ""
    source: dict[str, Any] = field(default_factory=dict)
    #: Whether the source itself was looked at.
    looked: bool = True


def run_sync(
    source: Source,
    connector: Connector | None,
    index: Index,
    control: Control | None = None,
) -> SyncRun:
    """Sync a source once and return the finished run.

    Without a connector nothing is asked of the source: what waits for a repair is
    written into the store from the text that SQL keeps.

    It raises AlreadySyncing when another worker is at it, and for nothing else that
    can go wrong with source, documents or store: the run says it. Ctrl-C cancels it.
    """
    control = control or Control()
    lease, run = acquire(source, control.clock, wanted_since=control.wanted_since)
    source.refresh_from_db()
    report = Report(run, control.on_progress)
    session = _Session(source, connector, index, control, lease, report)
    try:
        _close(source, lease, report, _ending(session))
    except LeaseLost:
        log.warning("sync_lease_lost", source=str(source.id), run=run.pk)
    run.refresh_from_db()
    source.refresh_from_db()
    return run


def _ending(session: _Session) -> Ending:
    """Run the session and turn whatever ends it into an ending."""
    try:
        return session.run()
    except (KeyboardInterrupt, Cancelled):
        return Ending(State.CANCELLED, CANCELLED_MESSAGE)
    except LeaseLost:
        raise
    except SourceMissing as error:
        return Ending(State.HELD, str(error), {"reason": str(error)})
    except PermanentError as error:
        paused = {"state": Source.State.PAUSED, "reason": str(error)}
        return Ending(State.FAILED, str(error), paused)
    except (ConnectorError, AttestError) as error:
        return Ending(State.FAILED, str(error))
    except OperationalError as error:
        # A full or unwritable disk says which it is; no value is in such a message.
        log.error("sync_failed", source=str(session.source.id), reason=str(error))  # noqa: TRY400
        return Ending(State.FAILED, DATABASE_MESSAGE.format(error))
    except Exception as error:
        log.exception("sync_failed", source=str(session.source.id))
        kind = type(error).__name__
        return Ending(State.FAILED, f"Unexpected error ({kind}); the log has more.")


def _close(source: Source, lease: Lease, report: Report, ending: Ending) -> None:
    """Write the run's end and give the lease back, in one transaction."""
    now = lease.clock()
    values = dict(ending.source)
    message = " ".join(filter(None, [ending.message, report.tell_undistilled()]))
    if ending.state is State.SUCCEEDED and ending.looked:
        values["last_success_at"] = now
        if source.state != Source.State.PAUSED:
            values |= {"state": Source.State.ACTIVE, "reason": ""}
    if ending.state in (State.FAILED, State.HELD):
        severity = Severity.ERROR if ending.state is State.FAILED else Severity.WARNING
        report.issue(severity, f"run_{ending.state.value}", ending.message)
    run = {"state": ending.state, "message": message, "finished_at": now}
    with report.saved_with(lease, run, **values, **NOBODY_HOLDS_IT):
        old = source.runs.values_list("pk", flat=True)[KEEP_RUNS:]
        SyncRun.objects.filter(pk__in=list(old)).delete()


@dataclass(slots=True)
class _Session:
    """The steps of one run."""

    source: Source
    connector: Connector | None
    index: Index
    control: Control
    lease: Lease
    report: Report
    _breathed_at: float = field(default_factory=time.monotonic)

    def run(self) -> Ending:
        """Do all of it; what ends it early is raised."""
        indexing = Indexing(self.source, self.index, self.lease, self.report)
        self._repair(Batch(indexing))
        self._distil_again(Batch(indexing))
        if self.connector is None:
            self._optimize(indexing)
            return Ending(State.SUCCEEDED, REPAIRED_MESSAGE, looked=False)
        self.report.enter("read")
        with self.report.timed("sql"):
            known = KnownDocuments.of(self.source)
        intake = Intake(known, Batch(indexing), self.report)
        self._read(intake, self.connector)
        if not intake.seen.complete and self.source.cursor is None:
            self._list(intake, self.connector)
        ending = self._prune(intake)
        if mark_lost(self.source, self.index, self.lease, self.report):
            self._repair(Batch(indexing))
        with self.report.timed("sql"):
            forget_unused(self.lease.clock())
        self._optimize(indexing)
        return ending

    def _repair(self, batch: Batch) -> None:
        """Complete what an earlier run began, from the text that SQL keeps."""
        waiting = self.source.documents.filter(needs_repair=True).order_by()
        ids = list(waiting.values_list("id", flat=True))
        if ids:
            self.report.enter("repair")
        for start in range(0, len(ids), BATCH_DOCUMENTS):
            batch.repair(ids[start : start + BATCH_DOCUMENTS])
            self._stop_if_asked()

    def _distil_again(self, batch: Batch) -> None:
        """Ask for memories that are missing and due, until extraction stops again."""
        ids = due(self.source, self.lease.clock())
        if ids:
            self.report.enter("distil")
        for start in range(0, len(ids), BATCH_DOCUMENTS):
            if self.report.distillation_stopped:
                return
            batch.repair(ids[start : start + BATCH_DOCUMENTS])
            self._stop_if_asked()

    def _read(self, intake: Intake, connector: Connector) -> None:
        try:
            for change in self._changes(connector, intake.known):
                intake.take(change)
                self._flush_if_full(intake.batch)
        except ConnectorError:
            # What was read before is as good as ever.
            intake.batch.flush()
            raise
        intake.batch.flush()

    def _changes(self, connector: Connector, known: KnownDocuments) -> Iterator[Change]:
        """Yield the connector's changes, timing what it takes to read them."""
        changes = iter(connector.changes(self.source.cursor, known))
        while True:
            with self.report.timed("read"):
                change = next(changes, None)
            if change is None:
                return
            yield change

    def _list(self, intake: Intake, connector: Connector) -> None:
        """See what exists, where the changes alone don't tell."""
        self.report.enter("list")
        try:
            for external_id in connector.listing():
                intake.known.see(storable_text(external_id))
                self._breathe()
        except IncompleteListing as error:
            self.report.incomplete = True
            self.report.issue(Severity.WARNING, "incomplete_listing", str(error))
        else:
            intake.seen.complete = True

    def _prune(self, intake: Intake) -> Ending:
        self.report.enter("delete")
        missing = gone(intake.known, intake.seen)
        if self.control.approve_deletions:
            approved = [row for row in missing if row.state == Document.State.HELD]
            self._delete(approved, intake.batch)
            missing = [row for row in missing if row.state != Document.State.HELD]
        if must_hold(missing, intake.known):
            total = intake.known.answering()
            message = hold_message(self.source.name, missing, total)
            self.report.counts["held"] = sum(row.answers for row in missing)
            with self.report.saved_with(self.lease):
                hold(missing)
            held = {"state": Source.State.HELD, "reason": message}
            return Ending(State.HELD, message, held)
        self._delete(missing, intake.batch)
        message = INCOMPLETE_MESSAGE if self.report.incomplete else ""
        return Ending(State.SUCCEEDED, message)

    def _delete(self, rows: Sequence[KnownDocument], batch: Batch) -> None:
        for row in rows:
            batch.add(Delete(row.external_id))
            self._flush_if_full(batch)
        batch.flush()

    def _optimize(self, indexing: Indexing) -> None:
        """Fold what was written into the store's indexes; it answers without, too."""
        if not indexing.wrote:
            return
        self.report.enter("optimize")
        try:
            with self.report.timed("optimize"):
                self.index.store.optimize()
        except AttestError as error:
            self.report.issue(Severity.WARNING, "not_optimized", str(error))

    def _flush_if_full(self, batch: Batch) -> None:
        if batch.is_full:
            batch.flush()
            self._stop_if_asked()
        else:
            self._breathe()

    def _breathe(self) -> None:
        """Save counts and keep the lease once a second, however little there's to do."""
        if time.monotonic() - self._breathed_at < BREATHE_EVERY_S:
            return
        with self.report.saved_with(self.lease):
            pass
        self._stop_if_asked()

    def _stop_if_asked(self) -> None:
        """Raise Cancelled if somebody wants the run to stop."""
        self._breathed_at = time.monotonic()
        asked = SyncRun.objects.filter(pk=self.report.run.pk, cancel_requested=True)
        if self.control.should_stop() or asked.exists():
            raise Cancelled
