"""Splitting text into sentences, with offsets.

Rules, not a model: the splitter runs over every document of a company and over every
answer, so it has to be linear, predictable and the same everywhere. In doubt it
doesn't split, because half a sentence reads worse than two.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple


class Span(NamedTuple):
    """Characters `text[start:end]`, the end exclusive."""

    start: int
    end: int


class Run(NamedTuple):
    """A stretch `text[start:end]` that no sentence crosses.

    `is_whole`: it's never split, because it's a heading, a table row or fenced code.
    """

    start: int
    end: int
    is_whole: bool


#: A line that begins something of its own: list item, heading, table row, quote.
_STRUCTURE = re.compile(r"(?:[-*+•]|\d{1,9}[.)]|[A-Za-z][.)]|#{1,6}|>)[ \t]|\|")
#: A line that is whole by itself: nothing after it continues it.
_WHOLE = re.compile(r"#{1,6}[ \t]|\|")
_FENCE = re.compile(r"```|~~~")
_MARKER = re.compile(r"[ \t]*(?:(?:[-*+•>]|\d{1,9}[.)]|[A-Za-z][.)]|#{1,6})[ \t]+)+")

#: Where a sentence may end. The look-behind makes a long run of dots one attempt.
_STOP = re.compile(
    r"(?<![.!?…])(?P<stop>[.!?…]++)[\"'”’»)\]*_`]*+(?=\s)"
    r"|(?P<wide>[。！？｡]++)[”’」』）》】\"']*+"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


#: Never the end of a sentence, whatever follows.
_OPEN = _words(
    "e.g i.e cf vs viz mr mrs ms dr prof st fig figs eq sec vol ed eds approx dept resp"
    " ca al pp"
)
#: The end of a sentence only before a word that usually begins one.
_UNSURE = _words(
    "inc ltd corp co llc u.s u.k u.n e.u u.s.a ph.d b.sc m.sc jr sr est incl excl min"
    " max jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri sat sun"
)
_NUMBERED = _words("no nos nr p pp sec ch vol fig")
_STARTERS = _words(
    "a after all also an and any as at before both but by each every for from he her"
    " how however i if in it its managers many most no not on once one only our people"
    " please she since so some that the their then there these they this those to"
    " under until we what when where which while who why with you your"
)
_SHORT_WORD = 4
_LOOK_BACK = 24
_LOOK_AHEAD = 200


def sentence_spans(text: str) -> list[Span]:
    """Return the sentences of Markdown-like `text`, in order, disjoint.

    Every character that isn't white space lies in exactly one span, and no span
    begins or ends with white space. A blank line, a list item, a heading and a table
    row each end a sentence; a fenced block is one. A list marker stays with its text.
    Takes time linear in the text's length.
    """
    return [span for run in runs(text) for span in spans_of(text, run)]


def spans_of(text: str, run: Run) -> list[Span]:
    """Return the sentences of one run of `runs(text)`."""
    return [Span(run.start, run.end)] if run.is_whole else list(_in_run(text, run))


def sentences(text: str) -> list[str]:
    """Return the sentences of `text` as strings."""
    return [text[start:end] for start, end in sentence_spans(text)]


def runs(text: str) -> Iterator[Run]:
    """Yield the runs of `text`: paragraphs, list items, headings, rows, fenced code.

    Ordered and disjoint; together they hold every character that isn't white space.
    A paragraph that is indented under a list item is a run of its own.
    """
    start = end = 0
    open_fence = ""
    whole = False
    for line in re.finditer(r"[^\n]+", text):
        content = line.group().strip()
        at = line.start() + len(line.group()) - len(line.group().lstrip())
        stop = at + len(content)
        if open_fence:
            end = stop if content else end
            if content.startswith(open_fence):
                yield Run(start, end, is_whole=True)
                open_fence, start, end = "", stop, stop
            continue
        fence = _FENCE.match(content)
        breaks = whole or not content or "\n" in text[end:at].replace("\n", "", 1)
        if end > start and (breaks or fence or _STRUCTURE.match(content)):
            yield Run(start, end, is_whole=whole)
            start = end = at
        if not content:
            continue
        start = at if end <= start else start
        end = stop
        whole = bool(_WHOLE.match(content))
        open_fence = fence.group() if fence else ""
    if end > start:
        yield Run(start, end, is_whole=whole or bool(open_fence))


def _in_run(text: str, run: Run) -> Iterator[Span]:
    marker = _MARKER.match(text, run.start, run.end)
    start = run.start
    search_from = marker.end() if marker else run.start
    for match in _STOP.finditer(text, search_from, run.end):
        if match.group("wide") or _ends(text, match, run):
            yield Span(start, match.end())
            start = _skip_space(text, match.end(), run.end)
    if start < run.end:
        yield Span(start, run.end)


def _skip_space(text: str, at: int, end: int) -> int:
    while at < end and text[at].isspace():
        at += 1
    return at


def _ends(text: str, match: re.Match[str], run: Run) -> bool:
    """Tell whether the stop really ends a sentence."""
    stop = match.group("stop")
    ahead = text[match.end() : min(run.end, match.end() + _LOOK_AHEAD)].lstrip()
    follower = ahead.lstrip("\"'“‘«([*_`¿¡")
    first = follower[:1]
    if not ahead or not first:
        return True
    if "…" in stop or ".." in stop:
        return not first.islower()
    if stop != ".":
        # «“Why?” he asked» goes on; «Is it? yes» doesn't.
        quoted = match.end() > match.end("stop")
        return not (quoted and first.islower())
    before = text[max(run.start, match.start() - _LOOK_BACK) : match.start()]
    return _full_stop(before, follower)


def _full_stop(before: str, follower: str) -> bool:
    """Tell whether one full stop between `before` and `follower` ends a sentence."""
    word = before.split()[-1].lstrip("(\"'“‘[*_") if before.split() else ""
    lower = word.lower()
    if lower in _OPEN or (lower in _NUMBERED and follower[:1].isdigit()):
        return False
    next_word = re.match(r"[^\W_]*", follower)
    begins = bool(next_word) and follower[:1].isupper()
    usual = begins and next_word is not None and next_word.group().lower() in _STARTERS
    initial = len(word) == 1 and word.isupper() and word != "I"
    if lower in _UNSURE or initial:
        return usual
    if follower[:1].islower():
        # Only a longer plain word ends a sentence before a small letter.
        return word.isalpha() and len(word) > _SHORT_WORD
    return True
