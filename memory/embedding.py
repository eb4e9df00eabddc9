"""Text to unit vectors: the contract, and what of an object is embedded."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import Protocol

from memory.documents import Chunk, FloatArray, Memory


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


def embedded_text(item: Chunk | Memory) -> str:
    """Return what is embedded of a chunk or memory.

    A chunk: title and headings, then its table header and text (the paper embeds the
    content alone, A2; short chunks lack context without). A memory: key, newline,
    value (A3).
    """
    if isinstance(item, Memory):
        return f"{item.key}\n{item.value}"
    lead = " / ".join(dict.fromkeys(part for part in (item.title, *item.path) if part))
    return "\n".join(part for part in (lead, item.header, item.text) if part)


def text_hash(text: str) -> str:
    """Return the name of an embedded text: 32 hex digits."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]
