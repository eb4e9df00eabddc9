"""Routes: every wording in every view, and keywords beside the vectors (A7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from memory.access import Scope
from memory.documents import View
from memory.embedding import Embedder
from memory.query.base import Candidate, WeightedQuery
from memory.query.fusion import RRF_K, Route, fuse, resolve
from memory.stores.base import MemoryStore

#: Hits asked of a route over chunks. The paper uses 20; nine in ten needed pages of the
#: handbook are among the first hundred (docs/evaluation.md).
DEPTH = 100
#: Hits asked of a route over memories, of which several stand for one chunk.
MEMORY_DEPTH = 200
#: Fused candidates that go on. A7's code has 100; ours are weighed, not read by a model.
POOL = 200


@dataclass(frozen=True, slots=True)
class RouteWeights:
    """The weight of each kind of route; 0 switches it off.

    The paper weighs the two views alike and has no keyword route (A7).
    """

    chunks: float = 1.0
    memories: float = 1.0
    keyword_chunks: float = 0.5
    keyword_memories: float = 0.0

    def routes(self) -> list[tuple[str, View, float]]:
        """Return name, view and weight of the routes that are on."""
        all_routes = [
            ("dense_chunks", View.CHUNKS, self.chunks),
            ("dense_memories", View.MEMORIES, self.memories),
            ("keyword_chunks", View.CHUNKS, self.keyword_chunks),
            ("keyword_memories", View.MEMORIES, self.keyword_memories),
        ]
        return [route for route in all_routes if route[2] > 0]


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Fused candidates, best first, and how many hits each route gave.

    `routes` are what was fused, for a second pass.
    """

    candidates: list[Candidate]
    hits: Mapping[str, int]
    routes: Sequence[Route] = ()


@dataclass(frozen=True, slots=True)
class Retriever:
    """Searches both views for every query and fuses what is found."""

    store: MemoryStore
    embedder: Embedder
    weights: RouteWeights = field(default_factory=RouteWeights)
    depth: int = DEPTH
    memory_depth: int = MEMORY_DEPTH
    pool: int = POOL
    rrf_k: int = RRF_K

    def retrieve(
        self,
        queries: Sequence[WeightedQuery],
        scope: Scope,
        before: Sequence[Route] = (),
    ) -> Retrieved:
        """Return at most `pool` candidates with the raw score of every route.

        The routes `before`, found earlier under the same scope, are fused with those
        of `queries` and not searched again. Raises StoreError and EmbeddingError.
        """
        routes = [*before, *self._routes(queries, scope)]
        fused = fuse(routes, rrf_k=self.rrf_k)[: self.pool]
        signals = _signals(routes)
        stored = self.store.chunks([chunk_id for chunk_id, _ in fused], scope)
        by_id = {item.chunk.id: item for item in stored}
        candidates = [
            Candidate(by_id[chunk_id], score, signals.get(chunk_id, {}))
            for chunk_id, score in fused
            if chunk_id in by_id
        ]
        counts: dict[str, int] = {}
        for route in routes:
            counts[route.name] = counts.get(route.name, 0) + len(route.hits)
        return Retrieved(candidates, counts, routes)

    def _routes(self, queries: Sequence[WeightedQuery], scope: Scope) -> list[Route]:
        """Return one route for every query and kind that is on."""
        vectors = self.embedder.embed_queries([query.text for query in queries])
        routes = []
        for query, vector in zip(queries, vectors, strict=True):
            for name, view, weight in self.weights.routes():
                limit = self.memory_depth if view is View.MEMORIES else self.depth
                if name.startswith("dense"):
                    hits = self.store.nearest(view, vector, limit, scope)
                else:
                    hits = self.store.keyword(view, query.text, limit, scope)
                routes.append(Route(name, query.weight * weight, hits, query.kind))
        return routes


def _signals(routes: Sequence[Route]) -> dict[UUID, dict[str, float]]:
    """Return each chunk's best raw score by route name, over the asker's own wordings.

    An expansion is made of the passages that were found, so it's near them whatever was
    asked: it brings candidates in, but says nothing of how well they answer.
    """
    signals: dict[UUID, dict[str, float]] = {}
    for route in routes:
        if route.kind == "expansion":
            continue
        for chunk_id, score in resolve(route.hits).items():
            own = signals.setdefault(chunk_id, {})
            own[route.name] = max(score, own.get(route.name, score))
    return signals
