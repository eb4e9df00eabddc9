"""Walks an HTML tree once, without recursion, and feeds the builder."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from lxml import etree
from lxml.etree import _Element

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.html_inline import end_inline, flatten, start_inline
from connectors.conversion.html_table import is_layout, read_table
from connectors.conversion.html_tags import (
    BANNERS,
    BLOCKS,
    CONTROLS,
    HEADINGS,
    KNOWN,
    SCRIPTS,
    is_chrome,
    is_hidden,
    tag_of,
)
from connectors.conversion.rich import Rich, RichBuffer
from connectors.conversion.tables import write_table

_SLUG_DROPS = re.compile(r"[^\w\- ]")
_UNREAD = SCRIPTS | CONTROLS
_LANGUAGE = re.compile(r"(?:language|lang|brush)[-:]\s*([\w+#.-]+)")
_EXPLICIT_ID = re.compile(r"\s*\{#([\w.:-]+)\}\s*$")


@dataclass(slots=True)
class _List:
    ordered: bool
    next_number: int
    is_new: bool = True


@dataclass(frozen=True, slots=True)
class _Marker:
    depth: int
    ordinal: int | None
    new_list: bool
    term: str = ""


class HtmlWalker:
    """Turns elements into blocks of a ContentBuilder.

    `from_markdown` means that the HTML was rendered from Markdown: there's no site
    around it, headings get GitHub's anchors, and `<placeholder>` is text. `is_framed`
    means that navigation, banners and cookie notices may stand around the text.
    """

    def __init__(
        self, builder: ContentBuilder, *, from_markdown: bool, is_framed: bool = True
    ) -> None:
        """Write to `builder`."""
        self._builder = builder
        self._from_markdown = from_markdown
        self._is_framed = is_framed and not from_markdown
        self._buffer = RichBuffer()
        self._lists: list[_List] = []
        self._quotes = 0
        self._marker: _Marker | None = None
        self._term = ""
        self._anchor = ""
        self._slugs: Counter[str] = Counter()
        self._skipped: _Element | None = None
        #: Handlers of elements that are taken whole: they return whether they did.
        self._whole: dict[str, Callable[[_Element], bool]] = {
            "pre": self._code,
            "table": self._table,
            "dt": self._definition_term,
            **dict.fromkeys(HEADINGS, self._heading),
        }

    def walk(self, root: _Element) -> None:
        """Read the whole tree."""
        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            tag = tag_of(element)
            if event == "start":
                if self._enter(element, tag):
                    self._buffer.add(element.text)
                else:
                    self._skipped = element
                    walk.skip_subtree()
                continue
            if element is not self._skipped:
                self._leave(tag)
            if element is not root:
                self._buffer.add(element.tail)
        self._flush()

    def _enter(self, element: _Element, tag: str) -> bool:
        """Begin an element; return whether its children are to be walked."""
        if tag in _UNREAD or is_hidden(element):
            return False
        if self._is_framed and is_chrome(element, tag):
            self._flush()
            if tag in BANNERS:
                self._title_in_banner(element)
            return False
        if tag in self._whole:
            self._flush()
            if self._whole[tag](element):
                return False
        if tag in BLOCKS:
            self._flush()
            self._start_block(element, tag)
        elif tag not in KNOWN:
            self._unknown(element, tag)
        else:
            if tag == "a":
                self._anchor = element.get("id") or element.get("name") or self._anchor
            start_inline(element, tag, self._buffer)
        return True

    def _leave(self, tag: str) -> None:
        if tag not in BLOCKS:
            end_inline(tag, self._buffer)
            return
        self._flush()
        if tag in ("ul", "ol", "menu", "dir", "dl") and self._lists:
            self._lists.pop()
        elif tag in ("li", "dd"):
            self._marker = None
        elif tag == "blockquote":
            self._quotes -= 1

    def _start_block(self, element: _Element, tag: str) -> None:
        if tag in ("ul", "ol", "menu", "dir", "dl"):
            self._lists.append(_List(tag == "ol", _number(element.get("start"), 1)))
        elif tag in ("li", "dd"):
            self._start_item(element)
        elif tag == "blockquote":
            self._quotes += 1

    def _start_item(self, element: _Element) -> None:
        if not self._lists:
            self._marker = _Marker(0, None, new_list=False, term=self._term)
            return
        current = self._lists[-1]
        ordinal = None
        if current.ordered:
            ordinal = _number(element.get("value"), current.next_number)
            current.next_number = ordinal + 1
        depth = len(self._lists) - 1
        self._marker = _Marker(depth, ordinal, current.is_new, self._term)
        current.is_new, self._term = False, ""

    def _flush(self) -> None:
        """End the paragraph that is being collected, if there's any."""
        text = self._buffer.take()
        if not text.text:
            return
        self._anchor = ""
        if self._term and self._marker is None:
            self._term = ""
        if self._marker is not None:
            self._item(text, self._marker)
        elif self._quotes > 0:
            self._builder.quote(text)
        else:
            self._builder.paragraph(text)

    def _item(self, text: Rich, marker: _Marker) -> None:
        self._marker = None
        if marker.term:
            text = text.inserted([0], f"{marker.term}: ")
        self._builder.list_item(
            text,
            depth=marker.depth,
            ordinal=marker.ordinal,
            new_list=marker.new_list,
        )

    def _heading(self, element: _Element) -> bool:
        title = flatten(element, controls=True)
        anchor = element.get("id") or _inner_anchor(element) or self._anchor
        if self._from_markdown:
            if match := _EXPLICIT_ID.search(title.text):
                anchor = match.group(1)
                title = _cut(title, match.start())
            slug = self._slug(title.text)
            anchor = anchor or slug
        self._anchor = ""
        self._marker = None
        self._builder.heading(title, HEADINGS[tag_of(element)], anchor=anchor)
        return True

    def _slug(self, title: str) -> str:
        """Return GitHub's anchor for a heading; a repeat gets a number."""
        slug = _SLUG_DROPS.sub("", title.lower()).strip().replace(" ", "-")
        repeat = self._slugs[slug]
        self._slugs[slug] += 1
        return f"{slug}-{repeat}" if repeat else slug

    def _title_in_banner(self, element: _Element) -> None:
        for title in element.iter("h1"):
            self._heading(title)

    def _code(self, element: _Element) -> bool:
        for line_break in element.iter("br"):
            line_break.tail = "\n" + (line_break.tail or "")
        names = [element.get("class") or ""]
        names += [code.get("class") or "" for code in element.iterchildren("code")]
        language = _LANGUAGE.search(" ".join(names))
        text = "".join(str(piece) for piece in element.itertext())
        self._builder.code(text, language=language.group(1) if language else "")
        return True

    def _table(self, element: _Element) -> bool:
        if is_layout(element):
            return False
        for caption in element.iterchildren("caption"):
            self._builder.paragraph(flatten(caption))
        write_table(self._builder, read_table(element))
        return True

    def _definition_term(self, element: _Element) -> bool:
        term = flatten(element, joined=True).text
        self._term = f"{self._term}, {term}" if self._term else term
        return True

    def _unknown(self, element: _Element, tag: str) -> None:
        if (
            self._from_markdown
            and not element.attrib
            and tag.replace("-", "").isalnum()
        ):
            # "ssh <host>" in Markdown is meant as it reads.
            self._buffer.add(f"<{element.tag}>")
        else:
            self._builder.count_unhandled(tag)


def _inner_anchor(element: _Element) -> str:
    for link in element.iter("a"):
        if name := link.get("id") or link.get("name"):
            return name
    return ""


def _cut(text: Rich, end: int) -> Rich:
    return Rich(text.text[:end], tuple(x for x in text.links if x.end <= end))


def _number(value: str | None, default: int) -> int:
    value = (value or "").strip()
    return (
        int(value)
        if value.isascii() and value.isdigit() and len(value) < 8
        else default
    )
