"""The gate: does the packed evidence hold the answer? (ours; the papers leave it open)

A logistic model over raw signals, never a fused score, which is high for anything
(C47, C48). The coefficients belong to one embedder, reranker and mode, named by the
fingerprint; with another one the gate is uncalibrated, cautious, and says so.
docs/answerability.md tells how its threshold follows from a policy.
"""

from memory.answerability.calibration import (
    Calibration,
    Counts,
    fingerprint,
    shifted,
    shipped_calibrations,
)
from memory.answerability.features import SHIPPED_FEATURES, evidence_features
from memory.answerability.gate import CAUTION, LogisticGate, gate_for
from memory.answerability.policy import DEFAULT_POLICY, Operation, Point, Policy

__all__ = [
    "CAUTION",
    "DEFAULT_POLICY",
    "SHIPPED_FEATURES",
    "Calibration",
    "Counts",
    "LogisticGate",
    "Operation",
    "Point",
    "Policy",
    "evidence_features",
    "fingerprint",
    "gate_for",
    "shifted",
    "shipped_calibrations",
]
