"""HTML pages to Content. Nothing in a page is run, and nothing is fetched."""

from __future__ import annotations

import re

from lxml import etree
from lxml.etree import _Element
from lxml.html import HTMLParser, document_fromstring

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.converted import Converted, Warnings, aware, short_title
from connectors.conversion.guards import check_markup
from connectors.conversion.html_tags import HEADINGS
from connectors.conversion.html_walk import HtmlWalker
from memory.documents import Content

#: libxml2 stops at a depth of 2,048 elements and would lose the rest of the page.
_MAX_DEPTH = 1500
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/<>]*)[^<>]*>")
_KEPT_WHEN_FLAT = frozenset((*HEADINGS, "br", "a", "script", "style", "title", "img"))
_VOID = frozenset(("br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"))
_DATES = (
    "article:modified_time",
    "og:updated_time",
    "last-modified",
    "dcterms.modified",
    "article:published_time",
    "date",
)


def html_content(
    markup: str, warnings: Warnings, *, from_markdown: bool = False
) -> Content:
    """Return the text of a page or a fragment, with its structure."""
    return _content(parse_html(markup, warnings), from_markdown=from_markdown)


def convert_html(markup: str, warnings: Warnings) -> Converted:
    """Return a page's text, and title, author and date as its head has them."""
    root = parse_html(markup, warnings)
    title = "" if root is None else root.findtext(".//title") or ""
    meta = _meta(root)
    dates = (aware(meta[name]) for name in _DATES if name in meta)
    return Converted(
        content=_content(root, from_markdown=False),
        title=short_title(title or meta.get("og:title", "")),
        author=short_title(meta.get("author", "")),
        updated_at=next((date for date in dates if date), None),
        kind="html",
    )


def parse_html(markup: str, warnings: Warnings) -> _Element | None:
    """Return the tree's root, or None where there's no element and no text.

    A tree deeper than the parser goes is flattened first, with a warning. Raises
    ConversionError("too_large") for markup that would fill the memory.
    """
    check_markup(markup)
    markup = markup.replace("\x00", "")
    if _depth_above(markup, _MAX_DEPTH):
        warnings.add(
            "deep_nesting",
            f"Elements are nested more than {_MAX_DEPTH:,} deep; "
            "the text was read without lists and tables.",
        )
        markup = _TAG.sub(_flat, markup)
    parser = HTMLParser(
        encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True
    )
    try:
        return document_fromstring(markup.encode("utf-8", "replace"), parser=parser)
    except etree.ParserError:
        return None


def _content(root: _Element | None, *, from_markdown: bool) -> Content:
    builder = ContentBuilder()
    if root is not None:
        HtmlWalker(builder, from_markdown=from_markdown).walk(root)
    return builder.build()


def _depth_above(markup: str, limit: int) -> bool:
    """Return whether more elements may be open at once than `limit`."""
    if markup.count("<") <= limit:
        return False
    depth = 0
    for match in _TAG.finditer(markup):
        name = match.group(2).lower()
        if match.group(1):
            depth = max(0, depth - 1)
        elif name not in _VOID and name not in ("p", "li", "td", "th", "tr"):
            depth += 1
            if depth > limit:
                return True
    return False


def _flat(match: re.Match[str]) -> str:
    return match.group() if match.group(2).lower() in _KEPT_WHEN_FLAT else "<p>"


def _meta(root: _Element | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for element in root.iter("meta") if root is not None else ():
        name = element.get("name") or element.get("property") or ""
        name = name or element.get("http-equiv") or ""
        if name:
            content = " ".join((element.get("content") or "").split())
            found.setdefault(name.lower(), content)
    return found
