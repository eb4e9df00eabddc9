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


def _drop_attributes(state: StateCore) -> None:
    for before, token in zip(state.tokens, state.tokens[1:], strict=False):
        if token.type != "inline" or before.type == "heading_open":
            continue
        for child in token.children or ():
            if child.type == "text" and "{#" in child.content:
                child.content = _ATTRIBUTE.sub("", child.content)


_PARSER = MarkdownIt("commonmark", {"html": True}).enable("table")
_PARSER.core.ruler.push("drop_attributes", _drop_attributes)


def markdown_content(text: str, warnings: Warnings) -> Content:
    """Return the content of Markdown without front matter (CommonMark and tables)."""
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
