from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.chunking import Chunker
from memory.documents import Block, BlockKind, Content, Document, Section
from memory.tokens import count_tokens

SOURCE = UUID(int=1)


def document(content: Content, title: str = "Policy") -> Document:
    return Document(SOURCE, "policy.md", title, content)


def content_of(*parts: tuple[tuple[str, ...], list[str]]) -> Content:
    """Build a content from (path, blocks); the first block of a path is its heading."""
    text, sections, blocks = "", [], []
    for path, paragraphs in parts:
        start = len(text)
        for paragraph in paragraphs:
            blocks.append(
                Block(BlockKind.PARAGRAPH, len(text), len(text) + len(paragraph))
            )
            text += paragraph + "\n\n"
        sections.append(Section(path, len(path), start, len(text)))
    return Content(text, tuple(sections), tuple(blocks))


paragraphs = st.lists(
    st.one_of(
        st.text(min_size=1, max_size=60),
        st.integers(1, 500).map(lambda n: "word " * n),
        st.integers(1, 120).map(lambda n: "One sentence here. " * n),
        st.integers(1, 1500).map(lambda n: "x" * n),
        st.integers(1, 300).map(lambda n: "漢字です。" * n),
    ),
    min_size=1,
    max_size=3,
)
contents = st.lists(
    st.tuples(st.lists(st.sampled_from("ABC"), max_size=3).map(tuple), paragraphs),
    min_size=1,
    max_size=3,
).map(lambda parts: content_of(*parts))


@given(contents)
def test_chunks_tile_the_text_but_for_white_space(content):
    chunks = Chunker().chunks(document(content))
    at = 0
    for chunk in chunks:
        assert content.text[at : chunk.start].strip() == ""
        assert chunk.text == content.text[chunk.start : chunk.end]
        at = chunk.end
    assert content.text[at:].strip() == ""


@given(contents)
def test_no_chunk_has_more_than_400_tokens(content):
    for chunk in Chunker().chunks(document(content)):
        assert count_tokens(chunk.text) <= 400
        assert chunk.tokens == count_tokens(chunk.text)


@given(contents)
def test_ids_are_unique_and_the_same_again(content):
    first = Chunker().chunks(document(content))
    assert len({chunk.id for chunk in first}) == len(first)
    assert first == Chunker().chunks(document(content))


def test_an_edit_keeps_the_ids_of_the_other_chunks():
    before = content_of((("A",), ["a " * 300]), (("B",), ["b " * 300]))
    after = content_of((("A",), ["a " * 300]), (("B",), ["changed " * 300]))
    old = {chunk.id for chunk in Chunker().chunks(document(before))}
    new = {chunk.id for chunk in Chunker().chunks(document(after))}
    assert len(old & new) == 1


def test_the_same_text_twice_has_two_ids():
    content = content_of((("A",), ["same " * 300]), (("A",), ["same " * 300]))
    chunks = Chunker().chunks(document(content))
    assert len({chunk.id for chunk in chunks}) == 2


def test_a_section_that_fits_is_one_chunk():
    content = content_of((("A",), ["a " * 200]), (("B",), ["b " * 200]))
    assert [chunk.path for chunk in Chunker().chunks(document(content))] == [
        ("A",),
        ("B",),
    ]


def test_short_sections_under_one_parent_share_a_chunk():
    content = content_of(
        (("T", "A"), ["a few words"]), (("T", "B"), ["and a few more"])
    )
    (chunk,) = Chunker().chunks(document(content))
    assert chunk.path == ("T",)


def test_short_sections_of_different_parents_do_not():
    content = content_of((("T", "A"), ["few words"]), (("U", "B"), ["and a few more"]))
    assert len(Chunker().chunks(document(content))) == 2


def test_a_long_section_is_cut_between_paragraphs_into_even_parts():
    content = content_of((("A",), ["word " * 100] * 5))
    chunks = Chunker().chunks(document(content))
    assert [chunk.tokens for chunk in chunks] == pytest.approx([300, 200], abs=10)
    assert all(chunk.text.startswith("word") for chunk in chunks)


def test_a_long_paragraph_is_cut_between_sentences():
    content = content_of((("A",), ["This is one of many sentences. " * 150]))
    chunks = Chunker().chunks(document(content))
    assert len(chunks) > 1
    assert all(chunk.text.startswith("This is") for chunk in chunks)


def test_a_chunk_that_continues_a_table_repeats_its_header():
    header = "| Level | Amount |"
    rows = [
        f"| Level {n} of the pay scale | {n * 1000} euros a year |" for n in range(60)
    ]
    text = "\n".join([header, *rows])
    blocks = [Block(BlockKind.TABLE_HEADER, 0, len(header))]
    at = len(header) + 1
    for row in rows:
        blocks.append(Block(BlockKind.TABLE_ROW, at, at + len(row), header=header))
        at += len(row) + 1
    content = Content(text, (Section((), 0, 0, len(text)),), tuple(blocks))
    first, *rest = Chunker().chunks(document(content))
    assert first.header == ""
    assert rest
    assert all(chunk.header == header for chunk in rest)
    assert all(chunk.text.startswith("| Level ") for chunk in rest)


def test_a_paragraph_of_200_000_words_is_cut_whole():
    content = content_of((("A",), ["policy " * 200_000]))
    chunks = Chunker().chunks(document(content))
    assert sum(chunk.tokens for chunk in chunks) >= 199_999
    assert len(chunks) < 600


def test_an_empty_document_has_no_chunks():
    assert Chunker().chunks(document(Content("  \n\n "))) == []
    assert Chunker().chunks(document(Content(""))) == []
