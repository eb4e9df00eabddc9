"""Fits the coefficients of the gate and of confidence on judged questions (ours).

A question and its withheld twin are one group, and a group is never in both halves of
a fold, so the cross-validated figures say what the model does on questions it hasn't
seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import GroupKFold

from memory.answerability import Calibration
from memory.errors import AttestError

FOLDS = 10
#: Strong, as there are few questions: weights stay near each other (scikit-learn's C).
REGULARISATION = 0.03
#: A model fitted on fewer of either kind would say nothing.
FEWEST = 20

Floats = NDArray[np.float64]


class TooFewExamples(AttestError):
    """There are not enough judged questions of one kind."""


@dataclass(frozen=True, slots=True)
class Example:
    """One judged question: raw features, what is to be foretold, and its group."""

    features: Mapping[str, float]
    label: bool
    group: str


@dataclass(frozen=True, slots=True)
class Fit:
    """A fitted model and how it does on questions that it hasn't seen."""

    calibration: Calibration
    #: Shape (n,), each example's probability from a model that didn't see its group.
    unseen: Floats
    auroc: float
    brier: float
    #: AUROC of each feature alone; below 0.5 where less of it is better.
    alone: Mapping[str, float] = field(default_factory=dict)


def fit(
    examples: Sequence[Example],
    *,
    fingerprint: str,
    threshold: float,
    provenance: str,
    also_for: Sequence[str] = (),
) -> Fit:
    """Return a logistic model of the labels, cross-validated by group.

    `also_for` are fingerprints whose scores were measured to be the same.
    Raises TooFewExamples with fewer than 20 of either label.
    """
    labels = np.array([example.label for example in examples])
    _check(labels)
    names = sorted(examples[0].features)
    values = np.array([[item.features[name] for name in names] for item in examples])
    mean, deviation = values.mean(axis=0), values.std(axis=0)
    deviation[deviation == 0] = 1.0
    scaled = (values - mean) / deviation
    groups = [example.group for example in examples]
    unseen = np.zeros(len(examples))
    folds = GroupKFold(min(FOLDS, len(set(groups))), shuffle=True, random_state=0)
    for train, test in folds.split(scaled, labels, groups):
        unseen[test] = _model(scaled[train], labels[train]).predict_proba(scaled[test])[
            :, 1
        ]
    whole = _model(scaled, labels)
    weights = whole.coef_[0]
    calibration = Calibration(
        fingerprint=fingerprint,
        features={
            name: (round(float(m), 5), round(float(d), 5), round(float(w), 5))
            for name, m, d, w in zip(names, mean, deviation, weights, strict=True)
        },
        intercept=round(float(whole.intercept_[0]), 5),
        threshold=threshold,
        provenance=provenance,
        also_for=tuple(also_for),
    )
    alone = {
        name: float(roc_auc_score(labels, values[:, at]))
        for at, name in enumerate(names)
    }
    return Fit(
        calibration=calibration,
        unseen=unseen,
        auroc=float(roc_auc_score(labels, unseen)),
        brier=float(brier_score_loss(labels, unseen)),
        alone=alone,
    )


def _model(values: Floats, labels: NDArray[np.bool_]) -> LogisticRegression:
    return LogisticRegression(C=REGULARISATION, max_iter=1000).fit(values, labels)


def _check(labels: NDArray[np.bool_]) -> None:
    for label, name in ((True, "positive"), (False, "negative")):
        count = int((labels == label).sum())
        if count < FEWEST:
            raise TooFewExamples(
                f"{FEWEST - count} more {name} examples are needed: "
                f"there are {count} of at least {FEWEST}."
            )
