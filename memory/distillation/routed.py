"""Which extractor may read which source (DESIGN.md: "never leaves")."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.distillation.base import (
    BatchExtractor,
    Distilled,
    Extractor,
    OnProgress,
    Work,
    extracted,
)
from memory.documents import Chunk, Document, Memory


@dataclass(frozen=True, slots=True)
class RoutedExtractor:
    """Gives documents of sources marked "local models only" to the local extractor.

    `local_sources` is asked before every batch, so that a mark counts at once; where
    it raises, nothing is sent.
    """

    remote: BatchExtractor
    local: Extractor
    local_sources: Callable[[], frozenset[UUID]]

    @property
    def version(self) -> str:
        """Name what reads the documents that may leave."""
        return self.remote.version

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Memory]:
        """Return the memories of one document's chunks; see `Extractor`."""
        (distilled,) = self.distil([(document, chunks)])
        return distilled.memories

    def distil(
        self, work: Sequence[Work], *, on_progress: OnProgress | None = None
    ) -> list[Distilled]:
        """Return one result a document; raises what `local_sources` raises."""
        kept = self.local_sources()
        leaving = [item for item in work if item[0].source_id not in kept]
        remote = iter(self.remote.distil(leaving, on_progress=on_progress))
        return [
            extracted(self.local, document, chunks)
            if document.source_id in kept
            else next(remote)
            for document, chunks in work
        ]
