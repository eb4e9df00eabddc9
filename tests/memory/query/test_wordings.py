"""Transform, expansion and words: what is searched with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.documents import Turn
from memory.query.expansion import PseudoRelevance
from memory.query.transform import LocalTransform, depends_on_thread, fold
from memory.query.words import content_words, has_word, stem, stems
from tests.memory.query.examples import candidate


def asked(text, *earlier):
    history = [Turn("user", turn) for turn in earlier]
    return [(q.text, q.weight, q.kind) for q in LocalTransform().queries(text, history)]


def test_a_question_that_stands_alone_is_searched_as_it_is():
    text = "How many vacation days does a new employee in Berlin have?"
    assert asked(text, "Who signs off a laptop?") == [(text, 1.0, "original")]


def test_a_follow_up_gets_the_content_words_of_the_last_turn_alone():
    found = asked("and for interns?", "Where is lunch?", "Who signs off a laptop?")
    assert found == [
        ("and for interns?", 0.3, "original"),
        ("and for interns? signs laptop", 1.0, "canonical"),
    ]


def test_the_assistants_turns_are_not_folded_in():
    history = [Turn("user", "Who approves?"), Turn("assistant", "Ask the director.")]
    folded = LocalTransform().queries("and when?", history)[-1].text
    assert "director" not in folded


@pytest.mark.parametrize(
    ("text", "depends"),
    [
        ("and for interns?", True),
        ("what about the livestream?", True),
        ("is it paid?", True),
        ("How do I expense a monitor for my home office desk?", False),
        ("Which contact roles do I tag before handing over an SMB deal?", False),
    ],
)
def test_it_knows_what_cannot_stand_alone(text, depends):
    assert depends_on_thread(text) is depends


@given(st.text(max_size=80), st.text(max_size=80))
def test_folding_keeps_the_question_whole_and_adds_no_word_of_its_own(text, earlier):
    folded = fold(text, earlier)
    assert folded.startswith(text)
    added = folded[len(text) :].split()
    assert set(added) <= set(content_words(earlier))


def test_expansion_adds_the_words_that_set_the_best_chunks_apart():
    top = [candidate(n, text="Reimbursement of receipts by Deel.") for n in range(1, 4)]
    rest = [candidate(n, text="Something about offices.") for n in range(4, 30)]
    (query,) = PseudoRelevance(feedback_chunks=3).expansions("pay back", [*top, *rest])
    assert query.text.startswith("pay back ")
    assert {"Reimbursement", "receipts", "Deel"} <= set(query.text.split())
    assert "offices" not in query.text
    assert (query.kind, query.weight) == ("expansion", 0.5)


def test_without_candidates_there_is_no_expansion():
    assert PseudoRelevance().expansions("pay back", []) == []


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("approvals", "approval"),
        ("policies", "policy"),
        ("Laptops", "laptop"),
        ("manager's", "manager"),
    ],
)
def test_forms_of_a_word_have_one_stem(left, right):
    assert stem(left) == stem(right)


def test_function_words_are_left_out():
    assert stems("How do I get it to the office?") == stems("office")


@pytest.mark.parametrize(
    ("text", "found"), [("?!…", False), ("👍", False), ("休暇", True)]
)
def test_a_word_is_a_letter_or_digit_in_any_script(text, found):
    assert has_word(text) is found
