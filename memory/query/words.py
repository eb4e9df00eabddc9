"""Words of a question: what it's about, and what is only grammar."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_WORD = re.compile(r"[^\W_]+(?:[’'\-.@/&+][^\W_]+)*")

#: Function words and chat filler; a question's other words are its content.
_STOP_WORDS = """a about above after again all also am an and any anybody anyone anything are as
    ask at be because been before being both but by can cant can't could did didn't do
    does doesn't doing don't dont down during each else even ever every few for from
    further get gets getting give go goes going gonna got had has have haven't having he
    hello help her here hers hey hi him his how i i'd i'll i'm i've id if im in into is
    isn't it it's its just know let like ll look lot made make many may maybe me might
    more most much must my need no nor not now of off oh ok okay on once one only or
    other our ours out over own per please pls put quick really s same say see she
    should so some somebody someone something stuff such t take tell than thank thanks
    that that's the their theirs them then there there's these they thing things think
    this those though through to too trying under until up us use ve very want wants was
    way we we're we've well were what what's when where where's whether which while who
    who's whom whose why will with within without won't would wouldn't yes yet you your
    yours"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def words(text: str) -> list[str]:
    """Return the words of a text in order, as written."""
    return _WORD.findall(text)


def has_word(text: str) -> bool:
    """Tell whether a text holds a letter or digit."""
    return any(character.isalnum() for character in text)


def content_words(text: str) -> list[str]:
    """Return the words that aren't grammar or filler, in order, as written."""
    return [word for word in words(text) if word.casefold() not in STOP_WORDS]


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return a rough English stem: case and the commonest endings dropped.

    Only for comparing a question's words with the evidence's; never shown.
    """
    word = word.casefold().removesuffix("'s").removesuffix("’s")
    return _without(_without(word, _PLURALS), _ENDINGS)


#: Endings with the least number of letters that must be left before them.
_PLURALS = (("ies", 3), ("es", 4), ("s", 3))
_ENDINGS = (
    ("ation", 4), ("ment", 4), ("ing", 4), ("ied", 3), ("ed", 4), ("er", 4),
    ("al", 4), ("ly", 4), ("i", 3), ("e", 4), ("y", 3),
)  # fmt: skip


def _without(word: str, endings: Sequence[tuple[str, int]]) -> str:
    for ending, least in endings:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            return word[: -len(ending)]
    return word


def stems(text: str) -> list[str]:
    """Return the stems of a text's content words, in order."""
    return [stem(word) for word in content_words(text)]
