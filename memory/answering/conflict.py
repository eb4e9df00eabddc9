"""Pieces of two documents that say the same with other figures: the newer comes first.

Two pieces differ so when they share most of their words and the numbers in them, as
figures or words, aren't the same. Only the dates of their documents decide, and only
where both are known: no text is written or left out here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from memory.answering.terms import terms
from memory.answering.units import Unit
from memory.documents import Evidence

#: Words that two pieces share, of all that either has, numbers apart.
ALIKE = 0.6

_WORDS = (
    "no one two three four five six seven eight nine ten eleven twelve twenty thirty "
    "forty fifty sixty ninety hundred half once twice"
)
_NUMBER = re.compile(rf"\d+(?:[.,]\d+)*|\b(?:{'|'.join(_WORDS.split())})\b")


def differ(one: str, other: str) -> bool:
    """Tell whether two pieces say the same thing with other numbers."""
    numbers = [frozenset(_NUMBER.findall(text.casefold())) for text in (one, other)]
    if not all(numbers) or numbers[0] == numbers[1]:
        return False
    rest = [
        frozenset(terms(_NUMBER.sub(" ", text.casefold()))) for text in (one, other)
    ]
    shared, every = rest[0] & rest[1], rest[0] | rest[1]
    return bool(every) and len(shared) / len(every) >= ALIKE


def newest_first(chosen: Sequence[Unit], evidence: Sequence[Evidence]) -> list[Unit]:
    """Return the units with each pair that differs in the order of their dates."""
    ordered = list(chosen)
    for late in range(1, len(ordered)):
        for early in range(late):
            if _outdated(ordered[early], ordered[late], evidence):
                ordered[early], ordered[late] = ordered[late], ordered[early]
    return ordered


def _outdated(first: Unit, then: Unit, evidence: Sequence[Evidence]) -> bool:
    """Tell whether `first` is the older one of two that differ."""
    before, after = evidence[first.card], evidence[then.card]
    if before.document_id == after.document_id:
        return False
    if before.updated_at is None or after.updated_at is None:
        return False
    return before.updated_at < after.updated_at and differ(first.text, then.text)
