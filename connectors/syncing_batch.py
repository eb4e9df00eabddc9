"""A batch of changes: rows first, then the store, then the rows' last word.

Killed before the first transaction, nothing happened; between the two, the rows say
`needs_repair` and keep the text, and the next run completes them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from connectors import content_json
from connectors.base import Cursor, Delete, Failed, Skipped, Unchanged, Upsert
from connectors.errors import LeaseLost
from connectors.models import AccessRule, Document
from connectors.syncing_index import Indexing
from connectors.syncing_missing import save_missing
from connectors.syncing_report import Severity
from connectors.syncing_rows import (
    WRITTEN,
    Action,
    Plan,
    finish,
    give_up,
    plan_absence,
    plan_repair,
    plan_rule,
    plan_upsert,
)
from memory import access
from memory.documents import document_id

State = Document.State
Work = Upsert | Unchanged | Skipped | Failed | Delete

BATCH_DOCUMENTS = 32
#: Of text, so that a batch of huge documents doesn't fill the memory.
BATCH_CHARACTERS = 4_000_000
#: Rows whose mark alone changed wait for company: they're cheap.
BATCH_TOUCHED = 1000

NOT_INDEXED = "not_indexed"
#: What the second transaction writes of a document that is in the store now, and of
#: one that could not be built.
_FINISHED = ("chunk_count", "memory_count", "needs_repair", "indexed_at")
_GIVEN_UP = (
    *("state", "reason", "message", "mark", "content_hash", "content", "characters"),
    *("chunk_count", "memory_count", "needs_repair", "changed_at"),
)


@dataclass(slots=True)
class Batch:
    """Collects changes of one run and writes them. `cursor` is saved with the rest."""

    indexing: Indexing
    cursor: Cursor | None = None
    _work: dict[UUID, Work] = field(default_factory=dict)
    _touched: dict[UUID, str] = field(default_factory=dict)
    _returned: set[UUID] = field(default_factory=set)
    _characters: int = 0

    def add(self, change: Work) -> None:
        """Take a change that needs its row written; the last one of a document counts."""
        source = self.indexing.source
        if isinstance(change, Upsert):
            self._characters += len(change.document.content.text)
            name = content_json.storable_text(change.document.external_id)
        else:
            name = change.external_id
        self._work[document_id(source.id, name)] = change

    def touch(self, id_: UUID, mark: str) -> None:
        """Take a new mark of a document that is otherwise unchanged."""
        self._touched[id_] = mark

    def give_back(self, id_: UUID) -> None:
        """Take a held document that is at the source again."""
        self._returned.add(id_)

    @property
    def is_full(self) -> bool:
        """Tell whether it's time to `flush`."""
        return (
            len(self._work) >= BATCH_DOCUMENTS
            or self._characters >= BATCH_CHARACTERS
            or len(self._touched) >= BATCH_TOUCHED
        )

    def flush(self) -> None:
        """Write everything collected. Raises LeaseLost having written nothing."""
        report, lease = self.indexing.report, self.indexing.lease
        with report.timed("sql"):
            plans = self._plans()
            with report.saved_with(lease):
                save_rules(
                    plan.rule for plan in plans if plan.rule.id == plan.row.rule_id
                )
                self._write(plans)
                self._write_touched()
        self._work.clear()
        self._touched.clear()
        self._returned.clear()
        self._characters = 0
        self.complete(plans)
        report.show()

    def repair(self, ids: Sequence[UUID]) -> None:
        """Make the store agree with the rows of these documents."""
        rows = Document.objects.filter(id__in=ids).select_related("rule")
        self.complete([plan_repair(row) for row in rows])

    def complete(self, plans: Sequence[Plan]) -> None:
        """Bring the store to what the rows say, then say so in the rows."""
        report, lease = self.indexing.report, self.indexing.lease
        acted = [plan for plan in plans if plan.action is not Action.NOTHING]
        try:
            errors = self.indexing.carry_out(acted)
            with report.timed("sql"):
                self._conclude(plans, errors)
                source = {} if self.cursor is None else {"cursor": dict(self.cursor)}
                with report.saved_with(lease, **source):
                    for plan in acted:
                        if plan.id in errors:
                            plan.row.save(update_fields=_GIVEN_UP)
                    rows = [plan.row for plan in acted if plan.id not in errors]
                    Document.objects.bulk_update(rows, _FINISHED, batch_size=200)
                    save_missing(acted, lease.clock())
        except LeaseLost:
            # What this worker wrote into the store may be older than what the other
            # one wrote. Asking for a repair is the one write that's always right.
            ids = [plan.id for plan in acted]
            Document.objects.filter(id__in=ids).update(needs_repair=True)
            raise

    def _plans(self) -> list[Plan]:
        source = self.indexing.source
        old = Document.objects.defer("content").in_bulk(list(self._work))
        plans = []
        for id_, change in self._work.items():
            row = old.get(id_)
            if isinstance(change, Upsert):
                plans.append(plan_upsert(change, source, row))
            elif isinstance(change, Unchanged):
                if row is not None and change.rule is not None:
                    plans.append(plan_rule(row, change.rule, change.mark))
            elif row is not None or not isinstance(change, Delete):
                plans.append(plan_absence(change, source, row))
        return plans

    def _write(self, plans: Sequence[Plan]) -> None:
        new_text = [plan.row for plan in plans if "content" in plan.row.__dict__]
        Document.objects.bulk_create(
            new_text,
            update_conflicts=True,
            unique_fields=["id"],
            update_fields=WRITTEN,
            batch_size=50,
        )
        same_text = [plan.row for plan in plans if "content" not in plan.row.__dict__]
        fields = ("rule", "mark", "state", "reason", "message", "needs_repair")
        Document.objects.bulk_update(same_text, fields, batch_size=200)

    def _write_touched(self) -> None:
        rows = [Document(id=id_, mark=mark) for id_, mark in self._touched.items()]
        Document.objects.bulk_update(rows, ["mark"], batch_size=200)
        Document.objects.filter(id__in=self._returned, state=State.HELD).update(
            state=State.INDEXED, reason="", message=""
        )

    def _conclude(self, plans: Sequence[Plan], errors: dict[UUID, str]) -> None:
        """Finish every row, and count and report what became of it."""
        report, now = self.indexing.report, self.indexing.lease.clock()
        for plan in plans:
            row = plan.row
            if plan.id in errors:
                give_up(row, NOT_INDEXED, errors[plan.id])
                report.counts["failed"] += 1
                report.issue(
                    Severity.ERROR,
                    NOT_INDEXED,
                    errors[plan.id],
                    external_id=row.external_id,
                    title=row.title,
                    url=row.url,
                )
            elif plan.is_repair:
                report.counts["repaired"] += 1
            elif plan.action is Action.BUILD:
                report.counts["indexed"] += 1
            elif plan.action is Action.PROPERTIES:
                report.counts["properties_only"] += 1
            elif row.state == State.INDEXED:
                report.counts["unchanged"] += 1
            elif row.state == State.REMOVED:
                report.counts["deleted"] += 1
            finish(row, now)


def save_rules(rules: Iterable[access.AccessRule]) -> None:
    """Write access rules that SQL hasn't; a rule never changes."""
    rows = {
        rule.id: AccessRule(
            id=rule.id, layers=sorted(sorted(layer) for layer in rule.layers)
        )
        for rule in rules
    }
    AccessRule.objects.bulk_create(rows.values(), ignore_conflicts=True)
