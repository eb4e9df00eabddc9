"""Text to unit vectors: the contract, and what of an object is embedded."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from memory.documents import Chunk, FloatArray, Memory
from memory.errors import EmbeddingError

#: How far a unit vector's length may be from 1; bf16 models stay within 0.001.
_LENGTH_TOLERANCE = 0.01


class Embedder(Protocol):
    """Turns texts into unit vectors. Documents and queries may be prefixed apart."""

    @property
    def name(self) -> str:
        """Name model and precision; another name is another embedding model."""
        ...

    @property
    def dimensions(self) -> int:
        """Return d."""
        ...

    def embed_documents(
        self, texts: Sequence[str], *, on_progress: Callable[[int], None] | None = None
    ) -> FloatArray:
        """Return unit vectors of shape (n, d) in the given order.

        `on_progress` is called with the number of texts done since the last call.
        Raises EmbeddingError for a wrong count or size or a non-finite value.
        """
        ...

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Return unit vectors of shape (n, d)."""
        ...


@runtime_checkable
class Keeper(Protocol):
    """An embedder that keeps vectors and can tell which it has."""

    def kept(self, texts: Sequence[str]) -> dict[str, FloatArray]:
        """Return the kept vectors, shape (d,), by text; nothing is encoded."""
        ...


def kept_vectors(embedder: Embedder, texts: Sequence[str]) -> dict[str, FloatArray]:
    """Return the vectors that `embedder` has of `texts` without encoding, by text."""
    return embedder.kept(texts) if isinstance(embedder, Keeper) else {}


def embedded_text(item: Chunk | Memory) -> str:
    """Return what is embedded of a chunk or memory.

    A chunk: title and headings, then its table header and text (the paper embeds the
    content alone, A2; short chunks lack context without). A memory: key, newline,
    value (A3).
    """
    if isinstance(item, Memory):
        return memory_text(item.key, item.value)
    lead = " / ".join(dict.fromkeys(part for part in (item.title, *item.path) if part))
    return "\n".join(part for part in (lead, item.header, item.text) if part)


def memory_text(key: str, value: str) -> str:
    """Return what is embedded of a memory's key and value (A3)."""
    return f"{key}\n{value}"


def text_hash(text: str) -> str:
    """Return the name of an embedded text: 32 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def checked_vectors(vectors: FloatArray, *, count: int, dimensions: int) -> FloatArray:
    """Return `vectors` when it's `count` finite unit vectors of `dimensions`.

    Raises EmbeddingError naming what is wrong (A5).
    """
    if vectors.shape != (count, dimensions):
        raise EmbeddingError(
            f"The embedding model returned {vectors.shape} for "
            f"{count} texts of {dimensions} dimensions."
        )
    if not np.isfinite(vectors).all():
        raise EmbeddingError("The embedding model returned a value that isn't finite.")
    lengths = np.linalg.norm(vectors, axis=1)
    if np.abs(lengths - 1).max(initial=0) > _LENGTH_TOLERANCE:
        raise EmbeddingError(
            "The embedding model returned a vector of another length than 1."
        )
    return vectors
