"""Comparing words: gold quotes with evidence, answers with what they quote."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

#: `[label](target)` or `![label](target "title")`: the label is kept.
_LINK = re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\((?:[^()]|\([^()]*\))*\)")
_REFERENCE = re.compile(r"\[([^\[\]]+)\]\[[^\[\]]*\]")
#: An HTML tag, but no address in angle brackets.
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>")
_MARKERS = re.compile(r"^(?:\s|>|[-*+•]\s|\(?\d{1,3}[.)]\s|#{1,6}\s)+")
_RULE_LINE = re.compile(r"^[\s|:\-=_*]*$")
_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”’)\]]*\s+")


def letters_and_digits(text: str) -> str:
    """Return the text without link targets and all but letters and digits, case-folded.

    DATA.md's comparison of quotes: a quote may skip a link or a table's border. HTML
    tags go too, as quotes of pages written in HTML have them and the indexed text not.
    """
    text = _TAG.sub("", text)
    for pattern in (_LINK, _LINK, _REFERENCE):  # a picture inside a link needs two
        text = pattern.sub(r"\1", text)
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(character for character in folded if character.isalnum())


def plain_line(line: str) -> str:
    """Return a line without list markers and table borders, white space as one blank."""
    line = _MARKERS.sub("", line.replace("|", " ") + " ")
    return " ".join(line.split())


def plain_text(text: str) -> str:
    """Return a text's lines as `plain_line` has them, joined by blanks.

    Lines of nothing but rules and borders are dropped.
    """
    lines = (line for line in text.splitlines() if not _RULE_LINE.match(line))
    return " ".join(filter(None, map(plain_line, lines)))


def is_verbatim(pieces: Iterable[str], evidence: Iterable[str]) -> bool:
    """Tell whether every line of every piece stands in one of the evidence texts.

    A line that doesn't as a whole may be several sentences, each of which does. Only
    white space, list markers and table borders are forgiven.
    """
    sources = [plain_text(text) for text in evidence]
    return all(
        _stands_in(line, sources)
        for piece in pieces
        for raw in piece.splitlines()
        if not _RULE_LINE.match(raw) and (line := plain_line(raw))
    )


def _stands_in(line: str, sources: list[str]) -> bool:
    if any(line in source for source in sources):
        return True
    sentences = _SENTENCE_END.split(line)
    return all(
        any(sentence in source for source in sources)
        for sentence in sentences
        if sentence
    )
