import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.conversion import builder as builder_module
from connectors.conversion.builder import ContentBuilder
from connectors.conversion.rich import Rich, RichBuffer, clean_url
from connectors.errors import ConversionError
from memory.documents import BlockKind, Content, Link
from tests.connectors.conversion.checks import anchors, check_content

_TEXT = st.text(
    st.one_of(st.sampled_from("ab |\\`#->\n\t\xa0\u200b\x00"), st.characters()),
    max_size=30,
)


@st.composite
def _rich(draw):
    """Text with links, collected as the converters do it."""
    buffer = RichBuffer(joined=draw(st.booleans()))
    for _ in range(draw(st.integers(0, 4))):
        action = draw(st.sampled_from(("text", "link", "break")))
        if action == "text":
            buffer.add(draw(_TEXT))
        elif action == "break":
            buffer.break_line()
        else:
            buffer.open_link("https://example.com/x")
            buffer.add(draw(_TEXT))
            buffer.close_link()
    return buffer.take()


_CELL = st.one_of(_TEXT, _rich())
_ROWS = st.lists(st.lists(_CELL, max_size=4), max_size=4)
_STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("heading"), _CELL, st.integers(0, 9)),
        st.tuples(st.just("paragraph"), _CELL, st.none()),
        st.tuples(st.just("item"), _CELL, st.integers(0, 3)),
        st.tuples(st.just("quote"), _CELL, st.none()),
        st.tuples(st.just("code"), _TEXT, st.none()),
        st.tuples(st.just("table"), st.none() | st.lists(_CELL, max_size=4), _ROWS),
    ),
    max_size=12,
)


def _build(steps) -> Content:
    builder = ContentBuilder()
    for name, value, extra in steps:
        if name == "heading":
            builder.heading(value, extra)
        elif name == "paragraph":
            builder.paragraph(value)
        elif name == "item":
            builder.list_item(value, depth=extra, ordinal=extra or None)
        elif name == "quote":
            builder.quote(value)
        elif name == "code":
            builder.code(value)
        else:
            builder.table(value, extra)
    return builder.build()


@given(_STEPS)
def test_sections_tile_and_blocks_are_ordered_whatever_is_added(steps):
    content = _build(steps)
    check_content(content)
    content.text.encode()


@given(_STEPS, _STEPS)
def test_an_appended_document_keeps_its_blocks_and_links(first, second):
    inner = _build(second)
    builder = ContentBuilder()
    builder.append(_build(first))
    builder.append(inner, below=2)
    content = builder.build()
    check_content(content)
    tail = content.blocks[len(content.blocks) - len(inner.blocks) :]
    assert [b.kind for b in tail] == [b.kind for b in inner.blocks]
    assert anchors(content)[len(content.links) - len(inner.links) :] == anchors(inner)


@given(_rich(), st.lists(st.integers(0, 40), unique=True))
def test_links_stay_on_their_text_when_something_is_inserted(text, positions):
    positions = sorted(p for p in positions if p < len(text.text))
    longer = text.inserted(positions, "§§")
    assert longer.text.replace("§§", "") == text.text.replace("§§", "")
    for before, after in zip(text.links, longer.links, strict=True):
        shown = longer.text[after.start : after.end]
        assert shown.replace("§§", "") == text.text[before.start : before.end]


def test_it_writes_each_kind_in_markdowns_shape():
    builder = ContentBuilder()
    builder.heading("Leave", 1)
    builder.paragraph("Everyone  has\nleave.")
    builder.list_item("one", ordinal=3)
    builder.list_item("inner", depth=1)
    builder.quote("said\ntwice")
    builder.code("a\n  b", language="python")
    builder.table(["Who", "Days"], [["All | most", "25"], ["Interns"]])
    assert builder.build().text == (
        "# Leave\n\nEveryone has\nleave.\n\n3. one\n  - inner\n\n> said\n> twice\n\n"
        "```python\na\n  b\n```\n\n| Who | Days |\n| All \\| most | 25 |\n| Interns |  |"
    )


def test_a_sections_path_holds_its_ancestors_whatever_levels_are_left_out():
    builder = ContentBuilder()
    builder.paragraph("before")
    for title, level in (("A", 1), ("B", 3), ("C", 2), ("C", 2), ("", 1), ("D", 1)):
        builder.heading(title, level)
    paths = [section.path for section in builder.build().sections]
    assert paths == [(), ("A",), ("A", "B"), ("A", "C"), ("A", "C"), ("D",)]


def test_a_row_names_the_header_line_as_it_stands():
    builder = ContentBuilder()
    builder.table(["A|B", "C"], [["1", "2"]])
    builder.table(None, [["3", "4"]])
    content = builder.build()
    rows = [b for b in content.blocks if b.kind is BlockKind.TABLE_ROW]
    assert [row.header for row in rows] == ["| A\\|B | C |", ""]
    assert content.text.startswith(rows[0].header)


def test_a_link_in_a_cell_lies_on_its_text_behind_escapes():
    cell = Rich("a|b see here", (Link(8, 12, "x"),))
    builder = ContentBuilder()
    builder.table(None, [["p|q", cell]])
    assert anchors(builder.build()) == [("here", "x")]


def test_a_fence_is_longer_than_any_inside():
    builder = ContentBuilder()
    builder.code("```\nx\n```")
    assert builder.build().text == "````\n```\nx\n```\n````"


def test_a_document_without_text_has_no_sections():
    assert ContentBuilder().build() == Content("")


def test_it_refuses_endless_text(monkeypatch):
    monkeypatch.setattr(builder_module, "MAX_CHARACTERS", 50)
    builder = ContentBuilder()
    with pytest.raises(ConversionError, match="longer than 50") as refusal:
        builder.paragraph("x" * 51)
    assert refusal.value.reason == "too_large"


@pytest.mark.parametrize(
    "url", ["javascript:x", " Java\nScript:x", "data:text/html,x", None]
)
def test_it_drops_links_that_run_something(url):
    assert clean_url(url) == ""


def test_white_space_collapses_across_pieces_and_links():
    buffer = RichBuffer()
    for piece in ("  a ", " \n", "b"):
        buffer.add(piece)
    buffer.open_link("u")
    buffer.add(" c ")
    buffer.close_link()
    buffer.add(" d ")
    rich = buffer.take()
    assert rich.text == "a b c d"
    assert [rich.text[x.start : x.end] for x in rich.links] == ["c"]


def test_parts_of_a_cell_are_joined_by_a_semicolon_unless_punctuated():
    buffer = RichBuffer(joined=True)
    for piece in ("one", "two.", "three"):
        buffer.add(piece)
        buffer.break_line()
    assert buffer.take().text == "one; two. three"
    assert re.sub(r"\s", "", buffer.take().text) == ""
