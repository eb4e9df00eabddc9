"""The store's contract. Every implementation passes tests/contracts/store.py."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from memory.access import Scope
from memory.documents import (
    Chunk,
    Hit,
    Memory,
    Properties,
    StoredChunk,
    Vector,
    View,
)


@dataclass(frozen=True, slots=True)
class EmbeddedHashes:
    """A document's stored objects: id -> `memory.embedding.text_hash` of what was embedded."""

    chunks: Mapping[UUID, str]
    memories: Mapping[UUID, str]


@dataclass(frozen=True, slots=True)
class Replacement:
    """All that a document shall consist of in the store."""

    properties: Properties
    chunks: Sequence[Chunk]
    memories: Sequence[Memory]


class MemoryStore(Protocol):
    """Holds chunks and memories with their vectors, and reads them under a scope.

    Every read of text or vectors takes a scope, which is part of the query: a limit
    counts objects that the scope admits. Results never hold an object that it
    doesn't. Raises StoreError when the store refuses or can't be reached.
    """

    def replace_document(
        self,
        properties: Properties,
        chunks: Sequence[Chunk],
        memories: Sequence[Memory],
    ) -> None:
        """Make these the document's only chunks and memories, vectors included.

        The old ones answer until the new ones are in. An object whose id is stored
        already and whose vector is None keeps its stored vector; a new object without
        a vector is refused. Raises StoreError on any refused object.
        """
        ...

    def replace_documents(self, replacements: Sequence[Replacement]) -> None:
        """Do `replace_document` for many documents in few commits.

        Each document is replaced whole or not at all; on StoreError some may be.
        """
        ...

    def delete_document(self, document_id: UUID) -> None:
        """Remove all of a document; absent is fine."""
        ...

    def delete_documents(self, document_ids: Iterable[UUID]) -> None:
        """Do `delete_document` for many documents in few commits."""
        ...

    def set_properties(self, properties: Properties) -> None:
        """Rewrite access, status, title, dates of a document; no vectors."""
        ...

    def set_many_properties(self, properties: Sequence[Properties]) -> None:
        """Do `set_properties` for many documents in few commits.

        Each document has its new properties whole or not at all; on StoreError some
        may. The last ones count where a document comes twice.
        """
        ...

    def nearest(
        self, view: View, vector: Vector, limit: int, scope: Scope
    ) -> list[Hit]:
        """Return at most `limit` hits by cosine similarity in [-1, 1], best first."""
        ...

    def keyword(self, view: View, text: str, limit: int, scope: Scope) -> list[Hit]:
        """Return at most `limit` hits by BM25 (> 0), best first.

        `text` is data: no character in it is query syntax.
        """
        ...

    def chunks(self, ids: Sequence[UUID], scope: Scope) -> list[StoredChunk]:
        """Return the chunks of these ids that the scope admits, in the given order."""
        ...

    def count_documents(self, scope: Scope) -> int:
        """Return how many documents with a chunk the scope admits."""
        ...

    def embedded_hashes(self, document_id: UUID) -> EmbeddedHashes:
        """Return which objects of a document are stored; no text or vectors."""
        ...

    def inventory(self, view: View) -> Iterator[tuple[UUID, Properties]]:
        """Yield every object's id and properties, for `verify`; no text or vectors."""
        ...

    def optimize(self) -> None:
        """Fold recent writes into the indexes and drop old versions."""
        ...

    def close(self) -> None:
        """Release files and connections."""
        ...


class StorePlace(Protocol):
    """Where a store lives: opens the one that answers and builds another beside it.

    A rebuild is `fresh`, writes to what it returns, and `swap`; readers of every
    process get either the old or the new one, whole. One rebuild at a time: the
    caller sees to it, and to what other writers do to the old store meanwhile.
    """

    def open(self) -> MemoryStore:
        """Return the store that answers, made where there's none.

        Raises StoreMismatch when it was built for another embedding model or schema.
        """
        ...

    def fresh(self) -> MemoryStore:
        """Return an empty store of the configured model, beside the one that answers.

        Never raises StoreMismatch. What an earlier rebuild left unfinished is removed.
        """
        ...

    def swap(self, fresh: MemoryStore) -> None:
        """Let `fresh` answer from now on, and remove the old one.

        An open store follows by itself within a second when both were built for the
        same embedding model; otherwise its next call raises StoreMismatch.
        """
        ...

    def discard(self, fresh: MemoryStore) -> None:
        """Remove a fresh store that shall not answer."""
        ...
