"""Fits the coefficients of the gate and of confidence on judged questions (ours).

A question and its withheld twin are one group, and a group is never in both halves of
a fold, so the cross-validated figures say what the model does on questions it hasn't
seen. The curve behind a policy's threshold comes from those figures too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, roc_auc_score
from sklearn.model_selection import GroupKFold

from memory.answerability import Calibration, Counts, Point
from memory.errors import AttestError

FOLDS = 10
#: Strong, as there are few questions: weights stay near each other (scikit-learn's C).
REGULARISATION = 0.03
#: A model fitted on fewer of either kind would say nothing.
FEWEST = 20
#: Thresholds of the curve: so many quantiles of the predictions.
_POINTS = 40

Floats = NDArray[np.float64]


class TooFewExamples(AttestError):
    """There are not enough judged questions of one kind."""


@dataclass(frozen=True, slots=True)
class Example:
    """One judged question: raw features, what is to be foretold, and its group.

    `is_answerable`: the documents answer it, whether or not that was packed. `is_right`:
    its answer is right, the label where None. `weight` is its share in the fit.
    """

    features: Mapping[str, float]
    label: bool
    group: str
    is_answerable: bool = True
    is_right: bool | None = None
    weight: float = 1.0


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


def fit(  # noqa: PLR0913 - what a calibration records
    examples: Sequence[Example],
    *,
    fingerprint: str,
    threshold: float,
    provenance: str,
    also_for: Sequence[str] = (),
    only: Collection[str] = (),
    fewest: int = FEWEST,
) -> Fit:
    """Return a logistic model of the labels, cross-validated by group.

    `also_for` are fingerprints whose scores were measured to be the same; `only` names
    the features to use, all where it's empty. One that an example lacks counts as the
    others' mean. Raises TooFewExamples with fewer than `fewest` of either label.
    """
    labels = np.array([example.label for example in examples], dtype=bool)
    _check(labels, fewest)
    weights = np.array([example.weight for example in examples])
    present = set().union(*(example.features for example in examples))
    names = sorted(present & set(only) if only else present)
    values = _filled(
        np.array([[e.features.get(n, np.nan) for n in names] for e in examples])
    )
    mean = np.average(values, axis=0, weights=weights)
    deviation = np.sqrt(np.average((values - mean) ** 2, axis=0, weights=weights))
    deviation[deviation == 0] = 1.0
    scaled = (values - mean) / deviation
    groups = [example.group for example in examples]
    unseen = _unseen(scaled, labels, weights, groups)
    whole = _model(scaled, labels, weights)
    coefficients = whole.coef_[0]
    calibration = Calibration(
        fingerprint=fingerprint,
        features={
            name: (round(float(m), 5), round(float(d), 5), round(float(w), 5))
            for name, m, d, w in zip(names, mean, deviation, coefficients, strict=True)
        },
        intercept=round(float(whole.intercept_[0]), 5),
        threshold=threshold,
        provenance=provenance,
        also_for=tuple(also_for),
        counts=_counts(examples),
        curve=error_curve(unseen, examples),
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


def error_curve(
    probabilities: Floats, examples: Sequence[Example]
) -> tuple[Point, ...]:
    """Return what comes of each of some thresholds, ascending, by examples' weights."""
    weights = np.array([example.weight for example in examples])
    answerable = np.array([example.is_answerable for example in examples], dtype=bool)
    right = np.array([_is_right(example) for example in examples], dtype=bool)
    points = []
    for threshold in np.unique(np.quantile(probabilities, np.linspace(0, 1, _POINTS))):
        answered = probabilities >= threshold
        points.append(
            Point(
                threshold=round(float(threshold), 5),
                answered=_share(answered, answerable, weights),
                right=_share(answered & right, answerable, weights),
                answered_unanswerable=_share(answered, ~answerable, weights),
                answers=int(answered.sum()),
            )
        )
    return tuple(points)


def _share(
    chosen: NDArray[np.bool_], among: NDArray[np.bool_], weights: Floats
) -> float:
    total = weights[among].sum()
    return round(float(weights[chosen & among].sum() / total), 5) if total else 0.0


def _is_right(example: Example) -> bool:
    right = example.label if example.is_right is None else example.is_right
    return right and example.is_answerable


def _counts(examples: Sequence[Example]) -> Counts:
    """Return how many there are of each kind, weights not counted."""
    held = sum(item.label for item in examples)
    out = sum(not item.label and not item.is_answerable for item in examples)
    return Counts(held, len(examples) - held - out, out)


def _filled(values: Floats) -> Floats:
    """Return values of shape (n, f) with a column's mean where one isn't known."""
    known = np.isfinite(values)
    sums = np.where(known, values, 0.0).sum(axis=0)
    filled: Floats = np.where(known, values, sums / np.maximum(known.sum(axis=0), 1))
    return filled


def _unseen(
    scaled: Floats, labels: NDArray[np.bool_], weights: Floats, groups: Sequence[str]
) -> Floats:
    """Return each example's probability from a model that didn't see its group."""
    unseen = np.full(len(labels), labels.mean())
    count = min(FOLDS, len(set(groups)))
    if count < 2:  # noqa: PLR2004 - one group can't be halved
        return unseen
    folds = GroupKFold(count, shuffle=True, random_state=0)
    for train, test in folds.split(scaled, labels, groups):
        if len(set(labels[train])) > 1:
            model = _model(scaled[train], labels[train], weights[train])
            unseen[test] = model.predict_proba(scaled[test])[:, 1]
    return unseen


def _model(
    values: Floats, labels: NDArray[np.bool_], weights: Floats
) -> LogisticRegression:
    model = LogisticRegression(C=REGULARISATION, max_iter=1000)
    return model.fit(values, labels, sample_weight=weights)


def _check(labels: NDArray[np.bool_], fewest: int) -> None:
    """Raise TooFewExamples that names how many of which kind are missing."""
    missing = []
    for label, name in ((True, "positive"), (False, "negative")):
        count = int((labels == label).sum())
        if count < fewest:
            missing.append(
                f"{fewest - count} more {name} examples are needed: "
                f"there are {count} of at least {fewest}."
            )
    if missing:
        raise TooFewExamples(" ".join(missing))
