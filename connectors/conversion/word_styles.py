"""What a Word paragraph is: a heading of some level, a list's item, a quote."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from lxml.etree import _Element

from connectors.conversion.word_text import W

_HEADING = re.compile(r"^heading (\d)$")
_MAX_DEPTH = 8


@dataclass(frozen=True, slots=True)
class Role:
    """A paragraph's role: `kind` is heading, title, item, quote, contents or text."""

    kind: str
    level: int = 0
    ordinal: int | None = None
    list_id: str = ""


class WordStyles:
    """Knows a document's styles and numbering; counts numbered items as it's asked."""

    def __init__(self, styles: _Element | None, numbering: _Element | None) -> None:
        """Index styles.xml and numbering.xml; either may be missing."""
        self._styles: dict[str, _Element] = {}
        for style in styles.iterfind(f"{W}style") if styles is not None else ():
            self._styles[style.get(f"{W}styleId") or ""] = style
        self._formats, self._starts = _numbering(numbering)
        self._counters: dict[str, dict[int, int]] = defaultdict(dict)

    def role(self, paragraph: _Element) -> Role:
        """Return the paragraph's role, by its own properties and then its style's."""
        own = paragraph.find(f"{W}pPr")
        style = self._style_of(own)
        chain = [own, *(item.find(f"{W}pPr") for item in self._chain(style))]
        names = [_name(item) for item in self._chain(style)]
        for name in names:
            if name.startswith("toc ") or name == "toc heading":
                return Role("contents")
            if match := _HEADING.match(name):
                return Role("heading", int(match.group(1)))
            if name == "title":
                return Role("title", 1)
        outline = _first(chain, f"{W}outlineLvl")
        if outline is not None and (level := _int(outline, 9)) < 9:
            return Role("heading", level + 1)
        if (item := self._item(chain)) is not None:
            return item
        is_quote = any(name in ("quote", "intense quote") for name in names)
        return Role("quote" if is_quote else "text")

    def _item(self, chain: list[_Element | None]) -> Role | None:
        number = _first(chain, f"{W}numPr/{W}numId")
        list_id = (number.get(f"{W}val") or "0") if number is not None else "0"
        if list_id == "0":
            return None
        level = _first(chain, f"{W}numPr/{W}ilvl")
        depth = min(_int(level, 0), _MAX_DEPTH) if level is not None else 0
        if self._formats.get((list_id, depth), "bullet") in ("bullet", "none"):
            return Role("item", depth, list_id=list_id)
        counter = self._counters[list_id]
        start = self._starts.get((list_id, depth), 1)
        counter[depth] = counter[depth] + 1 if depth in counter else start
        for deeper in [key for key in counter if key > depth]:
            del counter[deeper]
        return Role("item", depth, counter[depth], list_id)

    def _style_of(self, properties: _Element | None) -> str:
        style = properties.find(f"{W}pStyle") if properties is not None else None
        return (style.get(f"{W}val") or "") if style is not None else ""

    def _chain(self, style_id: str) -> Iterator[_Element]:
        """Yield a style and those it's based on; a loop ends."""
        seen: set[str] = set()
        while style_id in self._styles and style_id not in seen:
            seen.add(style_id)
            style = self._styles[style_id]
            yield style
            parent = style.find(f"{W}basedOn")
            style_id = (parent.get(f"{W}val") or "") if parent is not None else ""


def _numbering(
    root: _Element | None,
) -> tuple[dict[tuple[str, int], str], dict[tuple[str, int], int]]:
    """Return each list's number format and first number, by list id and depth."""
    formats: dict[tuple[str, int], str] = {}
    starts: dict[tuple[str, int], int] = {}
    if root is None:
        return formats, starts
    abstract = {x.get(f"{W}abstractNumId"): x for x in root.iterfind(f"{W}abstractNum")}
    for number in root.iterfind(f"{W}num"):
        list_id = number.get(f"{W}numId") or ""
        reference = number.find(f"{W}abstractNumId")
        base = abstract.get(reference.get(f"{W}val")) if reference is not None else None
        for level in base.iterfind(f"{W}lvl") if base is not None else ():
            key = (list_id, _int(level, 0, "ilvl"))
            style, start = level.find(f"{W}numFmt"), level.find(f"{W}start")
            if style is not None:
                formats[key] = style.get(f"{W}val") or "bullet"
            starts[key] = _int(start, 1) if start is not None else 1
        for override in number.iterfind(f"{W}lvlOverride"):
            start = override.find(f"{W}startOverride")
            if start is not None:
                starts[(list_id, _int(override, 0, "ilvl"))] = _int(start, 1)
    return formats, starts


def _first(chain: list[_Element | None], path: str) -> _Element | None:
    found = (item.find(path) for item in chain if item is not None)
    return next((item for item in found if item is not None), None)


def _name(style: _Element) -> str:
    name = style.find(f"{W}name")
    return (name.get(f"{W}val") or "").lower() if name is not None else ""


def _int(element: _Element, default: int, name: str = "val") -> int:
    value = element.get(f"{W}{name}") or ""
    return (
        int(value)
        if value.isascii() and value.isdigit() and len(value) < 8
        else default
    )
