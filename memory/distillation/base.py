"""The extractor's contract: chunks in, typed memories out (A3, A4)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from memory.documents import Chunk, Document, Memory


class Extractor(Protocol):
    """Distils the chunks of one document. It never invents: a chunk entails its memories."""

    @property
    def version(self) -> str:
        """Name extractor, rules or prompt, and model; part of every memory's id."""
        ...

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Memory]:
        """Return the memories of all chunks, without vectors.

        A chunk whose extraction fails has none; it never raises for one chunk.
        Exact repeats (normalised key and value) within the document are one memory
        with the union of their chunks, in document order.
        """
        ...
