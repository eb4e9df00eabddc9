"""Settings -> a ready store, builder and pipeline: the one place that wires them."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from django.conf import settings

from memory.building import Builder
from memory.embedding import Embedder
from memory.encoders import CachedEmbedder, PackagedMiniLM
from memory.megamem import MegaMem
from memory.query.base import Authority
from memory.stores.base import MemoryStore
from memory.stores.embedded import EmbeddedStore
from memory.systems import Parts, default_chunker, default_extractor, pipeline


@dataclass
class Runtime:
    """What one process uses. Everything is made at its first use and then kept."""

    _lock: threading.RLock = field(default_factory=threading.RLock)

    @cached_property
    def encoder(self) -> Embedder:
        """Return the embedding model without a cache."""
        with self._lock:
            return PackagedMiniLM(precision=settings.ATTEST_EMBEDDING_PRECISION)

    @cached_property
    def embedder(self) -> Embedder:
        """Return the embedding model, document vectors cached under ATTEST_CACHE."""
        with self._lock:
            return CachedEmbedder(self.encoder, settings.ATTEST_CACHE / "vectors")

    @cached_property
    def store(self) -> MemoryStore:
        """Return the store under ATTEST_HOME."""
        with self._lock:
            return EmbeddedStore(
                settings.ATTEST_HOME / "store",
                self.encoder.name,
                self.encoder.dimensions,
            )

    @cached_property
    def builder(self) -> Builder:
        """Return what writes documents into the store."""
        with self._lock:
            return Builder(
                default_chunker(), default_extractor(), self.embedder, self.store
            )

    def pipeline(
        self, authority: Authority | None = None, *, name: str = "megamem"
    ) -> MegaMem:
        """Return a named pipeline with the settings' policy; the product's by default.

        `authority` has the last word on access; bots pass SQL's. Raises UnknownSystem.
        """
        parts = Parts(
            self.store,
            self.embedder,
            authority=authority,
            threshold=settings.ATTEST_ANSWER_THRESHOLD,
            off=settings.ATTEST_STAGES_OFF,
        )
        return pipeline(parts, name)


@lru_cache(maxsize=1)
def runtime() -> Runtime:
    """Return this process's runtime."""
    return Runtime()
