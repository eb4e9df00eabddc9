"""How a calibration does, in figures and tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory.answerability import Point, Policy
from memory.evaluation.statistics import BINS, Floats
from memory.evaluation.tables import Column, render_table

#: Points of the curve that are printed.
_SHOWN = 12


def reliability_table(predictions: Floats, labels: Floats) -> str:
    """Return what was foretold beside what was so, in bins of equal mass.

    Both of shape (n,), n at least 1; labels are 0 or 1.
    """
    order = np.argsort(predictions, kind="stable")
    parts = np.array_split(order, min(BINS, len(order)))
    rows = [
        [
            f"{predictions[part].min():.2f} to {predictions[part].max():.2f}",
            str(len(part)),
            f"{predictions[part].mean():.3f}",
            f"{labels[part].mean():.3f}",
        ]
        for part in parts
    ]
    titles = ("questions", "foretold", "was so")
    return render_table([Column("figure", left=True), *map(Column, titles)], rows)


def curve_table(curve: Sequence[Point], policy: Policy) -> str:
    """Return the error-versus-coverage curve for a policy's share, thinned out."""
    step = max(1, len(curve) // _SHOWN)
    rows = [
        [
            f"{point.threshold:.3f}",
            f"{policy.coverage(point):.3f}",
            f"{policy.wrong_rate(point):.3f}",
            str(point.answers),
        ]
        for point in curve[::step]
    ]
    titles = ("answered", "wrong", "answers")
    return render_table([Column("threshold", left=True), *map(Column, titles)], rows)
