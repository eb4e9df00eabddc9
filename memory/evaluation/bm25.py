"""BM25 over raw chunks, in memory and deterministic (A14)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

K1 = 1.5
B = 0.75
_WORDS = re.compile(r"\w+")


def terms(text: str) -> list[str]:
    """Return the Unicode word runs of a text, case-folded."""
    return _WORDS.findall(text.casefold())


class BM25:
    """An index of texts; scores a question against all of them at once."""

    def __init__(self, texts: Sequence[str]) -> None:
        """Count the terms of every text."""
        counts = [Counter(terms(text)) for text in texts]
        lengths = np.array([count.total() for count in counts], dtype=np.float64)
        average = lengths.mean() if lengths.any() else 1.0
        self._size = len(texts)
        self._norms = K1 * (1 - B + B * lengths / average)
        postings: dict[str, list[tuple[int, int]]] = {}
        for row, count in enumerate(counts):
            for term, frequency in count.items():
                postings.setdefault(term, []).append((row, frequency))
        self._postings = {
            term: np.array(pairs, dtype=np.int64) for term, pairs in postings.items()
        }

    def scores(self, query: str) -> NDArray[np.float64]:
        """Return the score of each text, shape (n,), 0 where no term is shared.

        Each term of the query counts once; idf = ln(1 + (N - df + .5) / (df + .5)).
        """
        scores = np.zeros(self._size)
        for term in dict.fromkeys(terms(query)):
            if term not in self._postings:
                continue
            rows, frequency = self._postings[term].T
            idf = np.log(1 + (self._size - len(rows) + 0.5) / (len(rows) + 0.5))
            scores[rows] += idf * frequency * (K1 + 1) / (frequency + self._norms[rows])
        return scores
