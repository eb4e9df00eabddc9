import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.evaluation import statistics
from memory.evaluation.statistics import (
    ABSENT,
    auroc,
    calibration_error,
    mean,
    percentile,
)


def floats(*values):
    return np.array(values, dtype=float)


def test_the_mean_has_its_count_and_an_interval_around_it():
    estimate = mean(floats(0, 1, 1, 0))
    assert estimate.value == 0.5
    assert estimate.n == 4
    assert 0 <= estimate.low <= 0.5 <= estimate.high <= 1


def test_an_interval_is_as_wide_as_the_normal_approximation_says():
    values = np.tile(floats(0, 1), 200)
    estimate = mean(values)
    half = 1.96 * 0.5 / np.sqrt(400)
    assert estimate.low == pytest.approx(0.5 - half, abs=0.006)
    assert estimate.high == pytest.approx(0.5 + half, abs=0.006)


def test_a_metric_over_no_questions_is_absent():
    assert ABSENT.as_json() == {"value": None, "low": None, "high": None, "n": 0}
    assert mean(floats()) == percentile(floats(), 50) == ABSENT
    assert auroc(floats(), floats()) == calibration_error(floats(), floats()) == ABSENT


def test_resampling_is_the_same_every_time_and_changes_with_the_seed():
    values = np.linspace(0, 1, 23)
    assert mean(values) == mean(values)
    assert mean(values).low != mean(values, seed=7).low


def test_percentiles_are_interpolated():
    assert percentile(floats(10, 20, 30, 40), 50).value == 25
    assert percentile(floats(10, 20, 30, 40), 95).value == pytest.approx(38.5)


def test_auroc_counts_pairs_by_hand():
    # Positives .9 and .4 against negatives .5 and .1: three of four pairs are won.
    assert auroc(floats(0.9, 0.4, 0.5, 0.1), floats(1, 1, 0, 0)).value == 0.75


def test_a_tie_counts_half_in_auroc():
    assert auroc(floats(0.5, 0.5), floats(1, 0)).value == 0.5
    # .7 beats .2 and ties .7; .2 loses to .7 and ties .2: (1 + .5 + 0 + .5) / 4.
    assert auroc(floats(0.7, 0.2, 0.7, 0.2), floats(1, 1, 0, 0)).value == 0.5
    assert auroc(floats(0.7, 0.7, 0.7, 0.2), floats(1, 1, 0, 0)).value == 0.75


def test_auroc_needs_both_labels():
    assert auroc(floats(0.1, 0.9), floats(1, 1)) == ABSENT
    assert auroc(floats(0.1, 0.9), floats(0, 0)) == ABSENT


def test_resamples_with_one_label_do_not_spoil_the_interval():
    estimate = auroc(floats(0.9, 0.1), floats(1, 0))
    assert (estimate.low, estimate.value, estimate.high) == (1, 1, 1)


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), st.booleans()),
        min_size=2,
        max_size=30,
    )
)
def test_auroc_is_the_share_of_pairs_won(rows):
    positive = [score for score, label in rows if label]
    negative = [score for score, label in rows if not label]
    estimate = auroc(floats(*(s for s, _ in rows)), floats(*(y for _, y in rows)))
    if not positive or not negative:
        assert estimate == ABSENT
        return
    won = sum((p > q) + (p == q) / 2 for p in positive for q in negative)
    assert estimate.value == pytest.approx(won / len(positive) / len(negative))
    assert estimate.low <= estimate.high


def test_the_binned_error_is_the_mean_gap_by_hand():
    # Twenty predictions, two a bin: ten bins of .2 with no hit, gap .2 in each.
    p, y = np.full(20, 0.2), np.zeros(20)
    assert statistics._binned_error(p, y) == pytest.approx(0.2)
    # Half of the bins (the upper ones) are right.
    p = np.repeat([0.0, 1.0], 10)
    assert statistics._binned_error(p, np.repeat([0.0, 1.0], 10)) == 0
    assert statistics._binned_error(p, np.repeat([1.0, 0.0], 10)) == 1


def test_a_sure_and_wrong_forecast_has_the_whole_calibration_error():
    # Labels drawn from sure predictions show no error, so nothing is taken off.
    estimate = calibration_error(np.ones(40), np.zeros(40))
    assert (estimate.value, estimate.low, estimate.high, estimate.n) == (1, 1, 1, 40)


def test_calibration_error_is_the_error_less_what_chance_shows():
    p = np.full(100, 0.5)
    y = np.ones(100)
    # Ten bins of ten fair coins: the mean |heads/10 - .5| is 0.12305.
    assert calibration_error(p, y).value == pytest.approx(0.5 - 0.12305, abs=0.002)


def test_a_perfect_forecaster_has_almost_no_calibration_error():
    rng = np.random.default_rng(3)
    p = rng.random(2000)
    y = (rng.random(2000) < p).astype(float)
    estimate = calibration_error(p, y)
    assert estimate.value < 0.01
    assert 0 <= estimate.low <= estimate.high < 0.06


def test_calibration_error_is_never_below_zero():
    p = np.linspace(0.05, 0.95, 50)
    assert calibration_error(p, (p > 0.5).astype(float)).low >= 0
    assert calibration_error(np.full(10, 0.5), np.tile(floats(0, 1), 5)).value >= 0


def test_calibration_error_takes_fewer_questions_than_bins():
    assert calibration_error(floats(0.0, 1.0), floats(1, 0)).value == 1
