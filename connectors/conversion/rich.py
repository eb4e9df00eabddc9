"""Text with its links: what stands in a paragraph, a cell, a heading."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from memory.documents import Link

_SPACE = re.compile(r"\s+")
_LINE_BREAKS = re.compile(r"[\t\r\n]+")
#: Characters without a shape, and halves of surrogate pairs, which no database takes.
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f\u00ad\u200b\u2060\ufeff\ud800-\udfff]")
_NUMBER = re.compile(r"[-+−]?\d+(?:[.,]\d+)?")
_BAD_SCHEMES = ("javascript:", "data:", "vbscript:")
_ENDS_CLAUSE = (".", ",", ";", ":", "!", "?")


@dataclass(frozen=True, slots=True)
class Rich:
    """Text without markup and the links over it, as offsets in `text`."""

    text: str
    links: tuple[Link, ...] = ()

    def __bool__(self) -> bool:
        """Return whether there's any text."""
        return bool(self.text)

    def inserted(self, positions: Sequence[int], piece: str) -> Rich:
        """Return a copy with `piece` before each of the ascending `positions`."""
        if not positions:
            return self
        edges = [0, *positions, len(self.text)]
        runs = [self.text[a:b] for a, b in zip(edges, edges[1:], strict=False)]
        links = tuple(
            Link(
                link.start + len(piece) * bisect_right(positions, link.start),
                link.end + len(piece) * bisect_left(positions, link.end),
                link.url,
            )
            for link in self.links
        )
        return Rich(piece.join(runs), links)

    def without_start(self, length: int) -> Rich:
        """Return a copy without its first `length` characters, which hold no link."""
        links = (Link(x.start - length, x.end - length, x.url) for x in self.links)
        return Rich(self.text[length:], tuple(links))


EMPTY = Rich("")


def collapsed(text: str) -> str:
    """Return `text` cleaned, each run of white space as one space."""
    line = " ".join(text.split())
    if not line:
        return " " if text else ""
    if not line.isprintable():
        return _SPACE.sub(" ", clean(text))
    # All that `clean` takes out isn't printable: nothing is to be done.
    if text[0].isspace():
        line = " " + line
    return line + " " if text[-1].isspace() else line


def clean(text: str) -> str:
    """Return `text` without control characters, zero-width ones and surrogates."""
    return _INVISIBLE.sub("", text)


def raised(text: str) -> str:
    """Return what stands before a superscript: 10^6 is another number than 106."""
    return "^" if _NUMBER.fullmatch(text.strip()) else ""


def clean_url(url: str | None) -> str:
    """Return a link's target as it stands, or "" for a script, data or nothing."""
    target = _LINE_BREAKS.sub("", clean(url or "")).strip()
    scheme = _SPACE.sub("", target).lower()
    return "" if scheme.startswith(_BAD_SCHEMES) else target


class RichBuffer:
    """Collects inline text: white space collapses, links become spans.

    With `joined`, breaks between lines and parts become "; " (a table's cell) or a
    space after punctuation; else a break is a new line.
    """

    def __init__(self, *, joined: bool = False) -> None:
        """Start empty."""
        self._joined = joined
        self._pieces: list[str] = []
        self._length = 0
        self._last = ""
        self._pending_break = False
        self._links: list[Link] = []
        self._url = ""
        self._link_start: int | None = None

    def add(self, text: str | None) -> None:
        """Append text of the source."""
        if not text:
            return
        text = collapsed(text)
        if self._last in ("", " ", "\n") or self._pending_break:
            text = text.lstrip(" ")
        if not text:
            return
        if self._pending_break:
            self._write_break()
        if self._url and self._link_start is None:
            self._link_start = self._length + (text[0] == " ")
        self._write(text)

    def break_line(self) -> None:
        """End a line or a part; nothing at the start or after another break."""
        self._pending_break = self._length > 0

    def open_link(self, url: str | None) -> None:
        """Begin a link; one that is still open ends here."""
        self.close_link()
        self._url = clean_url(url)

    def close_link(self) -> None:
        """End the open link, if any; one without text is dropped."""
        self._save_link()
        self._url = ""

    def take(self) -> Rich:
        """Return what was collected and start anew; an open link goes on."""
        self._pending_break = False
        if not self._pieces:
            return EMPTY
        self._save_link()
        text = "".join(self._pieces).rstrip()
        links: tuple[Link, ...] = ()
        if self._links:
            cut = (Link(x.start, min(x.end, len(text)), x.url) for x in self._links)
            links = tuple(link for link in cut if link.start < link.end)
            self._links = []
        self._pieces, self._length, self._last = [], 0, ""
        return Rich(text, links)

    def _save_link(self) -> None:
        if self._link_start is not None:
            end = self._length - (self._last == " ")
            if self._link_start < end:
                self._links.append(Link(self._link_start, end, self._url))
        self._link_start = None

    def _write_break(self) -> None:
        self._pending_break = False
        if self._last == " ":
            self._pieces[-1] = self._pieces[-1][:-1]
            self._length -= 1
            self._last = self._tail()
        if not self._joined:
            self._write("\n")
        elif self._last in _ENDS_CLAUSE:
            self._write(" ")
        else:
            self._write("; ")

    def _tail(self) -> str:
        while self._pieces and not self._pieces[-1]:
            self._pieces.pop()
        return self._pieces[-1][-1] if self._pieces else ""

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
        self._last = text[-1]


def rich(value: Rich | str) -> Rich:
    """Return `value` on one line: a string is collapsed, a Rich keeps its offsets."""
    if isinstance(value, str):
        return Rich(collapsed(value).strip())
    if "\n" not in value.text:
        return value
    return Rich(value.text.replace("\n", " "), value.links)


def rich_lines(value: Rich | str) -> Rich:
    """Return `value` with its line breaks; a string's lines are collapsed each."""
    if isinstance(value, Rich):
        return value
    lines = (collapsed(line).strip() for line in value.splitlines())
    return Rich("\n".join(line for line in lines if line))
