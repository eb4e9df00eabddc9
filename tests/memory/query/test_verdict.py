"""A model's word on the evidence."""

import pytest

from memory.language_models.base import InvalidReply
from memory.query.base import Judgement
from memory.query.verdict import ModelVerdict
from tests.memory.answering_examples import card
from tests.memory.scripted import ScriptedModel

EVIDENCE = [card("The manager approves laptops.")]


@pytest.mark.parametrize(
    ("word", "value"), [("yes", 1.0), ("Partly", 0.5), ("no", 0.0)]
)
def test_it_is_a_number_and_what_is_missing(word, value):
    model = ScriptedModel({"answered": word, "missing": "  for\ninterns "})
    judged = ModelVerdict(model).judge("Who?", EVIDENCE)
    assert judged == Judgement(value, "for interns")
    assert EVIDENCE[0].text in model.requests[0].user


def test_without_evidence_nothing_is_asked():
    model = ScriptedModel({})
    assert ModelVerdict(model).judge("Who?", []) == Judgement(0.0)
    assert model.requests == []


@pytest.mark.parametrize("value", [{}, [], {"answered": True}, {"answered": "maybe"}])
def test_another_word_is_no_verdict(value):
    with pytest.raises(InvalidReply):
        ModelVerdict(ScriptedModel(value)).judge("Who?", EVIDENCE)
