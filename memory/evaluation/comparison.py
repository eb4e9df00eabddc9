"""The first system less another one, question by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from memory.evaluation import statistics
from memory.evaluation.judging import Observation
from memory.evaluation.statistics import Estimate

#: Means that every system has.
COMPARED = ("document_recall_at_5", "evidence_recall", "first_document_right")


def differences(
    first: Sequence[Observation], other: Sequence[Observation]
) -> Mapping[str, Estimate]:
    """Return the mean of first less other for each compared metric.

    Both hold the same questions in the same order. The interval is over the
    questions' differences, so what is hard for both doesn't widen it.
    """
    estimates = {}
    for name in COMPARED:
        rows = [
            a[name] - b[name]
            for a, b in zip(first, other, strict=True)
            if name in a and name in b
        ]
        estimates[name] = statistics.mean(np.array(rows, dtype=np.float64))
    return estimates
