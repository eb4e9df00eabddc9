"""Attribution: only evidence's documents, precise, and the text untouched."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.answering import ExtractiveAnswerer
from memory.attribution import LocalAttributor
from memory.documents import ABSTENTION, Sentence
from memory.query.base import Draft
from tests.memory.answering_examples import WordEmbedder, card
from tests.memory.test_answering_units import ODD_LINES

HOTELS = "Hotels cost at most 300 USD per night, parking included."
TRAVEL = card(f"# Travel\n\n{HOTELS} Trains are first class.", document="travel")


def attribute(draft, evidence):
    return LocalAttributor(WordEmbedder()).attribute("question", draft, evidence)


def verbatim(text, *cards):
    pieces = (Sentence(0, len(text), chunk_ids=tuple(c.chunk_id for c in cards)),)
    return Draft(text, extractive=True, sentences=pieces)


def written(text):
    return Draft(text, extractive=False)


def test_a_verbatim_piece_has_its_own_document():
    (sentence,) = attribute(
        verbatim(HOTELS, TRAVEL), [TRAVEL, card("Other text here.")]
    )
    assert sentence.document_ids == (TRAVEL.document_id,)
    assert sentence.chunk_ids == (TRAVEL.chunk_id,)


def test_another_document_that_says_the_same_comes_second():
    copy = card(f"- {HOTELS.upper()}", document="copy")
    (sentence,) = attribute(verbatim(HOTELS, TRAVEL), [copy, TRAVEL])
    assert sentence.document_ids == (TRAVEL.document_id, copy.document_id)


@pytest.mark.parametrize(
    "text",
    [
        "Hotels cost at most 250 USD per night, parking included.",
        "Hotels cost at most 300 USD per night, parking included in Berlin.",
        "Hotels are booked by the travel team, up to 300 USD.",
    ],
)
def test_a_document_with_another_number_name_or_matter_is_left_out(text):
    other = card(text, document="other")
    (sentence,) = attribute(verbatim(HOTELS, TRAVEL), [TRAVEL, other])
    assert sentence.document_ids == (TRAVEL.document_id,)


def test_a_short_phrase_that_every_page_has_links_no_other_page():
    pages = [card("See below.", document=name) for name in "abc"]
    (sentence,) = attribute(verbatim("See below.", pages[1]), pages)
    assert sentence.document_ids == (pages[1].document_id,)


def test_copies_never_bring_a_reply_above_three_documents():
    pages = [card(HOTELS, document=name) for name in "abcdef"]
    (sentence,) = attribute(verbatim(HOTELS, pages[2]), pages)
    assert sentence.document_ids == tuple(pages[n].document_id for n in (2, 0, 1))


def test_a_chunk_that_is_no_evidence_is_refused():
    with pytest.raises(ValueError, match="isn't evidence"):
        attribute(verbatim(HOTELS, card("Elsewhere.")), [TRAVEL])


def test_an_abstention_links_nothing():
    assert attribute(Draft(ABSTENTION, extractive=True), [TRAVEL]) == ()
    assert attribute(written(f" {ABSTENTION}\n"), [TRAVEL]) == ()


def test_a_written_sentence_goes_to_the_document_that_supports_it():
    meals = card("Meals cost at most 80 USD per day.", document="meals")
    text = "A hotel costs at most 300 USD per night. Meals cost 80 USD per day."
    first, second = attribute(written(text), [meals, TRAVEL])
    assert text[first.start : first.end] == "A hotel costs at most 300 USD per night."
    assert first.document_ids == (TRAVEL.document_id,)
    assert (second.document_ids, second.chunk_ids) == (
        (meals.document_id,),
        (meals.chunk_id,),
    )


@pytest.mark.parametrize(
    "text",
    ["Hotels cost at most 400 USD per night.", "Unicorns graze beyond the mountains."],
)
def test_a_written_sentence_without_support_has_no_document(text):
    (sentence,) = attribute(written(text), [TRAVEL])
    assert (sentence.document_ids, sentence.chunk_ids) == ((), ())


def test_a_number_in_words_agrees_with_its_digits():
    source = card("Requests are answered within 2 working days.", document="requests")
    (sentence,) = attribute(
        written("Requests are answered within two working days."), [source]
    )
    assert sentence.document_ids == (source.document_id,)


def test_no_evidence_means_no_documents():
    (sentence,) = attribute(written("Hotels cost 300 USD."), [])
    assert sentence.document_ids == ()


@given(
    st.lists(st.tuples(ODD_LINES, st.sampled_from("abcde")), max_size=5),
    st.booleans(),
)
def test_only_documents_of_the_evidence_and_the_draft_s_own_offsets(texts, extractive):
    evidence = [
        card(text, document=name, chunk=str(number))
        for number, (text, name) in enumerate(texts)
    ]
    draft = ExtractiveAnswerer(WordEmbedder()).answer("how a b?", (), evidence)
    if not extractive:
        draft = replace(draft, extractive=False)
    text = draft.text
    sentences = attribute(draft, evidence)
    document_of: dict[UUID, UUID] = {c.chunk_id: c.document_id for c in evidence}
    assert draft.text == text
    assert [(s.start, s.end) for s in sentences] == [
        (s.start, s.end) for s in draft.sentences
    ]
    for sentence in sentences:
        assert set(sentence.document_ids) <= set(document_of.values())
        assert set(sentence.chunk_ids) <= set(document_of)
        if extractive:
            assert sentence.document_ids[0] == document_of[sentence.chunk_ids[0]]
