"""The metrics of DESIGN.md's table, from observations of many questions (A15)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from memory.evaluation import statistics
from memory.evaluation.judging import Observation
from memory.evaluation.statistics import Estimate, Floats

#: Every metric, in the report's order.
METRICS = (
    "document_recall_at_5",
    "evidence_recall",
    "reported_recall",
    "invalid_ratio",
    "extra_documents",
    "verbatim_share",
    "first_document_right",
    "abstained_answerable",
    "abstained_unanswerable",
    "failed",
    "answerability_auroc",
    "evidence_auroc",
    "calibration_error",
    "wrong_rate",
    "evidence_tokens",
    "retrieval_ms_p50",
    "retrieval_ms_p95",
    "total_ms_p50",
)

_PERCENTILES = {
    "retrieval_ms_p50": ("retrieval_ms", 50.0),
    "retrieval_ms_p95": ("retrieval_ms", 95.0),
    "total_ms_p50": ("total_ms", 50.0),
}
#: Against which label answerability is held.
_AUROCS = {"answerability_auroc": "answerable", "evidence_auroc": "holds_gold"}


def measure(
    observations: Sequence[Observation], *, seed: int = statistics.SEED
) -> dict[str, Estimate]:
    """Return every metric of one system over some questions.

    The others are means over the questions that they apply to.
    """
    return {name: _measure(name, observations, seed) for name in METRICS}


def _measure(name: str, observations: Sequence[Observation], seed: int) -> Estimate:
    if name in _PERCENTILES:
        key, percent = _PERCENTILES[name]
        (values,) = _columns(observations, key)
        return statistics.percentile(values, percent, seed=seed)
    if name in _AUROCS:
        scores, labels = _columns(observations, "answerability", _AUROCS[name])
        return statistics.auroc(scores, labels, seed=seed)
    if name == "calibration_error":
        scores, labels = _columns(observations, "answerability", "holds_gold")
        return statistics.calibration_error(scores, labels, seed=seed)
    (values,) = _columns(observations, name)
    return statistics.mean(values, seed=seed)


def _columns(observations: Sequence[Observation], *keys: str) -> list[Floats]:
    """Return the numbers of the questions that have all of `keys`, one array a key."""
    rows = [row for row in observations if all(key in row for key in keys)]
    return [np.array([row[key] for row in rows], dtype=np.float64) for key in keys]
