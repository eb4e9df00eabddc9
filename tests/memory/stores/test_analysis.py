"""Both sides of a keyword search go through the same analysis."""

import pytest

from memory.stores.analysis import MAX_WORDS, indexed_text, query_text


@pytest.mark.parametrize(
    ("one", "other"),
    [("Laptops", "laptop"), ("café", "CAFE"), ("replaced", "replacing"), ("36", "36")],
)
def test_forms_of_a_word_are_one_word(one, other):
    assert indexed_text(one, "word") == query_text(other, "word") != ""


def test_words_of_grammar_are_not_asked_unless_there_is_no_other():
    assert query_text("When is the laptop replaced?", "word") == "laptop replac"
    assert query_text("What is this?", "word") != ""


def test_marks_of_other_scripts_stay():
    assert indexed_text("が й", "word") == "が й"


@pytest.mark.parametrize("tokenization", ["word", "trigram", "gse", "kagome_kr"])
@pytest.mark.parametrize("text", ["", "  ", "?!", "___", "-- ~ * (:"])
def test_a_text_without_a_word_is_no_query(tokenization, text):
    assert query_text(text, tokenization) == ""


def test_a_paste_is_cut():
    text = " ".join(f"w{at}" for at in range(2 * MAX_WORDS))
    assert len(query_text(text, "word").split()) == MAX_WORDS
    assert len(query_text("x" * 20_000, "trigram")) == 1_000
    assert query_text("laptop " + "x" * 20_000, "word") == "laptop"


def test_no_sign_of_a_query_reaches_the_server():
    assert query_text('"laptop" AND -desk~2', "trigram") == "laptop and desk 2"
