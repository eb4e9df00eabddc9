"""Expansion without a model: terms of the first pass (pseudo-relevance feedback)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from memory.query.base import Candidate, WeightedQuery
from memory.query.words import content_words, stem

#: The paper's weight of an expansion (A7).
EXPANSION_WEIGHT = 0.5


@dataclass(frozen=True, slots=True)
class PseudoRelevance:
    """Adds the words that set the best candidates apart from the rest of the pool."""

    feedback_chunks: int = 5
    terms: int = 8
    weight: float = EXPANSION_WEIGHT

    def expansions(
        self, text: str, evidence: Sequence[Candidate]
    ) -> list[WeightedQuery]:
        """Return one query: the question and its feedback terms; none without terms."""
        top = evidence[: self.feedback_chunks]
        asked = {stem(word) for word in content_words(text)}
        written: dict[str, str] = {}
        inside: Counter[str] = Counter()
        for candidate in top:
            for word in content_words(_text(candidate)):
                if len(word) > 2 and not word.isdigit():
                    written.setdefault(stem(word), word)
                    inside[stem(word)] += 1
        spread = _document_frequency(evidence)
        scores = {
            term: math.log1p(count) * math.log((len(evidence) + 1) / spread[term])
            for term, count in inside.items()
            if term not in asked
        }
        best = sorted(scores, key=lambda term: (-scores[term], term))[: self.terms]
        if not best:
            return []
        added = " ".join(written[term] for term in best)
        return [WeightedQuery(f"{text} {added}", self.weight, "expansion")]


def _document_frequency(candidates: Sequence[Candidate]) -> Counter[str]:
    """Return in how many candidates each stem stands."""
    spread: Counter[str] = Counter()
    for candidate in candidates:
        spread.update({stem(word) for word in content_words(_text(candidate))})
    return spread


def _text(candidate: Candidate) -> str:
    chunk = candidate.stored.chunk
    return " ".join([chunk.title, *chunk.path[-1:], chunk.text])
