"""Settings -> a ready store, builder and pipeline: the one place that wires them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

import structlog
from django.conf import settings
from django.utils.module_loading import import_string

from memory.building import Builder
from memory.distillation.base import Extractor
from memory.embedding import Embedder
from memory.encoders import (
    CachedEmbedder,
    PackagedMiniLM,
    SentenceTransformerEmbedder,
)
from memory.errors import AttestError
from memory.language_models.base import QUESTION_ROLES
from memory.megamem import MegaMem
from memory.query.base import Authority, Reranker
from memory.query.cross_encoder import CrossEncoderReranker
from memory.query.reranking import LocalReranker
from memory.stores.base import MemoryStore, StorePlace
from memory.stores.embedded_place import EmbeddedPlace
from memory.systems import Models, Parts, default_chunker, extractor, pipeline

if TYPE_CHECKING:
    from memory.language_models.configured import ConfiguredModels

log = structlog.get_logger(__name__)

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

    def use_models(self, models: Models | None) -> None:
        """Take other language models than the settings'; None: work without any."""
        with self._lock:
            for name in ("builder", "extractor"):
                self._made.pop(name, None)
            self._made |= {"models": models, "question_models": models}

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
    def models(self) -> Models | None:
        """Return the language models by role, None where none is configured."""
        return self._once("models", self._models)

    @property
    def question_models(self) -> Models | None:
        """Return the models of questions, None where one of their roles has none."""
        return self._once("question_models", self._question_models)

    @property
    def endpoint(self) -> ConfiguredModels:
        """Return the one connection to ATTEST_OPENAI_…, for all models behind it."""
        return self._once("endpoint", self._endpoint)

    @property
    def reranker(self) -> Reranker | None:
        """Return what ATTEST_RERANKER names, None where it's off."""
        return self._once("reranker", self._reranker)

    @property
    def extractor(self) -> Extractor:
        """Return what ATTEST_EXTRACTOR names. Raises UnknownStage without a model."""
        return self._once("extractor", self._extractor)

    @property
    def builder(self) -> Builder:
        """Return what writes documents into the store."""
        return self._once("builder", self._builder)

    def pipeline(
        self, authority: Authority | None = None, *, name: str = "megamem"
    ) -> MegaMem:
        """Return a named pipeline with the stored policy; the product's by default.

        `authority` has the last word on access; bots pass SQL's. A calibration of this
        workspace counts where it was fitted with what runs. Models on this machine are
        loaded first, as no question's time is meant for that. Raises UnknownSystem.
        """
        # Here, as it needs Django's apps to be ready.
        from memory.models import AnswerPolicy, Calibration

        self._once("warm", self._warm)
        parts = replace(
            self.parts(self.store, authority),
            policy=AnswerPolicy.current(),
            calibration=Calibration.newest,
        )
        return pipeline(parts, name)

    def parts(self, store: MemoryStore, authority: Authority | None = None) -> Parts:
        """Return what pipelines over a store are made of, as the settings have it."""
        return Parts(
            store,
            self.embedder,
            authority=authority,
            threshold=settings.ATTEST_ANSWER_THRESHOLD,
            off=settings.ATTEST_STAGES_OFF,
            on=settings.ATTEST_STAGES_ON,
            models=self.question_models,
            stays=sources_that_stay,
            reranker=self.reranker,
        )

    def _warm(self) -> bool:
        """Load encoder and reranker; one that can't be is told by each question."""
        try:
            if not settings.ATTEST_EMBEDDING_MODEL.startswith("openai:"):
                self.embedder.embed_queries(["warm"])
            if isinstance(self.reranker, CrossEncoderReranker):
                self.reranker.load()
        except AttestError as error:
            log.error("model_not_loaded", reason=str(error))
        return True

    def _once(self, name: str, make: Callable[[], Part]) -> Part:
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            part: Part = self._made[name]
            return part

    def _encoder(self) -> Embedder:
        kind, _, name = settings.ATTEST_EMBEDDING_MODEL.partition(":")
        if kind == "openai":
            return self.endpoint.embedder(name, settings.ATTEST_EMBEDDING_DIMENSIONS)
        if kind == "sentence-transformers":
            # A folder is read; only a name is looked for at the hub.
            return SentenceTransformerEmbedder(name, download=not Path(name).is_dir())
        return PackagedMiniLM(precision=settings.ATTEST_EMBEDDING_PRECISION)

    def _embedder(self) -> Embedder:
        return CachedEmbedder(self.encoder, settings.ATTEST_CACHE / "vectors")

    def _store_place(self) -> StorePlace:
        name, dimensions = self.encoder.name, self.encoder.dimensions
        if not settings.ATTEST_WEAVIATE_URL:
            return EmbeddedPlace(settings.ATTEST_HOME / "store", name, dimensions)
        from memory.stores.weaviate_connection import WeaviateAddress
        from memory.stores.weaviate_place import WeaviatePlace
        from memory.stores.weaviate_schema import Wanted

        address = WeaviateAddress(
            settings.ATTEST_WEAVIATE_URL,
            settings.ATTEST_WEAVIATE_GRPC_URL,
            settings.ATTEST_WEAVIATE_API_KEY,
        )
        wanted = Wanted(
            name,
            dimensions,
            settings.ATTEST_WEAVIATE_TOKENIZATION,
            settings.ATTEST_WEAVIATE_REPLICAS,
        )
        return WeaviatePlace(address, wanted, prefix=settings.ATTEST_WEAVIATE_PREFIX)

    @staticmethod
    def _endpoint() -> ConfiguredModels:
        # Here, as it loads the vendor's client, which most processes don't need.
        from memory.language_models.configured import ConfiguredModels, ModelSettings
        from memory.language_models.openai_model import limits

        return ConfiguredModels(
            ModelSettings(
                endpoint=settings.ATTEST_OPENAI,
                models=settings.ATTEST_MODELS,
                limits_s=limits(
                    build_s=settings.ATTEST_MODEL_BUILD_TIMEOUT,
                    question_s=settings.ATTEST_MODEL_QUESTION_TIMEOUT,
                ),
                effort=settings.ATTEST_MODEL_REASONING_EFFORT,
                prices_file=settings.ATTEST_PRICES_FILE,
                cache=settings.ATTEST_CACHE / "models",
            )
        )

    def _models(self) -> Models | None:
        return self.endpoint if any(settings.ATTEST_MODELS.values()) else None

    def _question_models(self) -> Models | None:
        named = all(settings.ATTEST_MODELS.get(role) for role in QUESTION_ROLES)
        return self.models if named else None

    def _reranker(self) -> Reranker | None:
        name = settings.ATTEST_RERANKER
        if name == "off":
            return None
        if name == "local":
            return LocalReranker(self.embedder)
        # A folder is read; only a name is looked for at the hub.
        return CrossEncoderReranker(name, download=not Path(name).is_dir())

    def _extractor(self) -> Extractor:
        return extractor(settings.ATTEST_EXTRACTOR, self.models, sources_that_stay)

    def _builder(self) -> Builder:
        return Builder(default_chunker(), self.extractor, self.embedder, self.store)


def sources_that_stay() -> frozenset[UUID]:
    """Return the sources whose documents no model elsewhere may read.

    None where the configured models run on this machine. The settings name the
    function, as sources are no business of this package's.
    """
    if settings.ATTEST_OPENAI.is_loopback:
        return frozenset()
    found: frozenset[UUID] = import_string(settings.SOURCES_THAT_STAY)()
    return found


_making = threading.Lock()


def runtime() -> Runtime:
    """Return this process's runtime: one, whichever thread asks for it first."""
    # A cache alone may call what it caches twice at once.
    with _making:
        return made_runtime()


@lru_cache(maxsize=1)
def made_runtime() -> Runtime:
    """Return the runtime; for `runtime`, and for tests that want another one."""
    return Runtime()
