"""From "at most N% wrong answers" to a threshold, by the curve of a cross-validation.

The curve says, for each threshold, which share of answerable questions was answered,
which share was answered rightly, and which share of unanswerable ones was answered
(all of those wrongly). With the share of unanswerable questions that a policy assumes
they give the wrong answers among all answers, whatever the share in the data was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """What comes of one threshold, on the probability without a shift.

    Shares in [0, 1]: of answerable questions answered, and of those questions answered
    rightly; of unanswerable ones answered. `answers` is how many answers that rests on.
    """

    threshold: float
    answered: float
    right: float
    answered_unanswerable: float
    answers: int


@dataclass(frozen=True, slots=True)
class Policy:
    """At most `max_wrong` of all answers wrong, where a share can't be answered.

    Both in (0, 1).
    """

    max_wrong: float = 0.3
    unanswerable_share: float = 0.2

    def coverage(self, point: Point) -> float:
        """Return the share of all questions that is answered, in [0, 1]."""
        share = self.unanswerable_share
        return (1 - share) * point.answered + share * point.answered_unanswerable

    def wrong_rate(self, point: Point) -> float:
        """Return the share of wrong answers among all answers, 0 without any."""
        coverage = self.coverage(point)
        right = (1 - self.unanswerable_share) * point.right
        return max(0.0, 1 - right / coverage) if coverage else 0.0

    def operation(self, curve: Sequence[Point]) -> Operation | None:
        """Return where the policy works: the lowest threshold that keeps to it.

        Points with fewer than 20 answers say too little. Where no point keeps to it,
        the one with the fewest wrong answers, `is_met` False. None without a curve.
        """
        telling = [point for point in curve if point.answers >= FEWEST_ANSWERS]
        if not telling:
            return None
        kept = [p for p in telling if self.wrong_rate(p) <= self.max_wrong]
        if kept:
            best = min(kept, key=lambda point: point.threshold)
        else:
            best = min(telling, key=self.wrong_rate)
        return Operation(
            best.threshold, self.coverage(best), self.wrong_rate(best), bool(kept)
        )


@dataclass(frozen=True, slots=True)
class Operation:
    """A policy's threshold (without a shift), and what it's expected to do."""

    threshold: float
    coverage: float
    wrong_rate: float
    is_met: bool


FEWEST_ANSWERS = 20
DEFAULT_POLICY = Policy()
