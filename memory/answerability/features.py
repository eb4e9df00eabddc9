"""The raw features of one question and its evidence."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from uuid import UUID

from memory.answerability.statements import statement_features
from memory.embedding import Embedder
from memory.query.base import Candidate, Packed
from memory.query.coverage import candidate_stems, covered, rarity
from memory.query.words import stem, stems, words

_NUMBER = re.compile(r"\d")
_ROUTES = ("dense_chunks", "dense_memories", "keyword_chunks")
#: A chunk that a route didn't find, or found farther down, counts as found there.
_LAST_RANK = 60
_FAR = 5
#: What the shipped model uses; the others added nothing to them (docs/answerability.md).
SHIPPED_FEATURES = frozenset(
    {
        "agreement",
        "dense_chunks_margin",
        "first_ranks",
        "statement_margin",
        "statement_top",
    }
)


def evidence_features(
    text: str,
    ranked: Sequence[Candidate],
    packed: Packed,
    embedder: Embedder | None = None,
) -> dict[str, float]:
    """Return the raw features of one question and its evidence, never a fused score.

    `*_top` are the best cosines in the evidence in [-1, 1]; `*_margin` how far they
    stand above the tenth to thirtieth candidate; `keyword_top` the best BM25 over the
    sum that the question's words could give; `coverage` shares in [0, 1] weighted by
    the words' rarity among the candidates. `statement_margin` is how far the best
    statement stands above what the collection has for any question: the last
    memories that were found. `first_ranks` is 0 where every route has the first card
    first, and falls with the logarithm of its ranks. `verdict` is a model's own word.
    """
    features: dict[str, float] = {}
    for route in ("dense_chunks", "dense_memories"):
        inside = _signal(packed.candidates, route)
        if not inside and not _signal(ranked, route):
            # The route is switched off: the calibration takes its means.
            continue
        beside = _signal(ranked, route)[10:30] or inside[-1:] or [0.0]
        top = inside[0] if inside else 0.0
        features[f"{route}_top"] = top
        features[f"{route}_margin"] = top - sum(beside) / len(beside)
        features[f"{route}_third"] = inside[2] if len(inside) > 2 else 0.0
    features |= _keyword_features(text, packed)
    features |= _coverage_features(text, ranked, packed)
    features["agreement"] = _agreement(ranked)
    features["one_document"] = _concentration(ranked)
    features["first_ranks"] = _first_ranks(ranked, packed)
    if embedder is not None:
        features |= statement_features(text, packed.evidence, embedder)
    far = _signal(ranked, "dense_memories")[-_FAR:]
    if far and "statement_top" in features:
        margin = features["statement_top"] - sum(far) / len(far)
        features["statement_margin"] = margin
    if packed.judgement is not None:
        features["verdict"] = packed.judgement.answered
    return features


def _signal(candidates: Sequence[Candidate], route: str) -> list[float]:
    """Return the candidates' scores of one route, best first."""
    return sorted(
        (item.signals[route] for item in candidates if route in item.signals),
        reverse=True,
    )


def _keyword_features(text: str, packed: Packed) -> dict[str, float]:
    """Return the best BM25 per content word, and the number of content words."""
    scores = _signal(packed.candidates, "keyword_chunks")
    count = len(set(stems(text))) or 1
    return {
        "keyword_top": (scores[0] if scores else 0.0) / count,
        "question_words": math.log(count),
    }


def _coverage_features(
    text: str, ranked: Sequence[Candidate], packed: Packed
) -> dict[str, float]:
    """Return how much of the question the evidence's words cover, by rarity."""
    asked = set(stems(text))
    weights = rarity(asked, ranked)
    chunks = [candidate_stems(item) for item in packed.candidates]
    together = frozenset().union(*chunks)
    exact = {
        stem(word)
        for at, word in enumerate(words(text))
        if _NUMBER.search(word) or (at and word[:1].isupper() and len(word) > 1)
    }
    return {
        "coverage": covered(weights, together),
        "coverage_best_chunk": max(
            (covered(weights, own) for own in chunks), default=0.0
        ),
        "rarest_missing": float(
            bool(asked) and max(asked, key=lambda w: (weights[w], w)) not in together
        ),
        "names_covered": len(exact & together) / len(exact) if exact else 1.0,
    }


def _agreement(ranked: Sequence[Candidate]) -> float:
    """Return how far the routes' first documents are the same, in [0, 1]."""
    firsts = []
    for route in _ROUTES:
        found = [item for item in ranked if route in item.signals]
        found.sort(key=lambda item: -item.signals[route])
        firsts.append({item.document_id for item in found[:10]})
    pairs = [(0, 1), (0, 2), (1, 2)]
    shares = [
        len(firsts[a] & firsts[b]) / max(1, min(len(firsts[a]), len(firsts[b])))
        for a, b in pairs
    ]
    return sum(shares) / len(shares)


def _concentration(ranked: Sequence[Candidate]) -> float:
    """Return the first document's share of the first ten candidates."""
    first = [item.document_id for item in ranked[:10]]
    return Counter(first).most_common(1)[0][1] / len(first) if first else 0.0


def _first_ranks(ranked: Sequence[Candidate], packed: Packed) -> float:
    """Return minus the summed logarithms of the first card's rank in each route."""
    if not packed.candidates:
        return 0.0
    first: UUID = packed.candidates[0].chunk_id
    total = 0.0
    for route in _ROUTES:
        found = [item for item in ranked if route in item.signals]
        if not found:
            continue
        found.sort(key=lambda item: -item.signals[route])
        ids = [item.chunk_id for item in found[:_LAST_RANK]]
        total -= math.log(1 + (ids.index(first) if first in ids else _LAST_RANK))
    return total
