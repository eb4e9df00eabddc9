"""Attribution by a model: by sentence, both kinds of ids, and nothing outside."""

import json
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.attribution import ModelAttributor, PaperAttributor
from memory.documents import ABSTENTION, Sentence
from memory.language_models.base import InvalidReply
from memory.query.base import Draft
from memory.sentences import sentence_spans
from tests.memory.answering_examples import card
from tests.memory.scripted import ScriptedModel

TEXT = "Your manager approves it. IT orders it."
EVIDENCE = [
    card("The manager approves laptops.", document="policy"),
    card("IT orders laptops.", document="it"),
    card("Interns have a buddy.", document="policy"),
]
POLICY, IT, BUDDY = EVIDENCE


def draft(text=TEXT):
    return Draft(
        text,
        extractive=False,
        sentences=tuple(Sentence(*span) for span in sentence_spans(text)),
    )


def attributed(*sentences, kind=ModelAttributor, text=TEXT):
    value = {"sentences": [{"sentence": n, "ids": ids} for n, ids in sentences]}
    model = ScriptedModel(value)
    return kind(model).attribute("Who?", draft(text), EVIDENCE), model


def test_each_sentence_gets_the_documents_of_the_chunks_that_are_named():
    (first, second), model = attributed(
        (1, [str(POLICY.chunk_id), str(BUDDY.chunk_id)]), (2, [str(IT.chunk_id)])
    )
    assert first.document_ids == (POLICY.document_id,)
    assert first.chunk_ids == (POLICY.chunk_id, BUDDY.chunk_id)
    assert second.document_ids == (IT.document_id,)
    told = json.loads(model.requests[0].user.split("\n\n")[0])
    assert told["fixed_answer"] == TEXT
    assert [one["text"] for one in told["sentences"]] == [
        "Your manager approves it.",
        "IT orders it.",
    ]


def test_document_ids_are_accepted_and_stand_with_their_best_card():
    (first, second), _ = attributed((1, [str(POLICY.document_id).upper()]), (2, []))
    assert first.document_ids == (POLICY.document_id,)
    assert first.chunk_ids == (POLICY.chunk_id,)
    assert second.document_ids == ()


def test_ids_outside_the_evidence_are_dropped():
    (first, second), _ = attributed(
        (1, [str(uuid4()), "policy"]), (7, [str(IT.chunk_id)])
    )
    assert first.document_ids == second.document_ids == ()


@pytest.mark.parametrize(
    "value",
    [[], {}, {"sentences": {}}, {"sentences": [{"sentence": "1", "ids": []}]}],
)
def test_a_reply_of_another_shape_is_refused(value):
    with pytest.raises(InvalidReply):
        ModelAttributor(ScriptedModel(value)).attribute("Who?", draft(), EVIDENCE)


@pytest.mark.parametrize("kind", [ModelAttributor, PaperAttributor])
def test_an_abstention_is_not_asked_about(kind):
    sentences, model = attributed(kind=kind, text=ABSTENTION)
    assert sentences == ()
    assert model.requests == []


def test_the_papers_form_names_documents_of_the_whole_answer():
    ids = [str(IT.document_id), str(POLICY.chunk_id), str(uuid4())]
    model = ScriptedModel({"document_ids": ids})
    (whole,) = PaperAttributor(model).attribute("Who?", draft(), EVIDENCE)
    assert (whole.start, whole.end) == (0, len(TEXT))
    assert whole.document_ids == (IT.document_id, POLICY.document_id)


IDS = st.sampled_from(
    [str(c.chunk_id) for c in EVIDENCE] + [str(c.document_id) for c in EVIDENCE]
) | st.text(max_size=8)


@given(st.lists(st.tuples(st.integers(-1, 4), st.lists(IDS, max_size=5)), max_size=5))
def test_reported_documents_are_always_loaded_and_spans_the_drafts_own(named):
    sentences, _ = attributed(*named)
    loaded = {card.document_id for card in EVIDENCE}
    assert [(s.start, s.end) for s in sentences] == sentence_spans(TEXT)
    for sentence in sentences:
        assert set(sentence.document_ids) <= loaded
        assert len(set(sentence.document_ids)) == len(sentence.document_ids)
