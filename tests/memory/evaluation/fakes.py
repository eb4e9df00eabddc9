"""A store in memory, an embedder by hash and makers of small values, for these tests."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import UUID

import numpy as np

from memory.access import Scope
from memory.documents import (
    Block,
    BlockKind,
    Chunk,
    Content,
    Document,
    Evidence,
    Hit,
    Properties,
    Section,
    StoredChunk,
    View,
)
from memory.embedding import embedded_text, text_hash
from memory.evaluation.datasets import source_id
from memory.stores.base import EmbeddedHashes, Replacement

SOURCE = source_id("test")


def make_document(path: str, text: str, *, title: str = "") -> Document:
    content = Content(
        text=text,
        sections=(Section((), 0, 0, len(text)),),
        blocks=(Block(BlockKind.PARAGRAPH, 0, len(text)),),
    )
    return Document(SOURCE, path, title or path, content)


def make_chunk(document_id: UUID, number: int, text: str, **more) -> Chunk:
    fields = {
        "id": UUID(int=document_id.int + number + 1),
        "document_id": document_id,
        "text": text,
        "path": (),
        "position": number,
        "start": 0,
        "end": len(text),
        "tokens": len(text.split()),
    }
    return Chunk(**(fields | more))


def evidence_of(chunk: Chunk, *, heading: str = "") -> Evidence:
    text = f"{chunk.header}\n{chunk.text}" if chunk.header else chunk.text
    return Evidence(chunk.id, chunk.document_id, heading, text, chunk.tokens)


class HashEmbedder:
    """Unit vectors seeded by each word's hash: texts that share words are near."""

    name = "hash-32"
    dimensions = 32

    def __init__(self):
        self.embedded = 0

    def embed_documents(self, texts: Sequence[str], *, on_progress=None):
        self.embedded += len(texts)
        if on_progress:
            on_progress(len(texts))
        return self.embed_queries(texts)

    def embed_queries(self, texts: Sequence[str]):
        rows = [self._vector(text) for text in texts]
        return np.stack(rows) if rows else np.zeros((0, 32), np.float32)

    def _vector(self, text: str):
        total = np.full(self.dimensions, 1e-6)
        for word in text.casefold().split():
            seed = int.from_bytes(
                hashlib.sha256(word.strip(".,?").encode()).digest()[:8]
            )
            total += np.random.default_rng(seed).normal(size=self.dimensions)
        return (total / np.linalg.norm(total)).astype(np.float32)


class ListStore:
    """The store's contract in lists, one for each folder so that a build is kept."""

    opened: dict[Path, ListStore] = {}

    def __init__(self):
        self.documents: dict[UUID, Replacement] = {}
        self.optimized = 0

    @classmethod
    def open(cls, folder: Path) -> ListStore:
        return cls.opened.setdefault(folder, cls())

    def replace_documents(self, replacements: Sequence[Replacement]) -> None:
        for item in replacements:
            self.documents[item.properties.document_id] = item

    def embedded_hashes(self, document_id: UUID) -> EmbeddedHashes:
        item = self.documents.get(document_id)
        if item is None:
            return EmbeddedHashes({}, {})
        return EmbeddedHashes(
            {one.id: text_hash(embedded_text(one)) for one in item.chunks},
            {one.id: text_hash(embedded_text(one)) for one in item.memories},
        )

    def nearest(self, view: View, vector, limit: int, scope: Scope) -> list[Hit]:
        found = [
            Hit(item.id, item.document_id, (item.id,), float(item.vector @ vector))
            for properties, item in self._items(view)
            if properties.document_id not in scope.without_documents
        ]
        return sorted(found, key=lambda hit: -hit.score)[:limit]

    def chunks(self, ids: Sequence[UUID], scope: Scope) -> list[StoredChunk]:
        by_id = {
            item.id: StoredChunk(item, properties)
            for properties, item in self._items(View.CHUNKS)
        }
        return [by_id[one] for one in ids if one in by_id]

    def inventory(self, view: View) -> Iterator[tuple[UUID, Properties]]:
        for properties, item in self._items(view):
            yield item.id, properties

    def optimize(self) -> None:
        self.optimized += 1

    def close(self) -> None:
        pass

    def _items(self, view: View):
        for document in self.documents.values():
            own = document.chunks if view is View.CHUNKS else document.memories
            for item in own:
                yield document.properties, item
