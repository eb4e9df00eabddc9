"""A logistic model with what it was fitted on, as JSON and back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

from memory.answerability.policy import Operation, Point, Policy


@dataclass(frozen=True, slots=True)
class Counts:
    """Of how many questions the evidence held the answer, missed it, or couldn't have.

    `missed` are answerable from the documents, but not from what was packed.
    """

    held: int
    missed: int
    unanswerable: int

    @property
    def unanswerable_share(self) -> float:
        """Return the share of questions that the documents don't answer, in [0, 1]."""
        total = self.held + self.missed + self.unanswerable
        return self.unanswerable / total if total else 0.0

    def shift(self, share: float) -> float:
        """Return what to add to log odds where `share` in (0, 1) is unanswerable.

        Both kinds of question are weighed to the new share; those that the evidence
        holds are all of the answerable kind, the others partly.
        """
        own = self.unanswerable_share
        if not self.held or not 0 < own < 1:
            return 0.0
        share = min(max(share, 0.01), 0.99)
        answerable, unanswerable = (1 - share) / (1 - own), share / own
        without = answerable * self.missed + unanswerable * self.unanswerable
        return math.log(answerable * (self.missed + self.unanswerable) / without)


@dataclass(frozen=True, slots=True)
class Calibration:
    """A logistic model: standardised features, weights, intercept, and what it's for.

    `threshold` is for a policy that names none, on the probability without a shift.
    `counts` and `curve` are None and () where they weren't recorded.
    """

    fingerprint: str
    features: Mapping[str, tuple[float, float, float]]  # mean, deviation, weight
    intercept: float
    threshold: float
    provenance: str = ""
    #: Other fingerprints whose scores were measured to be the same.
    also_for: tuple[str, ...] = ()
    counts: Counts | None = None
    #: From cross-validation, thresholds ascending (memory.answerability.policy).
    curve: tuple[Point, ...] = ()

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Calibration:
        """Read what `to_json` wrote. Raises KeyError and TypeError for anything else."""
        counts = data.get("counts")
        return cls(
            fingerprint=data["fingerprint"],
            features={name: tuple(own) for name, own in data["features"].items()},
            intercept=data["intercept"],
            threshold=data["threshold"],
            provenance=data.get("provenance", ""),
            also_for=tuple(data.get("also_for", ())),
            counts=Counts(**counts) if counts else None,
            curve=tuple(Point(*point) for point in data.get("curve", ())),
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
            "counts": asdict(self.counts) if self.counts else None,
            "curve": [list(astuple(point)) for point in self.curve],
        }

    def fits(self, running: str) -> bool:
        """Tell whether it was fitted for what runs."""
        return running in (self.fingerprint, *self.also_for)

    def shift(self, share: float | None) -> float:
        """Return the shift of log odds to a share of unanswerable questions.

        0 where `share` is None (the fitted data's own) or the counts aren't known.
        """
        if share is None or self.counts is None:
            return 0.0
        return self.counts.shift(share)

    def operation(self, policy: Policy) -> Operation | None:
        """Return where a policy works; None without a curve.

        Examples without known unanswerable questions are taken as they came: the
        policy's share is in them already.
        """
        mixed = self.counts is None or not self.counts.unanswerable
        share = 0.0 if mixed else policy.unanswerable_share
        return replace(policy, unanswerable_share=share).operation(self.curve)

    def probability(
        self, features: Mapping[str, float], *, shift: float = 0.0
    ) -> float:
        """Return the logistic model's probability, in (0, 1)."""
        odds = self.intercept + shift
        for name, (mean, deviation, weight) in self.features.items():
            odds += weight * (features.get(name, mean) - mean) / (deviation or 1.0)
        return logistic(odds)


def logistic(odds: float) -> float:
    """Return the probability of log odds, within (0, 1)."""
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def shifted(probability: float, shift: float) -> float:
    """Return a probability in [0, 1] with `shift` added to its log odds."""
    if not shift or not 0 < probability < 1:
        return probability
    return logistic(math.log(probability / (1 - probability)) + shift)


@lru_cache(maxsize=1)
def shipped_calibrations() -> tuple[Calibration, Calibration]:
    """Return the gate's and the confidence's coefficients that come with the package.

    They were fitted by `./manage.py fit_answerability`; see docs/answerability.md.
    """
    text = files("memory.answerability").joinpath("shipped.json").read_text("utf-8")
    data = json.loads(text)
    return (
        Calibration.from_json(data["answerability"]),
        Calibration.from_json(data["confidence"]),
    )


def fingerprint(*parts: str) -> str:
    """Return the name of what a calibration belongs to."""
    return " + ".join(part for part in parts if part)
