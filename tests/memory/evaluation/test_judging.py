from dataclasses import replace
from uuid import UUID

import pytest

from memory.documents import Outcome, Sentence
from memory.evaluation.datasets import EvaluationQuestion, Quote, Span, withhold
from memory.evaluation.judging import is_found, observe, passages
from memory.evaluation.responses import Response
from tests.memory.evaluation.fakes import evidence_of, make_chunk

A, B, C, D, E, F = (UUID(int=number << 64) for number in range(1, 7))

A0 = make_chunk(A, 0, "Laptops are replaced after", start=0, end=26)
A1 = make_chunk(A, 1, "thirty-six months.", start=27, end=45)
A9 = make_chunk(A, 9, "Other.", start=400, end=406)
B0 = make_chunk(B, 0, "Ask IT for 6,830 laptops, please.", start=0, end=33)
CHUNKS = {chunk.id: chunk for chunk in (A0, A1, A9, B0)}


def question(**more):
    fields = {
        "id": "q",
        "type": "lookup",
        "text": "When?",
        "answerable": True,
        "needed": (frozenset({A, B}), frozenset({C})),
        "gold": (
            Quote(A, "replaced after thirty-six"),
            Quote(B, "never written down anywhere"),
        ),
    }
    return EvaluationQuestion(**(fields | more))


UNANSWERABLE = question(answerable=False, needed=(), gold=(), type="unanswerable")


def response(*chunks, **more):
    fields = {
        "ranking": (A, D, B),
        "evidence": tuple(map(evidence_of, chunks)),
        "retrieval_ms": 8.0,
        "total_ms": 10.0,
    }
    return Response(**(fields | more))


def reply(*chunks, linked=(A,), outcome=Outcome.ANSWERED, **more):
    more = {"answerability": 0.7, "text": ""} | more
    return response(*chunks, linked=linked, outcome=outcome, **more)


def seen(question, response):
    return observe(question, response, CHUNKS)


def test_document_recall_takes_the_best_set_among_the_first_five():
    assert seen(question(), response())["document_recall_at_5"] == 1
    ranked = response(ranking=(A, D, E, F, UUID(int=9), B))
    assert seen(question(), ranked)["document_recall_at_5"] == 0.5
    ranked = response(ranking=(D, C))
    assert seen(question(), ranked)["document_recall_at_5"] == 1
    assert seen(question(), response(ranking=()))["document_recall_at_5"] == 0


def test_evidence_recall_is_the_share_of_quotes_in_the_packed_evidence():
    assert seen(question(), response(A1, B0, A0))["evidence_recall"] == 0.5
    assert seen(question(), response(A0, B0))["evidence_recall"] == 0
    assert seen(question(), response(A0, A1))["holds_gold"] == 1


def test_chunks_are_joined_only_where_they_follow_one_another():
    joined = passages(map(evidence_of, (A9, A1, B0, A0)), CHUNKS)
    assert [(item.document_id, item.start, item.end) for item in joined] == [
        (A, 0, 45),
        (A, 400, 406),
        (B, 0, 33),
    ]


def test_a_short_quote_counts_in_its_own_document_only():
    packed = passages([evidence_of(B0)], CHUNKS)
    assert is_found(Quote(B, "6,830"), packed)
    assert not is_found(Quote(A, "6,830"), packed)
    assert is_found(Quote(A, "ask IT for 6,830 laptops please"), packed)


def test_a_quote_may_span_a_repeated_table_header():
    row = make_chunk(C, 4, "| Basic | 40 days |", header="| Plan | Limit |")
    packed = passages([evidence_of(row)], {row.id: row})
    assert is_found(Quote(C, "Plan Limit Basic 40 days"), packed)


@pytest.mark.parametrize(
    ("start", "end", "overlapped", "covered"),
    [
        (0, 26, True, True),
        (20, 45, True, False),
        (26, 60, False, False),
        (0, 0, False, True),
    ],
)
def test_a_page_is_hit_by_overlap_and_a_turn_when_it_is_covered(
    start, end, overlapped, covered
):
    packed = passages([evidence_of(A0)], CHUNKS)
    assert is_found(Span(A, start, end, "page 1"), packed) is overlapped
    assert is_found(Span(A, start, end, "D1:1", whole=True), packed) is covered
    assert not is_found(Span(B, start, end, "page 1"), packed)


def test_reported_documents_are_held_against_the_needed_ones():
    values = seen(question(), reply(A0, linked=(A, D, E)))
    assert values["reported_recall"] == 0.5
    assert values["invalid_ratio"] == pytest.approx(2 / 3)
    assert values["extra_documents"] == 2


def test_a_document_of_an_alternative_is_not_an_extra_one():
    values = seen(question(), reply(A0, linked=(A, C)))
    assert (values["reported_recall"], values["extra_documents"]) == (1, 0)


def test_an_answer_without_links_has_no_invalid_ratio():
    values = seen(question(), reply(A0, linked=()))
    assert "invalid_ratio" not in values
    assert values["extra_documents"] == 0
    assert values["wrong_rate"] == 1


def test_every_link_of_an_answered_unanswerable_question_is_invalid():
    values = seen(UNANSWERABLE, reply(A0, linked=(A, B)))
    assert (values["invalid_ratio"], values["extra_documents"]) == (1, 2)
    assert values["wrong_rate"] == 1
    assert "reported_recall" not in values


@pytest.mark.parametrize(
    ("linked", "right"), [((A, D), 1), ((C,), 1), ((D, A), 0), ((), 0)]
)
def test_the_first_linked_document_is_right_when_it_is_needed(linked, right):
    assert seen(question(), reply(A0, linked=linked))["first_document_right"] == right


def test_a_baseline_is_judged_by_its_first_ranked_document():
    values = seen(question(), response(A0, A1))
    assert values["first_document_right"] == 1
    assert seen(question(), response(ranking=(D, A)))["first_document_right"] == 0
    replies = {"reported_recall", "verbatim_share", "wrong_rate", "answerability"}
    assert not replies & values.keys()
    assert not any(key.startswith("abstained") for key in values)


def test_abstaining_counts_by_whether_the_question_is_answerable():
    abstained = reply(A0, linked=(), outcome=Outcome.ABSTAINED)
    values = seen(question(), abstained)
    assert values["abstained_answerable"] == 1
    assert values["first_document_right"] == values["reported_recall"] == 0
    assert not {"verbatim_share", "wrong_rate", "extra_documents"} & values.keys()
    assert seen(UNANSWERABLE, abstained)["abstained_unanswerable"] == 1
    assert seen(UNANSWERABLE, reply(A0))["abstained_unanswerable"] == 0


def test_a_failure_is_neither_abstained_nor_timed():
    values = seen(question(), reply(linked=(), outcome=Outcome.FAILED))
    assert values["failed"] == 1
    assert values["abstained_answerable"] == 0
    assert values["document_recall_at_5"] == 1
    assert not {"total_ms", "evidence_tokens", "answerability"} & values.keys()


def test_an_answer_is_right_when_a_linked_document_shows_a_quote():
    assert seen(question(), reply(A0, A1, B0, linked=(A,)))["wrong_rate"] == 0
    assert seen(question(), reply(A0, A1, B0, linked=(B,)))["wrong_rate"] == 1


def test_answerability_is_kept_with_both_labels():
    values = seen(question(), reply(A0, A1))
    assert (values["answerability"], values["answerable"], values["holds_gold"]) == (
        0.7,
        1,
        1,
    )
    values = seen(UNANSWERABLE, reply(A0, A1))
    assert (values["answerable"], values["holds_gold"]) == (0, 0)


def test_a_question_without_known_gold_counts_only_where_none_is_needed():
    values = seen(question(needed=(), gold=()), reply(A0))
    assert values.keys() == {
        "failed",
        "evidence_tokens",
        "retrieval_ms",
        "total_ms",
        "abstained_answerable",
        "answerability",
        "answerable",
        "verbatim_share",
    }


def verbatim(text, *sentences, heading=""):
    answer = reply(A0, A1, text=text, sentences=sentences)
    shown = tuple(replace(item, heading=heading) for item in answer.evidence)
    return seen(question(), replace(answer, evidence=shown))["verbatim_share"]


def test_an_answer_is_verbatim_when_all_its_pieces_stand_in_the_evidence():
    assert verbatim("Laptops are replaced after\nthirty-six months.") == 1
    text = "thirty-six months. Laptops are"
    assert verbatim(text) == 1
    assert verbatim("thirty-six Laptops", Sentence(0, 10), Sentence(11, 18)) == 1
    assert verbatim("thirty-six Laptops") == 0


def test_text_between_an_answers_sentences_must_stand_in_the_evidence_too():
    text = "Well, Laptops are"
    assert verbatim(text, Sentence(6, 17)) == 0
    assert verbatim("Laptops are replaced. Honest", Sentence(0, 11)) == 0


def test_a_heading_of_the_evidence_may_be_quoted():
    text = "Equipment\nLaptops are"
    assert verbatim(text) == 0
    assert verbatim(text, heading="Equipment") == 1


def test_withholding_takes_all_needed_documents_out_of_scope():
    (again,) = withhold([question(), UNANSWERABLE])
    assert again.id == "q/withheld"
    assert (again.type, again.answerable) == ("withheld", False)
    assert again.withheld == {A, B, C}
    assert not again.needed
    assert not again.gold
