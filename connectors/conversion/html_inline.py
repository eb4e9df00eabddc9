"""Inline HTML to text with links: shared by paragraphs, headings and cells."""

from __future__ import annotations

from lxml import etree
from lxml.etree import _Element

from connectors.conversion.html_tags import (
    BLOCKS,
    CONTROLS,
    SCRIPTS,
    image_text,
    is_hidden,
    tag_of,
)
from connectors.conversion.rich import Rich, RichBuffer, raised, rich

_STRUCK = frozenset(("del", "s", "strike"))
#: Elements that show their text as it is, alone in a cell.
_PLAIN = frozenset(("p", "span", "strong", "b", "em", "i", "div"))
_BREAKING = BLOCKS | {"pre", "br"} | {f"h{level}" for level in range(1, 7)}


def start_inline(element: _Element, tag: str, buffer: RichBuffer) -> None:
    """Write what an inline element begins with."""
    if tag == "a":
        buffer.open_link(element.get("href"))
    elif tag == "br":
        buffer.break_line()
    elif tag == "img":
        buffer.add(image_text(element.get("alt")))
    elif tag == "q":
        buffer.add("“")
    elif tag == "sup":
        buffer.add(raised(element.text or ""))
    elif tag in _STRUCK:
        buffer.add("~~")
    elif tag == "input" and element.get("type") == "checkbox":
        buffer.add("[x] " if element.get("checked") is not None else "[ ] ")


def end_inline(tag: str, buffer: RichBuffer) -> None:
    """Write what an inline element ends with."""
    if tag == "a":
        buffer.close_link()
    elif tag == "q":
        buffer.add("”")
    elif tag in _STRUCK:
        buffer.add("~~")


def flatten(element: _Element, *, joined: bool = False, controls: bool = False) -> Rich:
    """Return all text below `element`; blocks in it become lines.

    With `joined` they become parts set apart by "; ". `controls` keeps the text of
    buttons (a heading that opens and closes its section). It doesn't recurse.
    """
    if _is_plain(element):
        inner = element[0] if len(element) else element
        return rich(inner.text or "")
    buffer = RichBuffer(joined=joined)
    skipped: _Element | None = None
    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        tag = tag_of(node)
        if event == "start":
            if _is_dropped(node, tag, controls=controls):
                skipped = node
                walk.skip_subtree()
                continue
            if tag in _BREAKING:
                buffer.break_line()
            start_inline(node, tag, buffer)
            buffer.add(node.text)
            continue
        if node is not skipped:
            end_inline(tag, buffer)
            if tag in _BREAKING:
                buffer.break_line()
        if node is not element:
            buffer.add(node.tail)
    return buffer.take()


def _is_plain(element: _Element) -> bool:
    """Tell whether it holds text alone, or one paragraph that does: most cells do."""
    if is_hidden(element):
        return False
    if not len(element):
        return True
    if len(element) > 1 or (element.text and not element.text.isspace()):
        return False
    child = element[0]
    return (
        child.tag in _PLAIN
        and not len(child)
        and not is_hidden(child)
        and (not child.tail or child.tail.isspace())
    )


def _is_dropped(node: _Element, tag: str, *, controls: bool) -> bool:
    if tag in SCRIPTS or is_hidden(node):
        return True
    return tag in CONTROLS and not (controls and tag == "button")
