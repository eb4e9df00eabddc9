"""The store's part of a batch: build, rewrite properties, remove.

One document that can't be built fails alone. Whether it's the document or the whole
store or encoder is found out by asking both for something trivial.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar
from uuid import UUID, uuid4

import structlog
from django.conf import settings

from connectors.errors import SyncError
from connectors.models import Source
from connectors.spending import RunSpending
from connectors.syncing_lease import Lease
from connectors.syncing_report import Report
from connectors.syncing_rows import Action, Plan, properties_of
from connectors.syncing_waiting import patiently
from memory.building import BuildReport, Built
from memory.documents import Document, Properties
from memory.embedding import Embedder
from memory.errors import AttestError, EmbeddingError, StoreMismatch, StoreUnreachable
from memory.stores.base import MemoryStore

log = structlog.get_logger(__name__)

MUST_STAY = (
    "This source's documents never leave this machine, but ATTEST_EMBEDDING_MODEL sends "
    "every text to be embedded elsewhere. Choose a local embedding model."
)

Item = tuple[Document, Properties]
Result = TypeVar("Result")


class DocumentBuilder(Protocol):
    """What of `memory.building.Builder` a run needs."""

    @property
    def embedder(self) -> Embedder:
        """Return the encoder, to ask whether it works."""
        ...

    def build(
        self,
        items: Sequence[Item],
        *,
        on_progress: Callable[[int], None] | None = None,
    ) -> BuildReport:
        """Write the documents into the store; see `memory.building`."""
        ...


@dataclass(frozen=True, slots=True)
class Index:
    """Where a run writes: a builder and its store."""

    builder: DocumentBuilder
    store: MemoryStore

    def probe(self) -> None:
        """Raise what store or encoder raise when they don't work at all."""
        self.store.embedded_hashes(uuid4())
        self.builder.embedder.embed_queries(["Does it work?"])


@dataclass(slots=True)
class Indexing:
    """Carries out plans. What it returns are the failures, by document."""

    source: Source
    index: Index
    lease: Lease
    report: Report
    #: Whether anything was asked of the store.
    wrote: bool = False
    spending: RunSpending = field(init=False)

    def __post_init__(self) -> None:
        """Begin the run's ledger."""
        self.spending = RunSpending(self.source.id)

    def carry_out(self, plans: Sequence[Plan]) -> dict[UUID, str]:
        """Make the store agree with the plans' rows; return the errors by document.

        A document with an error has left the store. Raises what the store or the
        encoder raise when they're down for every document.
        """
        self.wrote = self.wrote or bool(plans)
        errors = self._build([plan for plan in plans if plan.action is Action.BUILD])
        errors |= self._set_properties(
            [plan for plan in plans if plan.action is Action.PROPERTIES]
        )
        removed = [
            plan.id
            for plan in plans
            if plan.action is Action.DELETE or plan.id in errors
        ]
        if removed:
            with self.report.timed("store"):
                self._patiently(lambda: self.index.store.delete_documents(removed))
        return errors

    def _build(self, plans: Sequence[Plan]) -> dict[UUID, str]:
        """Build together; where that fails, one by one."""
        if not plans:
            return {}
        if self.source.local_models_only and settings.ATTEST_EMBEDDINGS_LEAVE:
            raise EmbeddingError(MUST_STAY)
        items = [
            (plan.document, properties_of(plan.row, self.source, plan.rule))
            for plan in plans
            if plan.document is not None
        ]
        try:
            with self.spending.written():
                report = self._patiently(
                    lambda: self.index.builder.build(items, on_progress=self._progress)
                )
        except (SyncError, StoreMismatch, StoreUnreachable):
            raise
        except Exception as error:  # noqa: BLE001 - one document never stops a run
            return self._apart(plans, error, self._build)
        self.report.spend(report.stage_seconds)
        self.report.distilled(report)
        return self._count(plans, report.built)

    def _apart(
        self,
        plans: Sequence[Plan],
        error: Exception,
        again: Callable[[Sequence[Plan]], dict[UUID, str]],
    ) -> dict[UUID, str]:
        """Do `again` with each plan alone, unless store or encoder are down."""
        self._patiently(self.index.probe)
        if len(plans) == 1:
            return {plans[0].id: told(error)}
        errors: dict[UUID, str] = {}
        for plan in plans:
            errors.update(again([plan]))
        return errors

    def _count(self, plans: Sequence[Plan], built: Sequence[Built]) -> dict[UUID, str]:
        results: Mapping[UUID, Built] = {item.document_id: item for item in built}
        errors = {}
        for plan in plans:
            result = results.get(plan.id)
            if result is None or result.error is not None:
                errors[plan.id] = result.error or "" if result else "It was not built."
                continue
            plan.row.chunk_count = result.chunks
            plan.row.memory_count = result.memories
            plan.undistilled = result.undistilled
            for name in ("undistilled", "items_dropped"):
                if count := getattr(result, name):
                    self.report.counts[name] += count
            for name in ("chunks", "memories"):
                for fate in ("embedded", "kept"):
                    key = f"{name}_{fate}"
                    self.report.counts[key] += getattr(result, key)
        return errors

    def _set_properties(self, plans: Sequence[Plan]) -> dict[UUID, str]:
        """Rewrite together; where that fails, one by one."""
        if not plans:
            return {}
        properties = [properties_of(plan.row, self.source, plan.rule) for plan in plans]
        try:
            with self.report.timed("store"):
                self._patiently(
                    lambda: self.index.store.set_many_properties(properties)
                )
        except (StoreMismatch, StoreUnreachable):
            raise
        except Exception as error:  # noqa: BLE001 - one document never stops a run
            return self._apart(plans, error, self._set_properties)
        return {}

    def _patiently(self, call: Callable[[], Result]) -> Result:
        """Do what may be done again, waiting while the store is away."""
        return patiently(call, self.lease, self.report)

    def _progress(self, texts: int) -> None:
        """Show embedded texts, and keep the lease while a batch takes long."""
        self.report.texts_embedded += texts
        self.lease.keep()
        self.report.show()


def told(error: Exception) -> str:
    """Return an error as an administrator may read it; ours are written for that."""
    if isinstance(error, AttestError):
        return str(error)
    log.error("sync_unexpected_error", exc_info=error)
    return f"An unexpected error ({type(error).__name__}); the log has more."
