import pytest

from memory.evaluation.metrics import METRICS, measure

#: DESIGN.md's table, in its order.
DESIGN = [
    "document_recall_at_5",
    "evidence_recall",
    "reported_recall",
    "invalid_ratio",
    "extra_documents",
    "verbatim_share",
    "first_document_right",
    "abstained_answerable",
    "abstained_unanswerable",
    "failed",
    "answerability_auroc",
    "evidence_auroc",
    "calibration_error",
    "wrong_rate",
    "evidence_tokens",
    "retrieval_ms_p50",
    "retrieval_ms_p95",
    "total_ms_p50",
]


def test_every_metric_of_the_design_is_measured():
    assert list(METRICS) == DESIGN
    assert list(measure([])) == DESIGN


def test_without_questions_every_metric_is_absent():
    assert all(one.value is None and one.n == 0 for one in measure([]).values())


def test_a_mean_is_over_the_questions_it_applies_to():
    measured = measure([{"evidence_recall": 1.0}, {"evidence_recall": 0.5}, {}])
    assert measured["evidence_recall"].value == 0.75
    assert measured["evidence_recall"].n == 2
    assert measured["wrong_rate"].n == 0


def test_times_are_percentiles():
    rows = [{"retrieval_ms": ms, "total_ms": 2 * ms} for ms in (10.0, 20.0, 30.0)]
    measured = measure(rows)
    assert measured["retrieval_ms_p50"].value == 20
    assert measured["retrieval_ms_p95"].value == pytest.approx(29)
    assert measured["total_ms_p50"].value == 40


def test_answerability_is_held_against_two_labels():
    rows = [
        {"answerability": 0.9, "answerable": 1.0, "holds_gold": 0.0},
        {"answerability": 0.6, "answerable": 1.0, "holds_gold": 1.0},
        {"answerability": 0.2, "answerable": 0.0, "holds_gold": 0.0},
        {"answerable": 1.0, "holds_gold": 1.0},
    ]
    measured = measure(rows)
    assert measured["answerability_auroc"].value == 1
    assert measured["answerability_auroc"].n == 3
    assert measured["evidence_auroc"].value == 0.5
    assert measured["calibration_error"].n == 3


def test_only_unanswerable_questions_leave_the_recalls_absent():
    rows = [{"failed": 0.0, "abstained_unanswerable": 1.0}] * 3
    measured = measure(rows)
    assert measured["abstained_unanswerable"].value == 1
    assert measured["document_recall_at_5"].value is None
    assert measured["answerability_auroc"].value is None
