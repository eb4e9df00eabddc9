"""A judge by a model: what it's told, what its word does, and that it can fail."""

import json

import pytest

from memory.documents import ABSTENTION, Outcome
from memory.evaluation.datasets import EvaluationQuestion
from memory.evaluation.judging import observe
from memory.evaluation.model_judge import Judged, ModelJudge, parse_judged
from memory.evaluation.responses import Response
from memory.language_models.base import ModelUnavailable
from tests.memory.scripted import ScriptedModel

QUESTION = EvaluationQuestion(
    "q1",
    "basic",
    "Who approves laptops?",
    answerable=True,
    answer="The manager.",
    facts=("the manager approves", "within five days"),
)


def response(text="Your boss does.", outcome=Outcome.ANSWERED):
    return Response((), (), 1.0, 1.0, outcome=outcome, linked=(), text=text)


def test_it_is_told_question_answer_and_numbered_facts():
    model = ScriptedModel({"stated": [1, 7, True], "correct": True})
    assert ModelJudge(model).judge(QUESTION, response()) == Judged(True, 1, 2)
    assert json.loads(model.requests[0].user) == {
        "question": "Who approves laptops?",
        "expected": "The manager.",
        "facts": {"1": "the manager approves", "2": "within five days"},
        "answer": "Your boss does.",
    }
    assert ModelJudge(model).name.startswith("scripted/judge-1.")


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (QUESTION, response(ABSTENTION, Outcome.ABSTAINED)),
        (QUESTION, response("Down.", Outcome.FAILED)),
        (EvaluationQuestion("q", "t", "?", answerable=False), response()),
        (EvaluationQuestion("q", "t", "?", answerable=True), response()),
    ],
)
def test_what_needs_no_judge_is_not_sent(question, answer):
    model = ScriptedModel({})
    assert ModelJudge(model).judge(question, answer) is None
    assert model.requests == []


@pytest.mark.parametrize("reply", [ModelUnavailable("away"), {}, {"correct": "yes"}])
def test_a_judge_that_fails_has_no_word(reply):
    assert ModelJudge(ScriptedModel(reply)).judge(QUESTION, response()) is None


def test_its_word_counts_instead_of_the_quotes():
    def wrong(judged):
        return observe(QUESTION, response(), {}, judged)

    assert "wrong_rate" not in wrong(None)
    assert wrong(Judged(True, 1, 2))["wrong_rate"] == 0
    assert wrong(Judged(True, 1, 2))["complete"] == 0.5
    assert wrong(Judged(False))["wrong_rate"] == 1


def test_another_shape_is_refused():
    with pytest.raises(ValueError, match="stated"):
        parse_judged({"correct": True, "stated": 1}, 2)
