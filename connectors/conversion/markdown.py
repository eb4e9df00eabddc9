"""Markdown to Content, by way of HTML, so that HTML in Markdown needs no second way."""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore

from connectors.conversion.converted import Converted, Warnings
from connectors.conversion.front_matter import split_front_matter
from connectors.conversion.html import html_content
from memory.documents import Content

#: `{#name}` gives a list item or paragraph an anchor; headings keep theirs.
_ATTRIBUTE = re.compile(r"[ \t]*\{#[\w.:-]+\}")
_MAX_NESTING = 100
#: A line that opens more quotes and lists than the parser follows. A rule ("* * *")
#: isn't one: text comes after the marks.
_DEEP = re.compile(
    r"^((?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))){40,}+)(?=[ \t]*\S)", re.M
)


def _drop_attributes(state: StateCore) -> None:
    for before, token in zip(state.tokens, state.tokens[1:], strict=False):
        if token.type != "inline" or before.type == "heading_open":
            continue
        for child in token.children or ():
            if child.type == "text" and "{#" in child.content:
                child.content = _ATTRIBUTE.sub("", child.content)


class _Parser(MarkdownIt):
    """Leaves link targets as they are written; `clean_url` drops harmful ones."""

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802
        return url


_PARSER = _Parser("commonmark", {"html": True, "maxNesting": _MAX_NESTING}).enable(
    "table"
)
_PARSER.core.ruler.push("drop_attributes", _drop_attributes)


def markdown_content(text: str, warnings: Warnings) -> Content:
    """Return the content of Markdown without front matter (CommonMark and tables).

    The parser drops what's nested deeper than 100 elements, so lines that open more
    quotes and lists than 40 at once lose those marks, with a warning.
    """
    text, deep = _DEEP.subn("", text)
    if deep:
        warnings.add(
            "deep_nesting",
            f"{deep:,} lines are nested too deep; they were read as paragraphs.",
        )
    return html_content(_PARSER.render(text), warnings, from_markdown=True)


def convert_markdown(text: str, warnings: Warnings) -> Converted:
    """Return a Markdown file; what its front matter says isn't part of the text."""
    front, body = split_front_matter(text, warnings)
    return Converted(
        content=markdown_content(body, warnings),
        title=front.title,
        author=front.author,
        owner=front.owner,
        updated_at=front.updated_at,
        status=front.status,
        kind="markdown",
    )
