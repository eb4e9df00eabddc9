"""Storage format as a tree: parsing, and small changes that lose no text.

It's XHTML with elements and attributes of two prefixes that it never declares (`ac:`,
`ri:`), HTML's named characters, and CDATA. So it's wrapped and read as XML.
https://confluence.atlassian.com/conf91/confluence-storage-format-1442847767.html (read 2026-12)
"""

from __future__ import annotations

import re
from html.entities import html5

from lxml import etree
from lxml.etree import XMLParser, _Element

from connectors.conversion.converted import Warnings
from connectors.conversion.html import parse_html

_AC = "http://atlassian.com/content"
_RI = "http://atlassian.com/resource/identifier"
_OPEN = f'<div xmlns:ac="{_AC}" xmlns:ri="{_RI}" xmlns:at="http://atlassian.com/t">'
_CLOSE = "</div>"
_XML_NAMES = frozenset(("amp", "lt", "gt", "quot", "apos"))
_NAMED = re.compile(r"<!\[CDATA\[.*?(?:\]\]>|\Z)|&(#?\w*);?", re.DOTALL)
_NO_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def ac(name: str) -> str:
    """Return the tag or attribute `ac:name` as the tree has it."""
    return f"{{{_AC}}}{name}"


def ri(name: str) -> str:
    """Return the tag or attribute `ri:name` as the tree has it."""
    return f"{{{_RI}}}{name}"


#: Every element of Confluence's own, for `iter`.
ANY_AC = f"{{{_AC}}}*"
ANY_RI = f"{{{_RI}}}*"
_DROPPED = "dropped"
_PREFIXES = {_AC: "ac:", _RI: "ri:"}


def shown_tag(element: _Element) -> str:
    """Return a tag as its author wrote it: `ac:link`."""
    name = etree.QName(element)
    return _PREFIXES.get(name.namespace or "", "") + name.localname


def parse(markup: str, warnings: Warnings) -> _Element | None:
    """Return the tree under one `div`, or None where there's nothing at all.

    Markup that's no XML is read as far as it goes, with a warning.
    """
    text = _OPEN + _declared(_NO_XML.sub("", markup)) + _CLOSE
    try:
        return etree.fromstring(text.encode(), _parser(recover=False))
    except etree.XMLSyntaxError as error:
        if "depth" in str(error):
            # Deeper than the parser goes; HTML's reading flattens it first.
            return parse_html(markup, warnings)
    warnings.add("damaged_markup", "Its markup is damaged; some of it may be missing.")
    return etree.fromstring(text.encode(), _parser(recover=True))


def _parser(*, recover: bool) -> XMLParser:
    return XMLParser(
        recover=recover,
        resolve_entities=False,
        no_network=True,
        huge_tree=True,
        remove_comments=True,
        remove_pis=True,
        encoding="utf-8",
    )


def _declared(markup: str) -> str:
    """Replace HTML's named characters, which XML doesn't know, outside of CDATA."""
    return _NAMED.sub(_character, markup) if "&" in markup else markup


def _character(match: re.Match[str]) -> str:
    found, name = match.group(), match.group(1)
    if name is None or name in _XML_NAMES:
        return found
    if not found.endswith(";") or not name:
        return "&amp;" + found[1:]
    if name.startswith("#"):
        return found
    return html5.get(f"{name};", f"&amp;{name};").replace("<", "&lt;")


def retag(element: _Element, tag: str, **attributes: str) -> None:
    """Turn an element into another in its place; its old attributes go."""
    element.tag = tag
    element.attrib.clear()
    for name, value in attributes.items():
        element.set(name.rstrip("_"), value)


def drop(element: _Element) -> None:
    """Take an element out, when `sweep` is called; what stands after it stays."""
    element.tag = _DROPPED


def sweep(root: _Element) -> None:
    """Take out all that was dropped.

    At once, as text that is put together piece by piece costs the square of its length.
    """
    etree.strip_elements(root, _DROPPED, with_tail=False)


def replace_with_text(element: _Element, text: str, tag: str = "span") -> None:
    """Turn an element into one that holds this text alone."""
    for child in list(element):
        element.remove(child)
    retag(element, tag)
    element.text = text


def keep_only(element: _Element, kept: _Element | None, tag: str) -> None:
    """Turn an element into one with the children of one of its children."""
    for child in list(element):
        if child is not kept:
            element.remove(child)
    retag(element, tag)
    element.text = None
    if kept is not None:
        kept.tail = None
        retag(kept, tag)


def paragraph(text: str) -> _Element:
    """Return a new paragraph."""
    made = etree.Element("p")
    made.text = text
    return made


def text_of(element: _Element) -> str:
    """Return all text in an element, on one line."""
    if not len(element):
        return " ".join((element.text or "").split())
    return " ".join("".join(str(piece) for piece in element.itertext()).split())
