"""The gate: does the packed evidence hold the answer? (ours; the papers leave it open)

A logistic model over raw signals only: cosines, BM25, how far the best stands out, how
much of the question's words the evidence covers, whether the routes agree. Never a
fused score, which is high for anything (C47, C48). The coefficients belong to one
embedder, reranker and mode, named by the fingerprint; with another one the gate is
uncalibrated, cautious, and says so.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from memory.query.base import Candidate, Packed
from memory.query.coverage import candidate_stems, covered, rarity
from memory.query.words import stem, stems, words

#: How much lower an uncalibrated gate's log odds are.
CAUTION = 0.7
_NUMBER = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic model: standardised features, weights, intercept, and what it's for."""

    fingerprint: str
    features: Mapping[str, tuple[float, float, float]]  # mean, deviation, weight
    intercept: float
    threshold: float
    provenance: str = ""
    #: Other fingerprints whose scores were measured to be the same.
    also_for: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Calibration:
        """Read what `to_json` wrote."""
        return cls(
            fingerprint=data["fingerprint"],
            features={name: tuple(own) for name, own in data["features"].items()},
            intercept=data["intercept"],
            threshold=data["threshold"],
            provenance=data.get("provenance", ""),
            also_for=tuple(data.get("also_for", ())),
        )

    def to_json(self) -> dict[str, Any]:
        """Return JSON values."""
        return {
            "fingerprint": self.fingerprint,
            "features": {name: list(own) for name, own in self.features.items()},
            "intercept": self.intercept,
            "threshold": self.threshold,
            "provenance": self.provenance,
            "also_for": list(self.also_for),
        }

    def probability(
        self, features: Mapping[str, float], *, shift: float = 0.0
    ) -> float:
        """Return the logistic model's probability, in (0, 1)."""
        odds = self.intercept + shift
        for name, (mean, deviation, weight) in self.features.items():
            odds += weight * (features.get(name, mean) - mean) / (deviation or 1.0)
        return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


@lru_cache(maxsize=1)
def shipped_calibrations() -> tuple[Calibration, Calibration]:
    """Return the gate's and the confidence's coefficients that come with the package.

    They were fitted by `./manage.py fit_answerability`; see docs/evaluation.md.
    """
    text = files("memory").joinpath("answerability.json").read_text("utf-8")
    data = json.loads(text)
    return (
        Calibration.from_json(data["answerability"]),
        Calibration.from_json(data["confidence"]),
    )


@dataclass(frozen=True, slots=True)
class LogisticGate:
    """Judges evidence by a calibration, which may have been made for something else."""

    calibration: Calibration
    #: What runs now: embedder, reranker, mode.
    running: str

    @property
    def is_calibrated(self) -> bool:
        """Tell whether the coefficients were fitted for what runs now."""
        fitting = (self.calibration.fingerprint, *self.calibration.also_for)
        return self.running in fitting

    @property
    def fingerprint(self) -> str:
        """Name what runs, and say when the calibration is for something else."""
        return self.running if self.is_calibrated else f"uncalibrated: {self.running}"

    def answerability(
        self, text: str, ranked: Sequence[Candidate], packed: Packed
    ) -> tuple[float, Mapping[str, float]]:
        """Return the probability in (0, 1), 0 without evidence, and the features."""
        if not packed.candidates:
            return 0.0, {}
        features = evidence_features(text, ranked, packed)
        shift = 0.0 if self.is_calibrated else -CAUTION
        return self.calibration.probability(features, shift=shift), features


def fingerprint(*parts: str) -> str:
    """Return the name of what a calibration belongs to."""
    return " + ".join(part for part in parts if part)


def evidence_features(
    text: str, ranked: Sequence[Candidate], packed: Packed
) -> dict[str, float]:
    """Return the raw features of one question and its evidence.

    `*_top` are the best cosines in the evidence in [-1, 1]; `*_margin` how far they
    stand above the tenth to thirtieth candidate; `keyword_top` the best BM25 over the
    sum that the question's words could give; `coverage` shares in [0, 1] weighted by
    the words' rarity among the candidates.
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
    """Return how far the routes' first five documents are the same, in [0, 1]."""
    firsts = []
    for route in ("dense_chunks", "dense_memories", "keyword_chunks"):
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
