"""Weighing documents as wholes before chunks are packed (ours; the papers have none).

A needed page often has several chunks a little below one chance hit of another page,
so a document counts with its best chunk and a little of its next ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.query.base import Candidate


@dataclass(frozen=True, slots=True)
class DocumentRanker:
    """Orders chunks by their own score and their document's.

    A document's score is its chunks' fused scores, best first, weighted 1, `decay`,
    `decay`² … over at most `chunks` of them. A chunk's order is
    `own + share * document`.
    """

    decay: float = 0.3
    chunks: int = 4
    share: float = 1.0

    def rank(self, text: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the same candidates, best first; ties keep their order."""
        scores: dict[UUID, list[float]] = defaultdict(list)
        for candidate in candidates:
            scores[candidate.document_id].append(candidate.fused)
        whole = {
            document: sum(
                score * self.decay**place
                for place, score in enumerate(sorted(own, reverse=True)[: self.chunks])
            )
            for document, own in scores.items()
        }
        return sorted(
            candidates,
            key=lambda item: -(item.fused + self.share * whole[item.document_id]),
        )
