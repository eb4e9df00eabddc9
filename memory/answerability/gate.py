"""The gate that `memory.megamem` asks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memory.answerability.calibration import Calibration, shifted
from memory.answerability.features import evidence_features
from memory.answerability.policy import Policy
from memory.embedding import Embedder
from memory.query.base import Candidate, Packed

#: How much lower an uncalibrated gate's log odds are.
CAUTION = 0.7


@dataclass(frozen=True, slots=True)
class LogisticGate:
    """Judges evidence by a calibration, which may have been made for something else.

    `share` of unanswerable questions is the policy's; None: that of the fitted data.
    Without an `embedder` what statements say isn't looked at.
    """

    calibration: Calibration
    #: What runs now: embedder, reranker, mode.
    running: str
    embedder: Embedder | None = None
    share: float | None = None

    @property
    def is_calibrated(self) -> bool:
        """Tell whether the coefficients were fitted for what runs now."""
        return self.calibration.fits(self.running)

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
        features = evidence_features(text, ranked, packed, self.embedder)
        shift = self.calibration.shift(self.share)
        if not self.is_calibrated:
            shift -= CAUTION
        return self.calibration.probability(features, shift=shift), features


def gate_for(
    calibration: Calibration,
    running: str,
    embedder: Embedder | None,
    policy: Policy,
    *,
    share: float | None = None,
) -> tuple[LogisticGate, float]:
    """Return the gate and the threshold in [0, 1] that a policy comes to.

    Both are for `share` of unanswerable questions, the policy's where None: which
    questions are answered is the same whatever `share` is, only the figure differs.
    """
    shown = policy.unanswerable_share if share is None else share
    operation = calibration.operation(policy)
    plain = calibration.threshold if operation is None else operation.threshold
    gate = LogisticGate(calibration, running, embedder, shown)
    return gate, shifted(plain, calibration.shift(shown))
