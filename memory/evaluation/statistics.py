"""AUROC, calibration error and seeded bootstrap intervals, vectorised."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

SEED = 20_260_101
RESAMPLES = 1_000
BINS = 10
#: Label draws behind the calibration error's floor: for its value, for each resample.
DRAWS = 1_000
_DRAWS_EACH = 20

Floats = NDArray[np.float64]
Indexes = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric's value with its 95% interval over `n` questions.

    `value` is None, with n 0, where the metric doesn't apply.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    n: int = 0

    def as_json(self) -> dict[str, float | int | None]:
        """Return the four fields by name."""
        return {"value": self.value, "low": self.low, "high": self.high, "n": self.n}


ABSENT = Estimate()


@lru_cache(maxsize=16)
def resamples(n: int, *, seed: int = SEED) -> Indexes:
    """Return RESAMPLES draws of n questions with repeats, shape (RESAMPLES, n).

    Equal n and seed give equal draws, so systems are resampled alike.
    """
    return np.random.default_rng(seed).integers(0, n, size=(RESAMPLES, n))


def mean(values: Floats, *, seed: int = SEED) -> Estimate:
    """Return the mean of values of shape (n,)."""
    if not len(values):
        return ABSENT
    return _estimate(
        values.mean(),
        values[resamples(len(values), seed=seed)].mean(axis=1),
        n=len(values),
    )


def percentile(values: Floats, percent: float, *, seed: int = SEED) -> Estimate:
    """Return a percentile, linearly interpolated, of values of shape (n,)."""
    if not len(values):
        return ABSENT
    drawn = np.percentile(values[resamples(len(values), seed=seed)], percent, axis=1)
    return _estimate(np.percentile(values, percent), drawn, n=len(values))


def auroc(scores: Floats, labels: Floats, *, seed: int = SEED) -> Estimate:
    """Return the chance that a positive outscores a negative; a tie counts half.

    Absent unless both labels (0 and 1) occur; resamples with one label are left out.
    """
    if len(np.unique(labels)) < 2:
        return ABSENT
    areas = _areas(scores, labels, seed)
    return _estimate(areas[0], areas[1:], n=len(scores))


def auroc_difference(
    first: Floats, other: Floats, labels: Floats, *, seed: int = SEED
) -> Estimate:
    """Return one score's AUROC less another's on the same questions and resamples."""
    if len(np.unique(labels)) < 2:
        return ABSENT
    less = _areas(first, labels, seed) - _areas(other, labels, seed)
    return _estimate(less[0], less[1:], n=len(labels))


def _areas(scores: Floats, labels: Floats, seed: int) -> Floats:
    """Return the AUROC of all questions, then of each resample; NaN with one label."""
    order = np.argsort(scores, kind="stable")
    starts = np.flatnonzero(np.diff(scores[order], prepend=-np.inf))
    drawn = resamples(len(scores), seed=seed)
    # How often each question was drawn stands for the resample itself.
    counts = np.stack([np.bincount(row, minlength=len(scores)) for row in drawn])
    weights = np.vstack([np.ones(len(scores)), counts])[:, order]
    positive = np.add.reduceat(weights * labels[order], starts, axis=1)
    negative = np.add.reduceat(weights * (1 - labels[order]), starts, axis=1)
    below = np.cumsum(negative, axis=1) - negative
    wins = (positive * (below + negative / 2)).sum(axis=1)
    pairs = positive.sum(axis=1) * negative.sum(axis=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        areas: Floats = wins / pairs
    return areas


def calibration_error(
    predictions: Floats, labels: Floats, *, seed: int = SEED
) -> Estimate:
    """Return the expected calibration error beyond chance, in [0, 1].

    Ten bins of equal mass. The mean error that labels drawn from the predictions
    themselves would show is taken off, and what is left is never below 0: a perfect
    forecaster has 0, where the plain error would grow as n shrinks.
    """
    n = len(predictions)
    if not n:
        return ABSENT
    order = np.argsort(predictions, kind="stable")
    p, y = predictions[order], labels[order]
    rng = np.random.default_rng(seed)
    fair = (rng.random((DRAWS, n)) < p).astype(float)
    value = _binned_error(p, y) - _binned_error(p, fair).mean()
    drawn = np.sort(resamples(n, seed=seed), axis=1)
    floor = np.mean(
        [_binned_error(p[drawn], row[drawn]) for row in fair[:_DRAWS_EACH]], axis=0
    )
    return _estimate(
        max(value, 0.0),
        np.maximum(_binned_error(p[drawn], y[drawn]) - floor, 0.0),
        n=n,
    )


def _binned_error(p: Floats, y: Floats) -> Floats:
    """Return the error along the last axis; `p` ascends there."""
    n = p.shape[-1]
    sizes = [len(part) for part in np.array_split(np.arange(n), min(BINS, n))]
    starts = np.cumsum([0, *sizes[:-1]])
    gaps = np.add.reduceat(np.broadcast_to(p, y.shape) - y, starts, axis=-1)
    error: Floats = np.abs(gaps).sum(axis=-1) / n
    return error


def _estimate(value: float, drawn: Floats, *, n: int) -> Estimate:
    valid = drawn[np.isfinite(drawn)]
    if not len(valid):
        return Estimate(float(value), None, None, n)
    low, high = np.percentile(valid, [2.5, 97.5])
    return Estimate(float(value), float(low), float(high), n)
