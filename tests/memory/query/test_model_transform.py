"""Wordings by a model: what they must keep, what's dropped, the paper's single call."""

import json

import pytest

from memory.documents import Turn
from memory.language_models.base import InvalidReply, ModelUnavailable
from memory.query.model_transform import (
    ModelExpander,
    ModelTransform,
    PaperTransform,
    WordingDropped,
)
from memory.query.wording import exact_words, invented_numbers, keeps_exact_words
from tests.memory.scripted import ScriptedModel

THREAD = (
    Turn("user", "Who approves a laptop that costs 2,000 euros?"),
    Turn("assistant", "Your manager."),
)


def wordings(queries):
    return [(query.kind, query.text, query.weight) for query in queries]


def transformed(reply, text="and for interns?", history=THREAD, **options):
    model = ScriptedModel({"query": reply} if isinstance(reply, str) else reply)
    return ModelTransform(model, **options).queries(text, history), model


def test_a_follow_up_gets_a_canonical_wording_that_outweighs_it():
    queries, model = transformed("Who approves a laptop for interns?")
    assert wordings(queries) == [
        ("original", "and for interns?", 0.3),
        ("canonical", "Who approves a laptop for interns?", 1.0),
    ]
    told = json.loads(model.requests[0].user)
    assert told["question"] == "and for interns?"
    assert [turn["from"] for turn in told["earlier"]] == ["user", "assistant"]


def test_a_question_that_stands_alone_weighs_as_much_as_its_canonical_wording():
    queries, _ = transformed("Who approves laptops?", "laptops, who approves?", ())
    assert [query.weight for query in queries] == [1.0, 1.0]


def test_a_wording_that_repeats_the_question_is_no_route():
    queries, _ = transformed("Who approves laptops?", "Who approves laptops?", ())
    assert wordings(queries) == [("original", "Who approves laptops?", 1.0)]


def test_replies_are_not_sent_where_a_source_may_not_leave():
    _, model = transformed("Who approves for interns?", may_read_replies=lambda: False)
    assert "Your manager" not in model.requests[0].user
    assert "approves a laptop" in model.requests[0].user


@pytest.mark.parametrize(
    ("question", "wording"),
    [
        ("What changed on 3 May 2026?", "What changed on 3 May?"),
        ("What changed in may 2026?", "What changed in May 2025?"),
        ("Who owns ticket OPS-1234?", "Who owns the ticket?"),
        ("Does Nadia approve it?", "Does the manager approve it?"),
        ("is SSO on for iPhone users", "Is single sign-on on for phone users?"),
        ('What does "hard stop" mean?', "What does a stop mean?"),
        ("How long is leave?", "How long is the leave of 20 days?"),
        ("Was steht in Absatz 4?", "Was steht im Absatz?"),
    ],
)
def test_a_wording_that_loses_or_invents_a_fact_is_dropped(question, wording):
    with pytest.raises(WordingDropped):
        transformed(wording, question, ())


@pytest.mark.parametrize(
    ("question", "wording"),
    [
        ("Who approves laptops?", "Which person approves laptops?"),
        ("Can I take PTO in May 2026?", "May an employee take PTO in May 2026?"),
        ("What is Nadia's role?", "What role does Nadia have?"),
        ("WHO APPROVES 3 LAPTOPS", "Who approves 3 laptops?"),
        ("It broke. Who fixes it?", "Who fixes a thing that broke?"),
    ],
)
def test_a_wording_that_keeps_them_is_taken(question, wording):
    queries, _ = transformed(wording, question, ())
    assert queries[-1].text == wording


def test_numbers_of_the_thread_may_be_folded_in():
    queries, _ = transformed("Who approves a laptop of 2,000 euros for interns?")
    assert queries[-1].kind == "canonical"


def test_exact_words_are_names_numbers_dates_and_codes():
    text = "Did Nadia move GDPR ticket OPS-12 to monday? The iPad too."
    assert exact_words(text) == {"nadia", "gdpr", "ops-12", "monday", "ipad"}
    assert keeps_exact_words(text, text)
    assert invented_numbers("20 days", "20 weeks") == frozenset()


@pytest.mark.parametrize("reply", [{}, {"query": " "}, {"query": "?!"}, [], "text"])
def test_a_reply_without_a_query_is_no_wording(reply):
    model = ScriptedModel(reply)
    with pytest.raises(InvalidReply):
        ModelTransform(model).queries("Who approves?", ())
    assert len(model.requests) == 3


def test_up_to_three_expansions_of_half_weight_without_repeats():
    reply = {"queries": ["Who signs off?", "who approves?", "who signs off?", "a", "b"]}
    model = ScriptedModel(reply)
    queries = ModelExpander(model).expansions("Who approves?", ())
    assert wordings(queries) == [("expansion", "Who signs off?", 0.5)]
    assert json.loads(model.requests[0].user) == {"question": "Who approves?"}


def test_an_expansion_with_a_number_that_nobody_asked_for_is_left_out():
    reply = {"queries": ["laptops over 36 months", "old laptops", "laptops at 3 years"]}
    queries = ModelExpander(ScriptedModel(reply)).expansions("laptops over 3 years", ())
    assert [query.text for query in queries] == ["old laptops", "laptops at 3 years"]


def test_the_papers_call_gives_canonical_and_expansions_with_its_weights():
    reply = {"queries": ["C", "E1", "E2", "E3", "E4"]}
    model = ScriptedModel(reply)
    queries = PaperTransform(model).queries("Q", THREAD)
    assert wordings(queries) == [
        ("original", "Q", 1.0),
        ("canonical", "C", 1.0),
        ("expansion", "E1", 0.5),
        ("expansion", "E2", 0.5),
        ("expansion", "E3", 0.5),
    ]
    assert json.loads(model.requests[0].user) == {"question": "Q"}


def test_in_the_papers_call_a_repeat_consumes_its_place():
    reply = ["Q", "E1", "E1", "E2"]
    queries = PaperTransform(ScriptedModel(reply)).queries("Q", ())
    assert [(query.kind, query.text) for query in queries] == [
        ("original", "Q"),
        ("expansion", "E1"),
        ("expansion", "E2"),
    ]


@pytest.mark.parametrize("stage", [ModelTransform, PaperTransform])
def test_a_model_that_is_away_is_told(stage):
    with pytest.raises(ModelUnavailable):
        stage(ScriptedModel(ModelUnavailable("away"))).queries("Q", ())
