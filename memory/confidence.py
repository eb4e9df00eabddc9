"""How likely a finished answer is right, after attribution (ours)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from memory.answerability import Calibration
from memory.documents import Answer
from memory.query.words import stems

_NUMBER = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class LogisticConfidence:
    """A logistic model over the gate's figure and what the answer itself shows."""

    calibration: Calibration

    def confidence(self, text: str, answer: Answer) -> float:
        """Return the probability in (0, 1) that the answer is right."""
        return self.calibration.probability(answer_features(text, answer))


def answer_features(text: str, answer: Answer) -> Mapping[str, float]:
    """Return the raw features of a finished answer.

    `answer_coverage` is the share of the question's content words in the answer.
    Which card its first piece stands in and how many documents it links told nothing.
    """
    asked = set(stems(text))
    said = set(stems(answer.text))
    return {
        "answerability": answer.answerability,
        "answer_coverage": len(asked & said) / len(asked) if asked else 0.0,
        "has_number": float(bool(_NUMBER.search(answer.text))),
    }
