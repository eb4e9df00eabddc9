"""An encoder that remembers what it was given, to time it again by itself."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from memory.documents import FloatArray
from memory.embedding import Embedder


@dataclass(slots=True)
class RecordingEmbedder:
    """Passes everything on; keeps documents' texts and the seconds they took."""

    inner: Embedder
    texts: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def name(self) -> str:
        """Return the encoder's name."""
        return self.inner.name

    @property
    def dimensions(self) -> int:
        """Return the encoder's dimensions."""
        return self.inner.dimensions

    def embed_documents(
        self, texts: Sequence[str], *, on_progress: Callable[[int], None] | None = None
    ) -> FloatArray:
        """Return the encoder's vectors."""
        self.texts.extend(texts)
        started = time.perf_counter()
        vectors = self.inner.embed_documents(texts, on_progress=on_progress)
        self.seconds += time.perf_counter() - started
        return vectors

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Return the encoder's vectors."""
        return self.inner.embed_queries(texts)
