"""Searches of one question, at once."""

import threading

import pytest

from memory.deadline import remaining, within
from memory.query.at_once import at_once


def test_results_come_in_the_order_of_the_calls():
    assert at_once([]) == []
    assert at_once([lambda at=at: at for at in range(20)]) == list(range(20))


def test_calls_run_beside_each_other():
    meeting = threading.Barrier(3, timeout=10)
    assert sorted(at_once([meeting.wait] * 3)) == [0, 1, 2]


def test_a_deadline_holds_in_every_thread():
    with within(5):
        assert all(0 < left <= 5 for left in at_once([lambda: remaining(60)] * 4))


def test_the_first_error_is_raised():
    def fail():
        raise ValueError("second")

    with pytest.raises(ValueError, match="second"):
        at_once([lambda: 1, fail, lambda: 3])
