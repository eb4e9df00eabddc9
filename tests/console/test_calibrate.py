import io

import pytest
from django.core.management import CommandError, call_command

from bots.models import Exchange, Feedback
from console.calibrating import judged_examples, judged_features
from console.management.commands import calibrate, policy
from memory.models import AnswerPolicy, Calibration

pytestmark = pytest.mark.django_db
RUNNING = "encoder + local"


def judged(number, value, *, top, fingerprint=RUNNING, outcome="answered", reason=""):
    detail = {"fingerprint": fingerprint, "features": {"statement_top": top}}
    exchange = Exchange.objects.create(
        platform="web",
        thread=f"t{number}",
        question="?",
        state=Exchange.State.DONE,
        outcome=outcome,
        answer={"trace": [{"stage": "answerability", "detail": detail}]},
    )
    Feedback.objects.create(exchange=exchange, value=value, reason=reason)


def many(ups, downs):
    for number in range(ups):
        judged(number, "up", top=0.6 + number % 7 / 20)
    for number in range(downs):
        judged(1000 + number, "down", top=0.4 + number % 7 / 20, reason="wrong")


@pytest.fixture
def running(monkeypatch):
    monkeypatch.setattr(calibrate, "running_now", lambda: RUNNING)
    monkeypatch.setattr(policy, "running_now", lambda: RUNNING)


def called(*arguments):
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def test_it_refuses_too_few_judged_answers_and_says_how_many_are_missing(running):
    many(50, 38)
    with pytest.raises(CommandError, match="12 more negative examples are needed"):
        called("calibrate")
    assert not Calibration.objects.exists()


def test_it_fits_prints_and_stores_what_then_counts(running):
    many(60, 60)
    printed = called("calibrate")
    assert "120 examples, 60 of them right" in printed
    assert "foretold" in printed
    assert "this workspace's own" in printed
    stored = Calibration.newest(RUNNING)
    assert stored.features["statement_top"][2] > 0
    assert "120 judged answers" in stored.provenance
    assert Calibration.newest("another + local") is None


def test_a_dry_run_stores_nothing(running):
    many(50, 50)
    assert "Nothing is stored" in called("calibrate", "--dry-run")
    assert not Calibration.objects.exists()


def test_only_answers_judged_with_what_runs_now_count():
    judged(1, "up", top=0.5)
    judged(2, "up", top=0.5, fingerprint="other + local")
    judged(3, "down", top=0.5, outcome="abstained")
    judged(4, "down", top=0.5, reason="not_permitted")
    judged(5, "down", top=0.5, fingerprint=f"uncalibrated: {RUNNING}")
    labels = sorted(item.label for item in judged_examples(RUNNING))
    assert labels == [False, True]


def test_the_last_judgement_of_a_trace_counts():
    trace = [
        {
            "stage": "answerability",
            "detail": {"fingerprint": RUNNING, "features": {"a": n}},
        }
        for n in (1, 2)
    ]
    assert judged_features(trace, RUNNING) == {"a": 2.0}
    assert judged_features([{"stage": "pack"}], RUNNING) == {}


def test_the_policy_is_shown_and_set(running):
    assert "At most 30% wrong answers" in called("policy")
    printed = called("policy", "--max-wrong", "10", "--unanswerable-share", "25%")
    assert "At most 10% wrong answers, where 25%" in printed
    row = AnswerPolicy.objects.get()
    assert (row.max_wrong, row.unanswerable_share) == (0.1, 0.25)
    called("policy", "--max-wrong", "15")
    assert AnswerPolicy.objects.get().unanswerable_share == 0.25


@pytest.mark.parametrize("given", ["0", "100", "much"])
def test_a_policy_that_is_no_percentage_is_refused(running, given):
    with pytest.raises(CommandError, match="no percentage"):
        called("policy", "--max-wrong", given)
