"""Routes: every wording in every view, and keywords beside the vectors (A7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from uuid import UUID

from memory.access import Scope
from memory.documents import Hit, Vector, View
from memory.embedding import Embedder
from memory.query.at_once import at_once
from memory.query.base import Candidate, WeightedQuery
from memory.query.fusion import MAX_CHUNKS_PER_HIT, RRF_K, Route, fuse, resolve
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
    max_chunks_per_hit: int = MAX_CHUNKS_PER_HIT

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
        fused = fuse(
            routes, rrf_k=self.rrf_k, max_chunks_per_hit=self.max_chunks_per_hit
        )
        fused = fused[: self.pool]
        signals = _signals(routes, self.max_chunks_per_hit)
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
        pairs = list(zip(queries, vectors, strict=True))
        kinds = self.weights.routes()
        found = at_once(
            [
                partial(self._search, query.text, vector, kind, scope)
                for query, vector in pairs
                for kind in kinds
            ]
        )
        routes = []
        for at, query in enumerate(queries):
            own = found[at * len(kinds) : (at + 1) * len(kinds)]
            routes += self._weighted(query, kinds, own)
        return routes

    def _search(
        self, text: str, vector: Vector, kind: tuple[str, View, float], scope: Scope
    ) -> list[Hit]:
        """Return the hits of one wording on one route."""
        name, view, _ = kind
        limit = self.memory_depth if view is View.MEMORIES else self.depth
        if name.startswith("dense"):
            return self.store.nearest(view, vector, limit, scope)
        return self.store.keyword(view, text, limit, scope)

    def _weighted(
        self,
        query: WeightedQuery,
        kinds: Sequence[tuple[str, View, float]],
        found: Sequence[list[Hit]],
    ) -> list[Route]:
        """Return one wording's routes."""
        by_name = {name: hits for (name, _, _), hits in zip(kinds, found, strict=True)}
        cosines = {hit.id: hit.score for hit in by_name.get("dense_chunks", [])}
        routes = []
        for name, view, weight in kinds:
            hits = by_name[name]
            if view is View.MEMORIES:
                hits = nearest_first(hits, cosines, more_than=self.max_chunks_per_hit)
            routes.append(Route(name, query.weight * weight, hits, query.kind))
        return routes


def nearest_first(
    hits: Sequence[Hit], cosines: Mapping[UUID, float], *, more_than: int
) -> list[Hit]:
    """Return hits, the chunks of those with `more_than` nearest to the query first.

    An abstraction stands for up to twelve chunks, of which the first few count (A4
    recommends this order). `cosines` are those that the chunk route found; a chunk that
    it didn't find is farther than all of them, and such chunks keep their order.
    """
    return [
        replace(
            hit,
            chunk_ids=tuple(
                sorted(hit.chunk_ids, key=lambda id_: -cosines.get(id_, -2.0))
            ),
        )
        if len(hit.chunk_ids) > more_than
        else hit
        for hit in hits
    ]


def _signals(routes: Sequence[Route], cap: int) -> dict[UUID, dict[str, float]]:
    """Return each chunk's best raw score by route name, over the asker's own wordings.

    An expansion is made of the passages that were found, so it's near them whatever was
    asked: it brings candidates in, but says nothing of how well they answer.
    """
    signals: dict[UUID, dict[str, float]] = {}
    for route in routes:
        if route.kind == "expansion":
            continue
        for chunk_id, score in resolve(route.hits, max_chunks_per_hit=cap).items():
            own = signals.setdefault(chunk_id, {})
            own[route.name] = max(score, own.get(route.name, score))
    return signals
