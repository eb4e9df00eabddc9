"""Settings -> a ready store, builder and pipeline: the one place that wires them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

from django.conf import settings

from memory.building import Builder
from memory.embedding import Embedder
from memory.encoders import CachedEmbedder, PackagedMiniLM
from memory.megamem import MegaMem
from memory.query.base import Authority
from memory.stores.base import MemoryStore, StorePlace
from memory.stores.embedded_place import EmbeddedPlace
from memory.systems import Parts, default_chunker, default_extractor, pipeline

Part = TypeVar("Part")


class Runtime:
    """What one process uses. Everything is made at its first use and then kept.

    Safe to share by threads: one lock for all parts, as a part is made of others.
    """

    def __init__(self) -> None:
        """Make nothing yet."""
        self._lock = threading.RLock()
        self._made: dict[str, Any] = {}

    def use_encoder(self, encoder: Embedder) -> None:
        """Take another encoder than the settings'; what was made with it is let go."""
        with self._lock:
            self._made = {"encoder": encoder}

    @property
    def encoder(self) -> Embedder:
        """Return the embedding model without a cache."""
        return self._once("encoder", self._encoder)

    @property
    def embedder(self) -> Embedder:
        """Return the embedding model, document vectors cached under ATTEST_CACHE."""
        return self._once("embedder", self._embedder)

    @property
    def store(self) -> MemoryStore:
        """Return the store that answers. Raises StoreMismatch; see StorePlace."""
        return self._once("store", self.store_place.open)

    @property
    def store_place(self) -> StorePlace:
        """Return where the store is, to build another one beside it."""
        return self._once("store_place", self._store_place)

    @property
    def builder(self) -> Builder:
        """Return what writes documents into the store."""
        return self._once("builder", self._builder)

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

    def _once(self, name: str, make: Callable[[], Part]) -> Part:
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            part: Part = self._made[name]
            return part

    @staticmethod
    def _encoder() -> Embedder:
        return PackagedMiniLM(precision=settings.ATTEST_EMBEDDING_PRECISION)

    def _embedder(self) -> Embedder:
        return CachedEmbedder(self.encoder, settings.ATTEST_CACHE / "vectors")

    def _store_place(self) -> StorePlace:
        return EmbeddedPlace(
            settings.ATTEST_HOME / "store", self.encoder.name, self.encoder.dimensions
        )

    def _builder(self) -> Builder:
        return Builder(
            default_chunker(), default_extractor(), self.embedder, self.store
        )


@lru_cache(maxsize=1)
def runtime() -> Runtime:
    """Return this process's runtime."""
    return Runtime()
