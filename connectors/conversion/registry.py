"""Which converter reads which file."""

from __future__ import annotations

from connectors.conversion.converted import (
    Converted,
    Warnings,
    first_heading,
    title_from_name,
)
from connectors.conversion.decoding import decode
from connectors.conversion.html import read_html
from connectors.conversion.markdown import convert_markdown

SUPPORTED = frozenset((".md", ".markdown", ".html", ".htm"))


def convert(data: bytes, *, name: str) -> Converted:
    """Return a file's text and properties; raises only ConversionError."""
    warnings = Warnings()
    text = decode(data, warnings)
    if name.lower().endswith((".html", ".htm")):
        page = read_html(text, warnings)
        return Converted(
            page.content,
            page.title or first_heading(page.content) or title_from_name(name),
            page.author,
            "",
            page.updated_at,
            kind="html",
            warnings=tuple(warnings.found),
        )
    return convert_markdown(text, name=name)
