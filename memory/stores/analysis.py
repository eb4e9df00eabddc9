"""Text as words for a server that has no analysis of its own.

Weaviate cuts and lower-cases, but doesn't stem or fold accents. Both sides of a keyword
search, what is indexed and what is asked, go through the same analysis here.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

import snowballstemmer

from memory.query.words import STOP_WORDS

#: The settings: `word` for languages that part words by blanks (stemmed as English),
#: `trigram` for any, `gse` for Chinese and Japanese, `kagome_kr` for Korean.
TOKENIZATIONS = ("word", "trigram", "gse", "kagome_kr")
#: Distinct words of a keyword query; a longer text is a paste, not a question.
MAX_WORDS = 256
#: Characters of a query that the server cuts by itself.
_MAX_CHARACTERS = 1_000
#: A longer run of letters is no word.
_MAX_WORD = 100

_WORD = re.compile(r"[^\W_]+")
_stem_english = snowballstemmer.stemmer("english").stemWord


def indexed_text(text: str, tokenization: str) -> str:
    """Return what is indexed of a text."""
    if tokenization == "word":
        return " ".join(_stems(text))
    return unicodedata.normalize("NFKC", text).casefold()


def query_text(text: str, tokenization: str) -> str:
    """Return what is searched for a text, "" where it has no word.

    Words of grammar are left out unless there is no other: BM25 gives them next to no
    weight, and they're what takes the time.
    """
    if tokenization == "word":
        stems = dict.fromkeys(_stems(text))
        telling = [stem for stem in stems if stem not in _stop_stems()]
        return " ".join((telling or list(stems))[:MAX_WORDS])
    if not _WORD.search(text):
        return ""
    words = " ".join(text.replace("_", " ").split()[:MAX_WORDS])
    # A run of signs would be cut into trigrams too.
    clean = "".join(sign if sign.isalnum() else " " for sign in words)
    return indexed_text(" ".join(clean.split())[:_MAX_CHARACTERS], tokenization)


def _stems(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text) if len(word) <= _MAX_WORD]


@lru_cache(maxsize=1)
def _stop_stems() -> frozenset[str]:
    return frozenset(stem for word in STOP_WORDS for stem in _stems(word))


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    """Return a word folded and without its English ending."""
    stem: str = _stem_english(_folded(word.lower()))
    return stem


def _folded(word: str) -> str:
    """Return a word with Latin letters bare; marks of other scripts carry meaning."""
    if word.isascii():
        return word
    letters = []
    for letter in unicodedata.normalize("NFC", word):
        base = unicodedata.normalize("NFKD", letter)
        bare = "".join(sign for sign in base if not unicodedata.combining(sign))
        letters.append(bare if bare.isascii() and bare else letter)
    return "".join(letters)
