"""What a rewording must keep: names, numbers, dates, codes and quoted words."""

from __future__ import annotations

import re

from memory.query.words import STOP_WORDS, words

_DIGIT = re.compile(r"\d")
_QUOTED = re.compile(r"[\"“„«]([^\"“”„«»]{1,80})[\"”“»]")
_SENTENCE_END = re.compile(r"[.!?:]\s*$")
#: Months and days stand for dates, also in lower case.
_DATE_WORDS = frozenset(
    [
        "january",
        "february",
        "march",
        "april",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
    ]
)


def exact_words(text: str) -> frozenset[str]:
    """Return a question's words that no rewording may lose, in folded case.

    These are words with a digit, with a capital after the first letter, with a capital
    anywhere but at a sentence's start, months and days. A question in capitals has
    only its numbers and dates.
    """
    shouting = text.isupper()
    kept = set()
    at = 0
    for word in words(text):
        start = text.find(word, at)
        opens = start == 0 or _opens_sentence(text[:start])
        at = start + len(word)
        folded = word.casefold()
        if _DIGIT.search(word) or folded in _DATE_WORDS:
            kept.add(_bare(folded))
        elif shouting or folded in STOP_WORDS:
            continue
        elif (
            any(letter.isupper() for letter in word[1:])
            or word[:1].isupper()
            and not opens
            and len(word) > 1
        ):
            kept.add(_bare(folded))
    return frozenset(kept)


def keeps_exact_words(question: str, wording: str) -> bool:
    """Tell whether a rewording has every exact word and quoted phrase of a question."""
    said = {_bare(word.casefold()) for word in words(wording)}
    quoted = [phrase.casefold() for phrase in _QUOTED.findall(question)]
    folded = wording.casefold()
    return exact_words(question) <= said and all(q in folded for q in quoted)


def invented_numbers(wording: str, *sources: str) -> frozenset[str]:
    """Return the words with digits that a rewording has and none of its sources."""
    known = {_bare(word.casefold()) for text in sources for word in words(text)}
    said = {_bare(word.casefold()) for word in words(wording) if _DIGIT.search(word)}
    return frozenset(said - known)


def _opens_sentence(before: str) -> bool:
    stripped = before.rstrip("\"“'(*_- ")
    return not stripped or bool(_SENTENCE_END.search(stripped))


def _bare(word: str) -> str:
    return word.removesuffix("'s").removesuffix("’s")
