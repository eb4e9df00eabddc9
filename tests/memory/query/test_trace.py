"""What a question's run notes, and what of an error reaches the log."""

import pytest
import structlog

from memory.errors import StoreError
from memory.query.trace import Run


def failed(error):
    def stage():
        raise error

    with pytest.raises(type(error)) as raised:
        stage()
    run = Run()
    with structlog.testing.capture_logs() as logs:
        run.fell_back("retrieve", raised.value, "no answer")
    return run, logs[0]


def test_our_own_error_is_logged_with_its_reason():
    run, line = failed(StoreError("The store refused: no space is left."))
    assert line["reason"] == "The store refused: no space is left."
    assert run.fallbacks == ["retrieve: StoreError, no answer"]


def test_of_another_error_only_kind_and_place_are_logged():
    _run, line = failed(ValueError("salary of Jane Doe"))
    assert line["error"] == "ValueError"
    assert line["raised_at"].startswith("test_trace.py:")
    assert "salary" not in str(line)


def test_a_stage_that_fails_has_its_time_in_the_trace():
    run = Run()
    with pytest.raises(ValueError, match="broken"), run.stage("pack"):
        raise ValueError("broken")
    assert [stage.stage for stage in run.stages] == ["pack"]
