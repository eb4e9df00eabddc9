"""Documents -> chunks -> memories -> vectors -> store, incrementally.

Identity is content-addressed, so an edited document embeds only what changed: an
object whose id and embedded text are stored already keeps its vector.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar
from uuid import UUID

import structlog

from memory.chunking import Chunker
from memory.distillation.base import (
    BatchExtractor,
    Distilled,
    Extractor,
    OnProgress,
    extracted,
)
from memory.documents import Chunk, Document, Memory, Properties, Vector
from memory.embedding import Embedder, embedded_text, text_hash
from memory.errors import AttestError
from memory.stores.base import EmbeddedHashes, MemoryStore, Replacement

log = structlog.get_logger(__name__)

Item = TypeVar("Item", Chunk, Memory)


@dataclass(frozen=True, slots=True)
class Built:
    """What became of one document. `error` is for an administrator, else None."""

    document_id: UUID
    chunks: int = 0
    memories: int = 0
    chunks_embedded: int = 0
    chunks_kept: int = 0
    memories_embedded: int = 0
    memories_kept: int = 0
    #: Chunks and groups of memories whose extraction failed: something is missing.
    undistilled: int = 0
    #: Items of a model's replies that were left out, being bad or one too many.
    items_dropped: int = 0
    error: str | None = None


@dataclass(slots=True)
class BuildReport:
    """The results of a batch in its order, and seconds by stage.

    `undistilled_reason` says why the last extraction failed, "" where none did;
    `distillation_stopped` that none of the others were tried: the budget is used up,
    or the model is away.
    """

    built: list[Built]
    stage_seconds: Mapping[str, float]
    undistilled_reason: str = ""
    distillation_stopped: bool = False


@dataclass(slots=True)
class _Prepared:
    """A document on its way into the store."""

    document: Document
    properties: Properties
    chunks: list[Chunk]
    known: EmbeddedHashes
    distilled: Distilled
    built: Built
    memories: list[Memory] = field(default_factory=list)


@dataclass(slots=True)
class Builder:
    """Builds batches of documents into one store. `extractor` None: chunks alone."""

    chunker: Chunker
    extractor: Extractor | None
    embedder: Embedder
    store: MemoryStore
    _seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    def build(
        self,
        items: Sequence[tuple[Document, Properties]],
        *,
        on_progress: OnProgress | None = None,
    ) -> BuildReport:
        """Write the documents into the store; `on_progress` counts embedded texts.

        A document whose chunking fails has an error and is left as it was; a failed
        distillation leaves no memories, never no chunk, and is counted. Raises
        StoreError and EmbeddingError: then none of the batch counts as built.
        """
        self._seconds = defaultdict(float)
        results: dict[UUID, Built] = {}
        prepared = []
        for document, properties in items:
            try:
                prepared.append(self._prepare(document, properties))
            except AttestError:
                raise
            except Exception as error:  # noqa: BLE001 - one document never stops a run
                log.exception("building_failed", document=str(document.id))
                reason = f"Cutting it into chunks failed ({type(error).__name__})."
                results[document.id] = Built(document.id, error=reason)
        self._distil(prepared, on_progress)
        self._embed(prepared, on_progress)
        with self._timed("store"):
            self.store.replace_documents(
                [
                    Replacement(item.properties, item.chunks, item.memories)
                    for item in prepared
                ]
            )
        results.update((item.document.id, item.built) for item in prepared)
        built = [results[document.id] for document, _ in items]
        reasons = [item.distilled.reason for item in prepared if item.distilled.failed]
        return BuildReport(
            built,
            dict(self._seconds),
            undistilled_reason=(reasons or [""])[-1],
            distillation_stopped=any(item.distilled.stopped for item in prepared),
        )

    def _prepare(self, document: Document, properties: Properties) -> _Prepared:
        """Chunk one document and look up what is stored of it."""
        with self._timed("chunk"):
            chunks = self.chunker.chunks(document)
        with self._timed("store"):
            known = self.store.embedded_hashes(document.id)
        return _Prepared(
            document, properties, chunks, known, Distilled([]), Built(document.id)
        )

    def _distil(
        self, prepared: Sequence[_Prepared], on_progress: OnProgress | None
    ) -> None:
        """Give the documents their memories, none where extraction fails."""
        if self.extractor is None or not prepared:
            return
        with self._timed("distil"):
            if isinstance(self.extractor, BatchExtractor):
                work = [(item.document, item.chunks) for item in prepared]
                results = self.extractor.distil(work, on_progress=on_progress)
            else:
                results = [
                    extracted(self.extractor, item.document, item.chunks)
                    for item in prepared
                ]
        for item, result in zip(prepared, results, strict=True):
            item.distilled, item.memories = result, result.memories

    def _embed(
        self,
        prepared: Sequence[_Prepared],
        on_progress: OnProgress | None,
    ) -> None:
        """Give every new object its vector, in one call for the whole batch."""
        texts: dict[str, str] = {}
        for item in prepared:
            for new in (
                _new(item.chunks, item.known.chunks),
                _new(item.memories, item.known.memories),
            ):
                texts.update(new)
        with self._timed("embed"):
            vectors = self.embedder.embed_documents(
                list(texts.values()), on_progress=on_progress
            )
        by_hash = dict(zip(texts, vectors, strict=True))
        for item in prepared:
            item.chunks = _with_vectors(item.chunks, item.known.chunks, by_hash)
            item.memories = _with_vectors(item.memories, item.known.memories, by_hash)
            item.built = _built(item)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        started = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[stage] += time.perf_counter() - started


def _new(items: Sequence[Item], known: Mapping[UUID, str]) -> dict[str, str]:
    """Return the texts that need a vector, by hash."""
    texts = {}
    for item in items:
        text = embedded_text(item)
        name = text_hash(text)
        if known.get(item.id) != name:
            texts[name] = text
    return texts


def _with_vectors(
    items: Sequence[Item], known: Mapping[UUID, str], by_hash: Mapping[str, Vector]
) -> list[Item]:
    """Return the items with new vectors; those that are stored keep None."""
    done = []
    for item in items:
        name = text_hash(embedded_text(item))
        stored = known.get(item.id) == name
        done.append(item if stored else replace(item, vector=by_hash[name]))
    return done


def _built(item: _Prepared) -> Built:
    """Count what was embedded and what was kept."""
    new_chunks = sum(chunk.vector is not None for chunk in item.chunks)
    new_memories = sum(memory.vector is not None for memory in item.memories)
    return Built(
        document_id=item.document.id,
        chunks=len(item.chunks),
        memories=len(item.memories),
        chunks_embedded=new_chunks,
        chunks_kept=len(item.chunks) - new_chunks,
        memories_embedded=new_memories,
        memories_kept=len(item.memories) - new_memories,
        undistilled=item.distilled.failed,
        items_dropped=item.distilled.dropped,
    )
