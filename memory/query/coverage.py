"""How much of a question's words a text covers, rare words weighing more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import lru_cache

from memory.query.base import Candidate
from memory.query.words import content_words, stem


def rarity(asked: Collection[str], candidates: Sequence[Candidate]) -> dict[str, float]:
    """Return each asked stem's weight: the fewer candidates hold it, the more.

    The candidates stand for the collection, whose counts no store gives cheaply.
    """
    spread: Counter[str] = Counter()
    wanted = set(asked)
    for candidate in candidates:
        spread.update(wanted & candidate_stems(candidate))
    size = len(candidates) + 1
    return {word: math.log(size / (spread[word] + 0.5)) for word in wanted}


def covered(weights: Mapping[str, float], words: Collection[str]) -> float:
    """Return the share of the weights whose word is among `words`, in [0, 1]."""
    total = sum(weights.values())
    return sum(weights[word] for word in weights if word in words) / (total or 1.0)


def candidate_stems(candidate: Candidate) -> frozenset[str]:
    """Return the stems of a chunk's title, headings and text."""
    chunk = candidate.stored.chunk
    return _stems(" ".join([chunk.title, *chunk.path, chunk.text]))


@lru_cache(maxsize=8_192)
def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in content_words(text))
