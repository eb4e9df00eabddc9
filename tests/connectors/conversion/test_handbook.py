"""On a real company's pages: all are read, fast, and hold what questions need."""

import json
import re

import pytest

from connectors.conversion import convert
from connectors.errors import ConversionError
from memory.documents import BlockKind
from tests.connectors.conversion.checks import check_content

_LINK_TARGET = re.compile(
    r'\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*(?: "[^"]*")?\)|\]\[[^\]]*\]'
)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_NO_LETTER = re.compile(r"[\W_]+")


def letters(text: str) -> str:
    """Return letters and digits alone: of a quote in Markdown, what a reader sees."""
    return _NO_LETTER.sub("", _TAG.sub("", _LINK_TARGET.sub("]", text)).lower())


@pytest.fixture(scope="module")
def pages(shared):
    """Return every page by its path."""
    root = shared / "corpora" / "handbook"
    sources = {
        str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*.md"))
    }
    found = {}
    for name, data in sources.items():
        try:
            found[name] = convert(data, name=name)
        except ConversionError as error:
            assert error.reason == "empty"  # noqa: PT017
            assert len(data) < 2
    assert len(found) > 870
    return found


def test_all_pages_are_well_formed(pages):
    for page in pages.values():
        check_content(page.content)
        assert page.title
        assert page.warnings == ()


def test_every_gold_quote_is_in_its_pages_text(pages, shared):
    texts = {name: letters(page.content.text) for name, page in pages.items()}
    lines = (shared / "questions" / "handbook.jsonl").read_text().splitlines()
    quotes = [quote for line in lines for quote in json.loads(line)["evidence"]]
    assert len(quotes) > 200
    missing = [q for q in quotes if letters(q["quote"]) not in texts[q["document"]]]
    assert missing == []


def test_html_tables_have_their_headers(pages):
    page = pages["departments/people-talent/equity-refresh-program.md"].content
    [row] = [
        block
        for block in page.blocks
        if block.kind is BlockKind.TABLE_ROW
        and page.text[block.start : block.end].startswith("| M6 |")
    ]
    assert row.header.startswith("| Level | # of Options fo 1 Score")
