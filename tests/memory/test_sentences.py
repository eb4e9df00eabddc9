"""Sentence splitting: right boundaries, nothing lost, linear time."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.sentences import runs, sentence_spans, sentences

ODD_PIECES = [*"aA1.!?…\n\t -*#|>()[]`~\"'“”。！？ü,:;", "é", "```", " No. ", "\u3000"]
ODD_TEXT = st.lists(st.sampled_from(ODD_PIECES)).map("".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One here. Two here.", ["One here.", "Two here."]),
        ("Really? Yes! Good.", ["Really?", "Yes!", "Good."]),
        ("Bring a pass, e.g. Visa, i.e. a card.", None),
        ("U.S. employees get it.", None),
        ("See No. 5 and Dr. Smith.", None),
        ("No. You can't.", ["No.", "You can't."]),
        (
            "He left Acme Inc. The rest stayed.",
            ["He left Acme Inc.", "The rest stayed."],
        ),
        ("Acme Inc. Berlin pays 3.5 percent.", None),
        ("J. Smith signs it.", None),
        ("Use v1.2.3 of node.js here.", None),
        ("Read https://a.example/b.c?d=e.f first.", None),
        ("Write to a.b@c.example. Go.", ["Write to a.b@c.example.", "Go."]),
        ("Wait ... then go.", None),
        ("Wait... Then go.", ["Wait...", "Then go."]),
        ("“Why?” he asked.", None),
        ("He said “Stop.” Then he left.", ["He said “Stop.”", "Then he left."]),
        ("Until 5 p.m. on Friday.", None),
        ("Pay it (see below.) Then stop.", ["Pay it (see below.)", "Then stop."]),
        ("这是一句。第二句！第三句？", ["这是一句。", "第二句！", "第三句？"]),
        ("彼は「はい。」と言った。次。", ["彼は「はい。」", "と言った。", "次。"]),
    ],
)
def test_it_splits_where_a_reader_would(text, expected):
    assert sentences(text) == (expected or [text])


def test_items_headings_rows_and_blank_lines_end_a_sentence():
    text = (
        "# Title. With a stop\nWraps over\ntwo lines. Next.\n\n- item. More\n"
        "  of it\n1. First step\n| a. b | c |\n| d | e |\nAfter"
    )
    assert sentences(text) == [
        "# Title. With a stop",
        "Wraps over\ntwo lines.",
        "Next.",
        "- item.",
        "More\n  of it",
        "1. First step",
        "| a. b | c |",
        "| d | e |",
        "After",
    ]


def test_a_fenced_block_is_one_piece_even_when_it_never_closes():
    closed = "Run:\n\n```sh\nmake. Now\n\nthen\n```\nDone."
    assert sentences(closed) == ["Run:", "```sh\nmake. Now\n\nthen\n```", "Done."]
    assert sentences("```\nopen. Text\n\nmore") == ["```\nopen. Text\n\nmore"]


def test_empty_text_has_no_sentences():
    assert sentence_spans("") == []
    assert sentence_spans(" \n\t\n") == []


@given(ODD_TEXT)
def test_spans_are_ordered_and_hold_every_visible_character(text):
    at = 0
    for start, end in sentence_spans(text):
        assert not text[at:start].strip()
        assert start < end
        assert text[start:end] == text[start:end].strip()
        at = end
    assert not text[at:].strip()


@given(ODD_TEXT)
def test_no_sentence_crosses_a_run(text):
    edges = {edge for run in runs(text) for edge in (run.start, run.end)}
    spans = sentence_spans(text)
    assert not any(start < edge < end for start, end in spans for edge in edges)


@pytest.mark.parametrize(
    "piece",
    ["word ", "A b. ", "e.g. ", ".", "\n", "a\n", ".. ", "- ", '."', "1. ", "| "],
)
def test_a_200_000_word_paragraph_comes_to_an_end(piece):
    # Quadratic time would be hours.
    text = piece * 200_000 + "x"
    spans = sentence_spans(text)
    assert spans[-1].end == len(text)
