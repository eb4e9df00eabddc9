"""Weighted reciprocal rank fusion over source chunks (A7)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.documents import Hit

RRF_K = 60
#: How many chunks of one hit count: an abstraction can stand for twelve (A4).
MAX_CHUNKS_PER_HIT = 5
UNCAPPED = 1_000_000


@dataclass(frozen=True, slots=True)
class Route:
    """One ranked list of hits and its weight.

    `name` says view and way of search, `kind` what wording was searched with.
    """

    name: str
    weight: float
    hits: Sequence[Hit]
    kind: str = "original"


def resolve(
    hits: Iterable[Hit], *, max_chunks_per_hit: int = MAX_CHUNKS_PER_HIT
) -> dict[UUID, float]:
    """Return source chunks with the score of their best hit, best first.

    A hit is replaced by its chunks in order, at most `max_chunks_per_hit` (A4's
    recommendation; the authors' code has no cap); a chunk counts once, at its best
    rank.
    """
    resolved: dict[UUID, float] = {}
    for hit in hits:
        for chunk_id in hit.chunk_ids[:max_chunks_per_hit]:
            resolved.setdefault(chunk_id, hit.score)
    return resolved


def fuse(
    routes: Sequence[Route],
    *,
    rrf_k: int = RRF_K,
    max_chunks_per_hit: int = MAX_CHUNKS_PER_HIT,
) -> list[tuple[UUID, float]]:
    """Return chunks with the sum of weight / (rrf_k + rank) over routes, best first.

    Ranks count from 1 over each route's resolved list; ties go by chunk id.
    """
    scores: dict[UUID, float] = defaultdict(float)
    for route in routes:
        resolved = resolve(route.hits, max_chunks_per_hit=max_chunks_per_hit)
        for rank, chunk_id in enumerate(resolved, start=1):
            scores[chunk_id] += route.weight / (rrf_k + rank)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))
