"""What a question asks for: its wordings, its parts and the type of its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from memory.answering.terms import terms
from memory.documents import Turn


class Form(StrEnum):
    """A type of answer. A question may ask for several, or for none that we know."""

    NUMBER = "number"
    WHO = "who"
    STEPS = "steps"
    LIST = "list"
    PERMISSION = "permission"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question as the answerer reads it.

    `queries` are its wordings to compare with: the whole first, then each part of a
    question that asks several things. `terms` carry weight 1 where they stand in the
    question and less where they come from the asker's last turn.
    """

    queries: tuple[str, ...]
    terms: dict[str, float]
    forms: frozenset[Form]


_FORMS = {
    Form.NUMBER: re.compile(
        r"\bhow (?:much|many|long|often|fast|soon|quick(?:ly)?|old|far|big|large|late"
        r"|early|high|low)\b|\bwhen\b|\bby when\b|\bwhat (?:time|date|day|percent\w*"
        r"|size|rate|share|cut|age)\b|\b(?:limit|cap|budget|cost|price|deadline|cut-?off"
        r"|target|quota|sla|amount|maximum|minimum|max|min|per (?:day|night|week|month"
        r"|year|hour))\b",
        re.IGNORECASE,
    ),
    Form.WHO: re.compile(
        r"\bwho\b|\bwho[’']?s\b|\bwhom\b|\bwhose\b|\bwhich (?:team|person|people"
        r"|channel|role|roles)\b|\bcontact\b|\breach out\b|\bsign(?:s|ed)?[ -]off\b"
        r"|\bapproves?\b|\bask for\b",
        re.IGNORECASE,
    ),
    Form.STEPS: re.compile(
        r"\bhow (?:do|can|should|would|to|does one)\b|\bsteps?\b|\bprocess\b"
        r"|\bprocedure\b|\bwhat (?:do|should|am) i\b.*\bdo\b|\bwhat (?:now|next)\b"
        r"|- how\?|\bhow\?",
        re.IGNORECASE,
    ),
    Form.LIST: re.compile(
        r"\bwhich\b|\bwhat are\b|\blist\b|\bwhat (?:kinds?|types?|options?|criteria"
        r"|requirements?|tools?|roles?|things?)\b|\ball the\b|\boverview\b",
        re.IGNORECASE,
    ),
    Form.PERMISSION: re.compile(
        r"^(?:can|may|do|does|is|are|am|should|will|would|could|must)\b"
        r"|\b(?:can|may|should|could) (?:i|we|they|he|she|you)\b|\bdo (?:i|we|they)\b"
        r"|\ballowed\b|\beligible\b|\bok(?:ay)?\?|\bqualif\w+",
        re.IGNORECASE,
    ),
}

_PART = re.compile(
    r"[?!.;\n]+(?=\s|$)|(?:,|\s)\s*(?=(?:and|or|but)\s+(?:also\s+)?(?:who|what|when"
    r"|where|which|how|why|is|are|do|does|can|should|by when|until)\b)"
    r"|,\s+(?=(?:who|what|when|where|which|how|why|by when)\b)",
    re.IGNORECASE,
)
_JOINT = re.compile(r"^(?:and|or|but|also|so|then|,|\s)+", re.IGNORECASE)
_MOST_PARTS = 4
_MOST_CHARACTERS = 2_000
#: A question with fewer content words than this leans on the turn before.
_STANDS_ALONE = 4
_EARLIER_WEIGHT = 0.4


def asked(text: str, history: Sequence[Turn]) -> Asked:
    """Return how to read a question; `text` may have earlier turns folded in already.

    Only the start of a very long question is read.
    """
    text = text[:_MOST_CHARACTERS].strip()
    own = list(dict.fromkeys(terms(text)))
    weights = dict.fromkeys(own, 1.0)
    earlier = _last_question(history)
    whole = text
    if earlier and len(own) < _STANDS_ALONE:
        whole = f"{earlier} {text}"
    for term in terms(earlier):
        weights.setdefault(term, _EARLIER_WEIGHT)
    forms = frozenset(f for f, pattern in _FORMS.items() if pattern.search(text))
    parts = _parts(text) if whole == text else ()
    return Asked((whole, *parts), weights, forms)


def _last_question(history: Sequence[Turn]) -> str:
    turns = [turn.content for turn in history if turn.role == "user"]
    return turns[-1][:_MOST_CHARACTERS].strip() if turns else ""


def _parts(text: str) -> tuple[str, ...]:
    """Return the parts of a question that asks several things; () for one part."""
    pieces = (_JOINT.sub("", piece).strip() for piece in _PART.split(text))
    parts = [piece for piece in pieces if len(terms(piece)) > 1]
    return tuple(parts[:_MOST_PARTS]) if len(parts) > 1 else ()
