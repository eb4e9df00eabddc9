"""A data set's own index: built once, cached by what it's made of."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID

from memory.access import WORKSPACE_RULE, WORKSPACE_SCOPE, Scope, Status
from memory.building import Builder
from memory.chunking import Chunker
from memory.distillation.base import Extractor
from memory.documents import Chunk, Document, Properties, View
from memory.embedding import Embedder
from memory.errors import DataSetError
from memory.evaluation.datasets import DataSet
from memory.stores.base import MemoryStore

#: An evaluation reads its own index whole, whatever a document's status (DESIGN.md).
WHOLE_SCOPE: Scope = replace(WORKSPACE_SCOPE, statuses=frozenset(Status))
#: Raised when what an index holds changes though its parts' names don't.
_LAYOUT = "1"
#: Characters of documents that are embedded in one go: progress is told after each.
_BATCH_CHARACTERS = 300_000
_COMPLETE = "complete.json"

#: Called with documents done and documents in all.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class IndexParts:
    """What an index is built with; `open_store` opens or creates one in a folder."""

    chunker: Chunker
    extractor: Extractor | None
    embedder: Embedder
    open_store: Callable[[Path], MemoryStore]

    def key(self, data: DataSet) -> str:
        """Return the index's name: it changes with content and with every part."""
        extractor = self.extractor.version if self.extractor else "none"
        names = (_LAYOUT, data.data_hash, self.chunker.version, extractor)
        text = "\x1f".join((*names, self.embedder.name))
        return hashlib.sha256(text.encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class EvaluationIndex:
    """A complete index. `chunks` are all raw chunks by id; `built` counts documents."""

    key: str
    store: MemoryStore
    chunks: dict[UUID, Chunk]
    properties: dict[UUID, Properties]
    built: int


def open_index(
    data: DataSet,
    parts: IndexParts,
    folder: Path,
    *,
    rebuild: bool = False,
    on_progress: Progress | None = None,
) -> EvaluationIndex:
    """Return the data set's index under `folder`, built where it isn't complete.

    A build that was cut short goes on where it was. Two processes wait for each
    other. Raises StoreError, EmbeddingError, and DataSetError when no chunk is left.
    """
    key = parts.key(data)
    home = folder / key
    home.mkdir(parents=True, exist_ok=True)
    with _alone(folder / f"{key}.lock"):
        if rebuild:
            shutil.rmtree(home)
            home.mkdir()
        store = parts.open_store(home)
        complete = home / _COMPLETE
        built = 0
        if not complete.is_file():
            built = _build(data, parts, store, on_progress)
            _write(complete, {"data": data.data_hash, "documents": built})
    chunks, properties = _read_chunks(store)
    if not chunks:
        raise DataSetError(f"The data set {data.name!r} has no text to search.")
    return EvaluationIndex(key, store, chunks, properties, built)


def properties_of(document: Document, *, source_name: str) -> Properties:
    """Return a document's properties under the workspace rule."""
    return Properties(
        document_id=document.id,
        source_id=document.source_id,
        title=document.title,
        access_rule=WORKSPACE_RULE.id,
        tokens=WORKSPACE_RULE.tokens,
        status=document.status,
        url=document.url,
        source_name=source_name,
        external_id=document.external_id,
        updated_at=document.updated_at,
    )


def _build(
    data: DataSet, parts: IndexParts, store: MemoryStore, on_progress: Progress | None
) -> int:
    """Build all documents; return how many. A failed one ends it: figures must be whole."""
    builder = Builder(parts.chunker, parts.extractor, parts.embedder, store)
    total, done = len(data.documents), 0
    for batch in batches(data.documents):
        report = builder.build(
            [(item, properties_of(item, source_name=data.name)) for item in batch]
        )
        for built, document in zip(report.built, batch, strict=True):
            if built.error:
                raise DataSetError(f"{document.external_id}: {built.error}")
        done += len(batch)
        if on_progress:
            on_progress(done, total)
    store.optimize()
    return done


def batches(
    documents: Sequence[Document], *, characters: int = _BATCH_CHARACTERS
) -> Iterator[list[Document]]:
    """Yield runs of documents with at most so many characters, or a single one."""
    batch: list[Document] = []
    size = 0
    for document in documents:
        length = len(document.content.text)
        if batch and size + length > characters:
            yield batch
            batch, size = [], 0
        batch.append(document)
        size += length
    if batch:
        yield batch


def _read_chunks(
    store: MemoryStore,
) -> tuple[dict[UUID, Chunk], dict[UUID, Properties]]:
    """Return all chunks, in order of document and position, with their properties."""
    ids = [chunk_id for chunk_id, _ in store.inventory(View.CHUNKS)]
    stored = sorted(
        store.chunks(ids, WHOLE_SCOPE),
        key=lambda item: (item.chunk.document_id, item.chunk.position),
    )
    chunks = {item.chunk.id: item.chunk for item in stored}
    return chunks, {item.chunk.document_id: item.properties for item in stored}


def _write(path: Path, value: dict[str, object]) -> None:
    part = path.with_suffix(".part")
    part.write_text(json.dumps(value), encoding="utf-8")
    os.replace(part, path)


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file; a killed process lets go of it."""
    with path.open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
