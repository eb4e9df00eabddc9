"""Words that carry a question, and how rare each is in the evidence."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from memory.query.words import STOP_WORDS, stem

_WORD = re.compile(r"[^\W_]+")


def terms(text: str) -> list[str]:
    """Return the stemmed content words and numbers of `text`, in order."""
    words = (match.group().casefold() for match in _WORD.finditer(text))
    return [stem(word) for word in words if word not in STOP_WORDS]


def rarity(texts: Iterable[frozenset[str]]) -> dict[str, float]:
    """Return each term's idf, ln(1 + (n - df + 0.5) / (df + 0.5)), over term sets."""
    counts: Counter[str] = Counter()
    n = 0
    for found in texts:
        counts.update(found)
        n += 1
    return {t: math.log(1 + (n - df + 0.5) / (df + 0.5)) for t, df in counts.items()}


def overlap(
    wanted: Mapping[str, float], found: frozenset[str], context: frozenset[str]
) -> float:
    """Return the share, in [0, 1], of the wanted weight that a unit holds.

    A term that stands only in the unit's context (headings, lead-in) counts half.
    """
    total = sum(wanted.values())
    if not total:
        return 0.0
    own = sum(weight for term, weight in wanted.items() if term in found)
    near = sum(w for term, w in wanted.items() if term in context and term not in found)
    return (own + near / 2) / total
