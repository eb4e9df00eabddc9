"""Weighing documents as wholes before chunks are packed (ours; the papers have none).

Fusion decides which chunks are looked at; the order in which they are packed comes
from their raw scores. A needed page often has its words spread over several chunks,
so a document counts with its best chunk, a little of its next one, its best memory,
its best keyword hit, and the share of the question's words that its chunks cover
together. The weights were chosen on the handbook's questions (docs/evaluation.md).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.query.base import Candidate
from memory.query.coverage import candidate_stems, covered, rarity
from memory.query.words import stems


@dataclass(frozen=True, slots=True)
class DocumentRanker:
    """Orders chunks by their own score and their document's; both are weighted sums.

    `chunk`, `memory` weigh cosines in [-1, 1], `keyword` BM25 over the pool's best,
    `coverage` a share in [0, 1]. `second` is what a document's next best chunk
    counts. A chunk's order is `own + share * document`.
    """

    chunk: float = 1.0
    second: float = 0.1
    memory: float = 0.3
    keyword: float = 0.1
    coverage: float = 0.3
    share: float = 1.0

    def rank(self, text: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the same candidates, best first; ties keep their order."""
        if not candidates:
            return []
        weights = rarity(stems(text), candidates)
        floors = _floors(candidates)
        own: dict[UUID, float] = {}
        by_document: dict[UUID, list[Candidate]] = defaultdict(list)
        for item in candidates:
            own[item.chunk_id] = self._own(item, floors, weights)
            by_document[item.document_id].append(item)
        whole = {
            document: self._document(chunks, floors, weights)
            for document, chunks in by_document.items()
        }
        return sorted(
            candidates,
            key=lambda item: (
                -(own[item.chunk_id] + self.share * whole[item.document_id])
            ),
        )

    def _own(
        self,
        item: Candidate,
        floors: Mapping[str, tuple[float, float]],
        weights: Mapping[str, float],
    ) -> float:
        """Return a chunk's weighted sum."""
        return (
            self.chunk * _value(item, "dense_chunks", floors)
            + self.memory * _value(item, "dense_memories", floors)
            + self.keyword * _keyword(item, floors)
            + self.coverage * covered(weights, candidate_stems(item))
        )

    def _document(
        self,
        chunks: Sequence[Candidate],
        floors: Mapping[str, tuple[float, float]],
        weights: Mapping[str, float],
    ) -> float:
        """Return a document's weighted sum over its candidates."""
        dense = sorted(
            (_value(c, "dense_chunks", floors) for c in chunks), reverse=True
        )
        following = dense[1] if len(dense) > 1 else floors["dense_chunks"][0]
        together = frozenset().union(*(candidate_stems(item) for item in chunks))
        return (
            self.chunk * (dense[0] + self.second * following)
            + self.memory * max(_value(c, "dense_memories", floors) for c in chunks)
            + self.keyword * max(_keyword(c, floors) for c in chunks)
            + self.coverage * covered(weights, together)
        )


def _floors(candidates: Sequence[Candidate]) -> dict[str, tuple[float, float]]:
    """Return each route's lowest and highest score among the candidates.

    A chunk that a route didn't find is at most as good as the last that it did.
    """
    floors = {}
    for route in ("dense_chunks", "dense_memories", "keyword_chunks"):
        scores = [c.signals[route] for c in candidates if route in c.signals]
        floors[route] = (min(scores, default=0.0), max(scores, default=0.0))
    return floors


def _value(
    item: Candidate, route: str, floors: Mapping[str, tuple[float, float]]
) -> float:
    return item.signals.get(route, floors[route][0])


def _keyword(item: Candidate, floors: Mapping[str, tuple[float, float]]) -> float:
    """Return a chunk's BM25 over the best one's, in [0, 1]."""
    highest = floors["keyword_chunks"][1]
    return item.signals.get("keyword_chunks", 0.0) / highest if highest else 0.0
