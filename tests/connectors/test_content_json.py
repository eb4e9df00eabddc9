"""Content to JSON and back."""

import json

from hypothesis import given
from hypothesis import strategies as st

from connectors.content_json import content_hash, from_json, storable, to_json
from memory.documents import Block, BlockKind, Content, Link, Section
from tests.connectors.worlds import document

texts = st.text(max_size=30)
offsets = st.integers(0, 1000)
contents = st.builds(
    Content,
    text=st.text(max_size=200),
    sections=st.lists(
        st.builds(
            Section,
            st.lists(texts, max_size=3).map(tuple),
            st.integers(0, 6),
            offsets,
            offsets,
            texts,
        ),
        max_size=4,
    ).map(tuple),
    blocks=st.lists(
        st.builds(
            Block,
            st.sampled_from(BlockKind),
            offsets,
            offsets,
            st.integers(0, 5),
            texts,
        ),
        max_size=4,
    ).map(tuple),
    links=st.lists(st.builds(Link, offsets, offsets, texts), max_size=3).map(tuple),
    unhandled=st.dictionaries(texts, st.integers(1, 9), max_size=3),
)


@given(contents)
def test_a_content_comes_back_equal_from_json_text(content):
    assert from_json(json.loads(json.dumps(to_json(content)))) == content


@given(contents, contents)
def test_hashes_are_equal_exactly_when_contents_are(one, other):
    same = content_hash("t", to_json(one)) == content_hash("t", to_json(other))
    assert same == (one == other)


def test_another_title_is_another_hash():
    value = to_json(Content("text"))
    assert content_hash("One", value) != content_hash("Two", value)


def test_what_no_database_takes_is_replaced_one_for_one(source_like):
    content = Content(
        "a\x00b\ud800c",
        (Section(("x\x00",), 1, 0, 5, "\udfff"),),
        (Block(BlockKind.TABLE_ROW, 0, 5, 0, "h\x00"),),
        (Link(0, 1, "u\x00"),),
        {"k\x00": 1},
    )
    cleaned = storable(document(source_like, "n\x00", title="t\ud900", content=content))
    assert cleaned.external_id == "n\ufffd"
    assert cleaned.title == "t\ufffd"
    assert cleaned.content == Content(
        "a\ufffdb\ufffdc",
        (Section(("x\ufffd",), 1, 0, 5, "\ufffd"),),
        (Block(BlockKind.TABLE_ROW, 0, 5, 0, "h\ufffd"),),
        (Link(0, 1, "u\ufffd"),),
        {"k\ufffd": 1},
    )


def test_storable_content_is_left_as_it_is(source_like):
    found = document(source_like, "n", "plain \U0001f600 text")
    assert storable(found).content is found.content
