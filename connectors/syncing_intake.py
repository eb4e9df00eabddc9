"""Takes one change after the other: counts it, reports it, and queues what is new.

What is as the last run left it costs no query and no issue, so a folder with thousands
of pictures doesn't bury each run under as many notices.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from connectors.base import (
    Change,
    Checkpoint,
    Complete,
    Delete,
    Failed,
    Notice,
    Skipped,
    Total,
    Unchanged,
    Upsert,
)
from connectors.content_json import storable_text
from connectors.models import Document
from connectors.syncing_batch import Batch
from connectors.syncing_known import KnownDocument, KnownDocuments
from connectors.syncing_prune import Seen
from connectors.syncing_report import Report, Severity

State = Document.State


@dataclass(slots=True)
class Intake:
    """What a run does with each change, short of writing it."""

    known: KnownDocuments
    batch: Batch
    report: Report
    seen: Seen = field(default_factory=Seen)

    def take(self, change: Change) -> None:
        """Handle one change; the batch may be full afterwards."""
        change = _storable(change)
        match change:
            case Total():
                self.report.total = change.count
            case Checkpoint():
                self.batch.cursor = change.cursor
            case Complete():
                self.seen.complete = True
            case Notice():
                self._notice(change)
            case Delete():
                self._delete(change)
            case _:
                self.report.counts["seen"] += 1
                self._document(change)
        self.report.show()

    def _document(self, change: Upsert | Unchanged | Skipped | Failed) -> None:
        match change:
            case Upsert():
                self._upsert(change)
            case Unchanged():
                self._unchanged(change)
            case Skipped():
                self._skipped(change)
            case Failed():
                self._failed(change)

    def _notice(self, change: Notice) -> None:
        is_warning = change.incomplete or change.is_warning
        severity = Severity.WARNING if is_warning else Severity.NOTICE
        if change.incomplete:
            self.report.incomplete = True
            self.seen.hidden_prefixes.append(change.external_prefix)
        self.report.issue(
            severity, change.reason, change.message, external_id=change.external_prefix
        )

    def _delete(self, change: Delete) -> None:
        self.known.see(change.external_id)
        self.batch.add(change)

    def _upsert(self, change: Upsert) -> None:
        document = change.document
        name = storable_text(document.external_id)
        self.known.see(name)
        warnings = list(change.warnings)
        if not document.content.text.strip():
            warnings.append(("no_text", "It was read, but there's no text in it."))
        for reason, message in warnings:
            self.report.counts["warnings"] += 1
            self.report.issue(
                Severity.WARNING,
                reason,
                storable_text(message),
                external_id=name,
                title=storable_text(document.title),
                url=document.url,
            )
        self.batch.add(change)

    def _unchanged(self, change: Unchanged) -> None:
        row = self.known.see(change.external_id)
        if row is None:
            return
        if row.answers and change.rule is not None and change.rule.id != row.rule_id:
            self.batch.add(change)
            return
        self.report.counts["unchanged" if row.answers else row.state] += 1
        if change.mark and change.mark != row.mark:
            self.batch.touch(row.id, change.mark)
        if row.state == State.HELD:
            self.batch.give_back(row.id)

    def _skipped(self, change: Skipped) -> None:
        row = self.known.see(change.external_id)
        self.report.counts["skipped"] += 1
        told = row is not None and _same(row, change, State.SKIPPED)
        if not told:
            self._issue(Severity.NOTICE, change)
        if not told or (row is not None and row.mark != change.mark):
            self.batch.add(change)

    def _failed(self, change: Failed) -> None:
        row = self.known.see(change.external_id)
        self.report.counts["failed"] += 1
        self._issue(Severity.ERROR, change)
        if row is None or not _same(row, change, State.FAILED):
            self.batch.add(change)

    def _issue(self, severity: Severity, change: Skipped | Failed) -> None:
        self.report.issue(
            severity,
            change.reason,
            change.message,
            external_id=change.external_id,
            url=change.url,
        )


def _storable(change: Change) -> Change:
    """Return a change without text that a database refuses; an Upsert's is cleaned later."""
    match change:
        case Skipped() | Failed():
            return replace(
                change,
                external_id=storable_text(change.external_id),
                url=storable_text(change.url),
                message=storable_text(change.message),
            )
        case Delete() | Unchanged():
            return replace(change, external_id=storable_text(change.external_id))
    return change


def _same(row: KnownDocument, change: Skipped | Failed, state: State) -> bool:
    return (row.state, row.reason, row.message) == (
        state,
        change.reason,
        change.message,
    )
