"""Every failure of an endpoint through the real client: retries, waits, deadlines."""

import threading
import time
from datetime import UTC, datetime

import pytest

from memory import deadline
from memory.deadline import DeadlineExceeded
from memory.distillation.threads import in_order
from memory.language_models.base import ModelRefused, ModelUnavailable
from memory.language_models.failures import asked_wait_s
from memory.language_models.ledger import collecting
from tests.memory.language_models.conftest import asking
from tests.vendors.openai import faults

pytestmark = pytest.mark.integration

PASSING = {
    "408": lambda: faults.error(408, "late"),
    "409": lambda: faults.error(409, "conflict"),
    "429": faults.rate_limited,
    "500": faults.server_error,
    "503": lambda: faults.server_error(503),
    "reset": faults.reset,
    "cut": faults.cut,
    "half_json": faults.half_json,
}
LASTING = {
    "401": (faults.wrong_key, "key is refused"),
    "403": (faults.forbidden, "may not use it"),
    "404": (faults.unknown_model, "no such model"),
    "400": (lambda: faults.error(400, "no", code="odd_code"), r"\(400, odd_code\)"),
    "filter": (faults.filtered_prompt, "content filter"),
    "long": (faults.context_too_long, "too long"),
    "credit": (faults.no_credit, "no credit"),
}


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_what_passes_is_tried_again(server, model, pauses, fault):
    server.fail(fault(), times=2)
    with collecting() as ledger:
        assert model.text(asking()) == "ok"
    assert pauses == [1.0, 2.0]
    assert [call.outcome for call in ledger.calls] == ["retried", "retried", "ok"]


@pytest.mark.parametrize("fault", PASSING.values(), ids=PASSING)
def test_after_two_retries_it_is_unavailable(server, model, pauses, fault):
    server.fail(fault(), times=9)
    with collecting() as ledger, pytest.raises(ModelUnavailable):
        model.text(asking())
    assert len(server.chats) == 3
    assert ledger.calls[-1].outcome == "failed"


@pytest.mark.parametrize(("fault", "told"), LASTING.values(), ids=LASTING)
def test_what_lasts_is_fatal_at_once(server, model, pauses, fault, told):
    server.fail(fault())
    with collecting() as ledger, pytest.raises(ModelRefused, match=told):
        model.text(asking())
    assert (len(server.chats), pauses) == (1, [])
    assert ledger.usage.cost == 0


def test_what_was_refused_costs_nothing_and_what_broke_off_may_have(server, model):
    server.fail(faults.rate_limited())
    with collecting() as refused:
        model.text(asking())
    server.fail(faults.cut())
    with collecting() as broken:
        model.text(asking())
    assert not refused.usage.lower_bound
    assert broken.usage.lower_bound


def test_a_dead_endpoint_is_unavailable(make_model, pauses):
    model = make_model(base_url="http://127.0.0.1:9/v1")
    with collecting() as ledger, pytest.raises(ModelUnavailable, match="be reached"):
        model.text(asking())
    assert pauses == [1.0, 2.0]
    assert not ledger.usage.lower_bound


def test_nobody_waits_for_a_dead_endpoint_in_a_question(make_model, pauses):
    model = make_model(base_url="http://127.0.0.1:9/v1")
    with (
        deadline.within(45),
        collecting() as ledger,
        pytest.raises(ModelUnavailable, match="be reached"),
    ):
        model.text(asking())
    assert pauses == []
    assert [call.outcome for call in ledger.calls] == ["failed"]


def test_a_question_tries_again_what_the_endpoint_itself_refused(server, model, pauses):
    server.fail(faults.server_error())
    with deadline.within(45):
        assert model.text(asking()) == "ok"
    assert pauses == [1.0]


def test_retry_after_is_kept(server, model, pauses):
    server.fail(
        faults.rate_limited(retry_after=30), faults.rate_limited(milliseconds=250)
    )
    assert model.text(asking()) == "ok"
    assert pauses == [30.0, 0.25]


def test_an_endpoint_that_asks_for_minutes_is_away(server, model, pauses):
    server.fail(faults.rate_limited(retry_after=600))
    with pytest.raises(ModelUnavailable, match=r"how often .* \(429\)"):
        model.text(asking())
    assert pauses == []


def test_it_never_sleeps_past_the_deadline(server, model, pauses):
    server.fail(faults.rate_limited(retry_after=30))
    with deadline.within(20), pytest.raises(ModelUnavailable):
        model.text(asking())
    assert (pauses, len(server.chats)) == ([], 1)


def test_a_call_does_not_begin_after_the_deadline(server, model):
    with deadline.within(0), pytest.raises(DeadlineExceeded):
        model.text(asking())
    assert server.chats == []


@pytest.mark.parametrize("fault", [faults.slow(20), faults.drip(0.05)])
def test_a_slow_answer_ends_with_the_deadline(server, model, fault):
    server.fail(fault, times=3)
    began = time.monotonic()
    with (
        deadline.within(0.4),
        pytest.raises((ModelUnavailable, DeadlineExceeded)),
    ):
        model.text(asking())
    assert time.monotonic() - began < 2


def test_each_try_has_the_roles_time_limit(server, make_model, pauses):
    model = make_model(limits_s=0.2)
    server.fail(faults.slow(20), times=2)
    with collecting() as ledger:
        assert model.text(asking()) == "ok"
    assert len(server.chats) == 3
    assert pauses == [1.0, 2.0]
    assert all(call.milliseconds < 2000 for call in ledger.calls)


def test_calls_at_the_same_time_are_bounded(server, make_model):
    model = make_model(concurrency=2)
    server.reply = lambda chat: (server.wait(0.05), chat.user)[1]
    users = [f"question {n}" for n in range(8)]
    replies = list(in_order(lambda user: model.text(asking(user)), users, workers=8))
    assert replies == users
    assert server.busiest == 2


def test_a_call_that_gets_no_turn_ends_with_the_deadline(server, make_model):
    model = make_model(concurrency=1)
    entered = threading.Event()
    server.reply = lambda chat: (entered.set(), server.wait(1.5), "ok")[2]
    other = threading.Thread(target=model.text, args=(asking(),))
    other.start()
    entered.wait(5)
    with deadline.within(0.2), pytest.raises(DeadlineExceeded):
        model.text(asking())
    other.join()
    assert len(server.chats) == 1


def test_a_wait_may_be_a_date():
    now = datetime(2026, 12, 1, 12, 0, 0, tzinfo=UTC)
    date = {"retry-after": "Tue, 01 Dec 2026 12:00:07 GMT"}
    assert asked_wait_s(date, now=now) == 7
    assert asked_wait_s({"retry-after": "Tue, 01 Dec 2026 11:00:00 GMT"}, now=now) == 0
    assert asked_wait_s({"retry-after": "soon"}, now=now) is None
    assert asked_wait_s({"retry-after": "inf"}) is None
    assert asked_wait_s({"retry-after-ms": "junk", "retry-after": "2"}) == 2
