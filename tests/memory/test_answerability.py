import json
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.answerability import (
    CAUTION,
    Calibration,
    LogisticGate,
    evidence_features,
    shipped_calibrations,
)
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
    data = json.loads(files("memory").joinpath("answerability.json").read_text("utf-8"))
    assert gate.to_json() == data["answerability"]
    assert gate.fingerprint.startswith("all-MiniLM-L6-v2/512/")
    running = {gate.fingerprint, *gate.also_for}
    assert running == {
        f"all-MiniLM-L6-v2/512/{precision} + local" for precision in ("bf16", "fp32")
    }
    assert "handbook" in gate.provenance
    assert 0 < gate.threshold < 1
    assert set(confidence.features) >= {"answerability"}
