"""The question's wordings without a model: the thread folded in (A6's stand-in)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.documents import Turn
from memory.query.base import WeightedQuery
from memory.query.words import content_words

#: Words that point at something said before.
_POINTING = re.compile(
    r"\b(it|its|that|those|this|these|they|them|their|he|she|his|her|one|ones|same|"
    r"there|then|instead|else|other|others)\b",
    re.I,
)
_OPENING = re.compile(
    r"^\W*(and|but|or|so|also|ok(ay)?|what about|how about|what if|why|when|who|where|"
    r"which|how long|how much|how many)\b",
    re.I,
)
#: A question that points back says little by itself.
DEPENDENT_WEIGHT = 0.3
_CONNECTIVE = re.compile(r"^\W*(and|but|or|so|also|then|what about|how about)\b", re.I)


@dataclass(frozen=True, slots=True)
class LocalTransform:
    """Folds the asker's last turn into a question that can't stand alone.

    DESIGN.md: without a model, the content words of the asker's last turn are added.
    The words of the question itself are all kept, so entities, numbers and dates are.
    """

    original_weight: float = 1.0
    canonical_weight: float = 1.0
    dependent_weight: float = DEPENDENT_WEIGHT

    def queries(self, text: str, history: Sequence[Turn]) -> list[WeightedQuery]:
        """Return the original, and the folded wording where one is needed."""
        earlier = [turn.content for turn in history if turn.role == "user"]
        if not earlier or not depends_on_thread(text):
            return [WeightedQuery(text, self.original_weight, "original")]
        folded = fold(text, earlier[-1])
        return [
            WeightedQuery(text, self.dependent_weight, "original"),
            WeightedQuery(folded, self.canonical_weight, "canonical"),
        ]


def depends_on_thread(text: str) -> bool:
    """Tell whether a question needs what was said before it."""
    words = content_words(text)
    if len(words) <= 2 or _CONNECTIVE.search(text):
        return True
    return len(words) <= 8 and bool(_POINTING.search(text))


def fold(text: str, earlier: str) -> str:
    """Return the question followed by the content words of an earlier one."""
    own = {word.casefold() for word in content_words(text)}
    added = [word for word in content_words(earlier) if word.casefold() not in own]
    return f"{text} {' '.join(dict.fromkeys(added))}" if added else text
