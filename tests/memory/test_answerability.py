import json
import math
from dataclasses import replace
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.answerability import (
    CAUTION,
    Calibration,
    Counts,
    LogisticGate,
    Point,
    Policy,
    evidence_features,
    gate_for,
    shipped_calibrations,
)
from memory.answerability.statements import statement_features
from memory.query.packing import Packer
from tests.memory.query.examples import candidate

MODEL = Calibration(
    fingerprint="encoder + local",
    features={"dense_chunks_top": (0.4, 0.2, 1.0), "coverage": (0.5, 0.25, 2.0)},
    intercept=-0.5,
    threshold=0.25,
)


def features_of(text, *candidates):
    return evidence_features(text, candidates, Packer().pack(candidates))


def test_the_probability_is_the_logistic_of_the_weighted_sum():
    # -0.5 + 1 * (0.6 - 0.4) / 0.2 + 2 * (0.25 - 0.5) / 0.25 = -1.5
    found = MODEL.probability({"dense_chunks_top": 0.6, "coverage": 0.25})
    assert found == pytest.approx(0.18243, abs=1e-5)


def test_a_feature_that_is_not_there_counts_as_its_mean():
    assert MODEL.probability({"dense_chunks_top": 0.6}) == MODEL.probability(
        {"dense_chunks_top": 0.6, "coverage": 0.5}
    )


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
def test_it_stays_a_probability_for_any_features(top, coverage):
    found = MODEL.probability({"dense_chunks_top": top, "coverage": coverage})
    assert 0 < found < 1


def test_json_round_trip():
    assert Calibration.from_json(json.loads(json.dumps(MODEL.to_json()))) == MODEL


def test_without_evidence_it_is_certain_that_nothing_is_held():
    gate = LogisticGate(MODEL, MODEL.fingerprint)
    assert gate.answerability("Who?", [], Packer().pack([])) == (0.0, {})


def test_a_calibration_for_another_encoder_is_cautious_and_says_so():
    item = candidate(1, text="The manager approves it.", dense_chunks=0.6)
    packed = Packer().pack([item])
    fitting = LogisticGate(MODEL, MODEL.fingerprint)
    other = LogisticGate(MODEL, "another encoder + local")
    sure, _ = fitting.answerability("Who approves it?", [item], packed)
    careful, _ = other.answerability("Who approves it?", [item], packed)
    assert fitting.is_calibrated
    assert fitting.fingerprint == "encoder + local"
    assert not other.is_calibrated
    assert other.fingerprint == "uncalibrated: another encoder + local"
    assert 0 < careful < sure
    odds = [p / (1 - p) for p in (sure, careful)]
    assert odds[0] / odds[1] == pytest.approx(2.71828**CAUTION, rel=1e-3)


def test_a_precision_with_the_same_scores_is_calibrated_too():
    same = Calibration("a/bf16", {}, 0.0, 0.25, also_for=("a/fp32",))
    assert LogisticGate(same, "a/fp32").is_calibrated
    assert not LogisticGate(same, "a/int8").is_calibrated


def test_the_best_cosine_and_how_far_it_stands_out():
    best = candidate(1, dense_chunks=0.8, dense_memories=0.7)
    others = [candidate(n, dense_chunks=0.3) for n in range(2, 40)]
    found = features_of("Who approves laptops?", best, *others)
    assert found["dense_chunks_top"] == 0.8
    assert found["dense_chunks_margin"] == pytest.approx(0.5)
    assert found["dense_memories_top"] == 0.7


def test_coverage_is_the_share_of_the_questions_words_by_rarity():
    full = features_of("laptop approval", candidate(1, text="Approval of a laptop."))
    half = features_of("laptop approval", candidate(1, text="A laptop is grey."))
    none = features_of("laptop approval", candidate(1, text="Nothing of the kind."))
    assert full["coverage"] == pytest.approx(1.0)
    assert 0 < half["coverage"] < 1
    assert none["coverage"] == 0.0
    assert none["rarest_missing"] == 1.0


def test_numbers_and_names_of_the_question_are_looked_for():
    text = "May an IC4 in Berlin take 30 days?"
    there = features_of(text, candidate(1, text="In Berlin an IC4 takes 30 days."))
    absent = features_of(text, candidate(1, text="In Paris people take days."))
    assert there["names_covered"] == 1.0
    assert absent["names_covered"] == 0.0


def test_a_route_that_is_switched_off_has_no_features():
    found = features_of("Who approves?", candidate(1, dense_chunks=0.5))
    assert "dense_memories_top" not in found
    assert "dense_chunks_top" in found


def test_an_unanimous_find_agrees_and_a_scattered_one_does_not():
    same = [
        candidate(n, document=1, dense_chunks=0.5, dense_memories=0.5, keyword_chunks=3)
        for n in range(1, 4)
    ]
    apart = [
        candidate(1, document=1, dense_chunks=0.5),
        candidate(2, document=2, dense_memories=0.5),
        candidate(3, document=3, keyword_chunks=3.0),
    ]
    assert features_of("Who?", *same)["agreement"] == 1.0
    assert features_of("Who?", *apart)["agreement"] == 0.0


def test_the_shipped_coefficients_name_what_they_were_fitted_on():
    gate, confidence = shipped_calibrations()
    data = json.loads(
        files("memory.answerability").joinpath("shipped.json").read_text("utf-8")
    )
    assert gate.to_json() == data["answerability"]
    assert gate.fingerprint.startswith("all-MiniLM-L6-v2/512/")
    running = {gate.fingerprint, *gate.also_for}
    assert running == {
        f"all-MiniLM-L6-v2/512/{precision} + local" for precision in ("bf16", "fp32")
    }
    assert "handbook" in gate.provenance
    assert 0 < gate.threshold < 1
    assert set(confidence.features) >= {"answerability"}


def test_statements_are_compared_where_their_vectors_are_kept():
    embedder = KeepingEmbedder()
    card = candidate(1, text="The manager approves it.\n\nLunch is at noon.")
    packed = Packer().pack([card])
    found = statement_features("manager approves it", packed.evidence, embedder)
    assert found["statement_top"] == pytest.approx(embedder.best)
    assert found["statement_document"] == 1.0
    embedder.forget = True
    assert statement_features("manager", packed.evidence, embedder) == {}


class KeepingEmbedder:
    """Keeps a vector of every statement; the first one is nearest."""

    best = 0.9
    forget = False

    def kept(self, texts):
        if self.forget:
            return {}
        cosines = [self.best, *[0.1] * len(texts)]
        return {
            text: np.array([c, (1 - c * c) ** 0.5], dtype=np.float32)
            for text, c in zip(texts, cosines, strict=False)
        }

    def embed_queries(self, texts):
        return np.array([[1.0, 0.0]] * len(texts), dtype=np.float32)


def test_the_first_cards_ranks_are_0_where_every_route_has_it_first():
    routes = {"dense_chunks": 0.9, "dense_memories": 0.9, "keyword_chunks": 9.0}
    best = candidate(1, **routes)
    other = candidate(2, dense_chunks=0.5, dense_memories=0.95, keyword_chunks=1.0)
    assert features_of("Who?", best)["first_ranks"] == 0.0
    assert features_of("Who?", best, other)["first_ranks"] == pytest.approx(
        -math.log(2)
    )


def test_more_unanswerable_questions_make_every_figure_lower():
    # Of 20, 10 are held, 2 missed, 8 unanswerable (40%).
    counts = Counts(held=10, missed=2, unanswerable=8)
    assert counts.unanswerable_share == 0.4
    assert counts.shift(0.4) == pytest.approx(0.0)
    # At 70%: a held question counts 0.5, an unanswerable one 1.75, a missed one 0.5.
    assert counts.shift(0.7) == pytest.approx(math.log(0.5 * 10 / (1.0 + 14)))
    assert counts.shift(0.2) > 0 > counts.shift(0.9)


@given(st.floats(0.02, 0.98), st.floats(0.02, 0.98))
def test_the_shift_grows_as_the_share_falls(one, other):
    counts = Counts(held=30, missed=5, unanswerable=20)
    low, high = sorted((one, other))
    assert counts.shift(low) >= counts.shift(high) - 1e-9


CURVE = (
    Point(0.1, answered=1.0, right=0.7, answered_unanswerable=1.0, answers=100),
    Point(0.4, answered=0.8, right=0.7, answered_unanswerable=0.2, answers=60),
    Point(0.6, answered=0.5, right=0.48, answered_unanswerable=0.05, answers=30),
    Point(0.9, answered=0.1, right=0.1, answered_unanswerable=0.0, answers=5),
)


def test_the_threshold_is_the_lowest_that_keeps_to_the_policy():
    # At 0.4: answered 0.8 * 0.8 + 0.2 * 0.2 = 0.68, right 0.8 * 0.7 = 0.56.
    found = Policy(max_wrong=0.2, unanswerable_share=0.2).operation(CURVE)
    assert found.threshold == 0.4
    assert found.coverage == pytest.approx(0.68)
    assert found.wrong_rate == pytest.approx(1 - 0.56 / 0.68)
    assert found.is_met


def test_a_policy_that_cannot_be_kept_says_so_and_comes_as_near_as_it_can():
    found = Policy(max_wrong=0.01, unanswerable_share=0.2).operation(CURVE)
    assert (found.threshold, found.is_met) == (0.6, False)
    assert Policy().operation(()) is None


@given(st.floats(0.01, 0.9), st.floats(0.01, 0.9))
def test_a_stricter_policy_never_answers_more(one, other):
    strict, lax = (Policy(x).operation(CURVE) for x in sorted((one, other)))
    assert strict.threshold >= lax.threshold


def test_the_share_changes_the_figure_and_not_what_is_answered():
    item = candidate(1, text="The manager approves it.", dense_chunks=0.6)
    packed = Packer().pack([item])
    model = replace(MODEL, counts=Counts(10, 2, 8), curve=CURVE)
    judged = []
    for share in (0.1, 0.4, 0.9):
        gate, threshold = gate_for(
            model, MODEL.fingerprint, None, Policy(0.2, 0.2), share=share
        )
        figure, _ = gate.answerability("Who approves it?", [item], packed)
        judged.append((figure, figure >= threshold))
    figures = [figure for figure, _ in judged]
    assert figures == sorted(figures, reverse=True)
    assert len({answered for _, answered in judged}) == 1


def test_the_curve_survives_json():
    model = replace(MODEL, counts=Counts(10, 2, 8), curve=CURVE)
    assert Calibration.from_json(json.loads(json.dumps(model.to_json()))) == model
