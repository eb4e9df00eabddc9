"""What SQL holds of a source, small enough to keep in memory through a run.

One query without any text: a few hundred bytes a document, so an unchanged document
costs a run no query at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from uuid import UUID

from connectors.models import Document, Source

State = Document.State


@dataclass(slots=True)
class KnownDocument:
    """The row of one document, without its text."""

    id: UUID
    external_id: str
    state: str
    reason: str
    message: str
    mark: str
    rule_id: str | None
    seen: bool = False

    @property
    def answers(self) -> bool:
        """Tell whether its text is in the store."""
        return self.state in Document.ANSWERING


class KnownDocuments:
    """The rows of one source by external id; `connectors.base.Known` for a connector."""

    def __init__(self, rows: Iterable[KnownDocument]) -> None:
        """Hold these rows."""
        self._rows = {row.external_id: row for row in rows}

    @classmethod
    def of(cls, source: Source) -> KnownDocuments:
        """Read a source's rows; removed ones are as unknown as new ones."""
        rows = (
            source.documents.exclude(state=State.REMOVED)
            .order_by()
            .values_list(
                "id", "external_id", "state", "reason", "message", "mark", "rule_id"
            )
        )
        return cls(KnownDocument(*row) for row in rows.iterator(chunk_size=5000))

    def mark(self, external_id: str) -> str | None:
        """Return the mark of a document that is indexed, held or skipped, else None."""
        row = self._rows.get(external_id)
        if row is None or row.state == State.FAILED:
            return None
        return row.mark or None

    def get(self, external_id: str) -> KnownDocument | None:
        """Return a document's row as the run found it."""
        return self._rows.get(external_id)

    def see(self, external_id: str) -> KnownDocument | None:
        """Note that the document exists, and return its row."""
        row = self._rows.get(external_id)
        if row is not None:
            row.seen = True
        return row

    def unseen(self) -> Iterator[KnownDocument]:
        """Yield the rows of documents that this run hasn't come across."""
        return (row for row in self._rows.values() if not row.seen)

    def answering(self) -> int:
        """Count the documents whose text is in the store."""
        return sum(row.answers for row in self._rows.values())
