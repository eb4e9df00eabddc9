import numpy as np
import pytest

from memory.evaluation.datasets import EvaluationQuestion
from memory.evaluation.gate_report import gate_lines
from memory.evaluation.responses import Response
from memory.evaluation.running import Result
from memory.evaluation.statistics import auroc, auroc_difference


def result(number, *, held, top, rank):
    question = EvaluationQuestion(
        f"q{number // 2}/{number}", "x", "?", answerable=number % 4 != 0
    )
    features = {"statement_top": top, "first_ranks": rank}
    response = Response((), (), 0.0, 0.0, features=features)
    return Result(question, response, {"holds_gold": held, "wrong_rate": not held})


def test_it_tells_what_the_signals_add_to_the_best_one():
    random = np.random.default_rng(5)
    rows = []
    for number in range(200):
        held = bool(number % 2)
        top, rank = random.normal(1.5 if held else 0.0, 1.0, size=2)
        rows.append(result(number, held=held, top=float(top), rank=float(rank)))
    text = "\n".join(gate_lines(rows))
    assert "evidence_auroc" in text
    assert "best single signal" in text
    assert "statement_top 0.8" in text
    assert "At most 10% wrong: coverage" in text


def test_without_enough_questions_it_says_nothing():
    assert gate_lines([]) == []
    assert gate_lines([result(1, held=True, top=1.0, rank=0.0)]) == []


def test_a_difference_is_taken_on_the_same_resamples():
    labels = np.array([0.0, 1.0] * 50)
    good = labels + np.random.default_rng(0).normal(0, 0.6, 100)
    poor = labels + np.random.default_rng(1).normal(0, 3.0, 100)
    found = auroc_difference(good, poor, labels)
    alone = auroc(good, labels).value - auroc(poor, labels).value
    assert found.value == pytest.approx(alone)
    assert found.low < found.value < found.high
    nothing = auroc_difference(good, good, labels)
    assert (nothing.value, nothing.low, nothing.high) == (0.0, 0.0, 0.0)
    assert auroc_difference(good, poor, np.ones(100)).value is None
