"""What a question spends on models is written down for its exchange."""

from decimal import Decimal

import pytest

from bots.asking import Incoming, answer_exchange, receive
from memory.language_models.base import Call, Role
from memory.language_models.ledger import record
from memory.models import Spend
from tests.bots.worlds import abstained


@pytest.fixture
def exchange(alice):
    return receive(Incoming("web", "t", "How old?", alice, alice.account))


def spending(then):
    def ask(question):
        record(Call(Role.ANSWER, "m", 10, 2, Decimal("0.01"), 3.6, "ok"))
        record(Call(Role.QUERY, "unpriced", None, None, None, 1.0, "failed"))
        return then(question)

    return ask


def test_each_call_is_a_row_of_its_exchange(exchange, pipeline, monkeypatch):
    monkeypatch.setattr(
        pipeline, "ask", spending(lambda question: abstained()), raising=False
    )
    assert answer_exchange(exchange.id).outcome == "abstained"
    failed, good = Spend.objects.all()
    assert (good.exchange_id, good.source_id) == (exchange.id, None)
    assert (good.role, good.cost, good.milliseconds) == ("answer", Decimal("0.01"), 4)
    assert (failed.cost, failed.prompt_tokens, failed.outcome) == (None, None, "failed")
    assert str(failed) == "query by unpriced, cost unknown"


def test_what_a_failed_question_spent_is_written_too(exchange, pipeline, monkeypatch):
    def broken(question):
        raise RuntimeError("oops")

    monkeypatch.setattr(pipeline, "ask", spending(broken), raising=False)
    assert answer_exchange(exchange.id).outcome == "failed"
    assert Spend.objects.filter(exchange_id=exchange.id).count() == 2


def test_what_was_spent_is_written_also_where_the_answer_cannot_be_stored(
    exchange, pipeline, monkeypatch
):
    def broken(*_args, **_named):
        raise RuntimeError("oops")

    monkeypatch.setattr(
        pipeline, "ask", spending(lambda question: abstained()), raising=False
    )
    monkeypatch.setattr("bots.asking._store", broken)
    with pytest.raises(RuntimeError):
        answer_exchange(exchange.id)
    assert Spend.objects.filter(exchange_id=exchange.id).count() == 2


def test_a_question_without_a_model_writes_nothing(exchange, pipeline, monkeypatch):
    monkeypatch.setattr(pipeline, "ask", lambda question: abstained(), raising=False)
    assert answer_exchange(exchange.id).outcome == "abstained"
    assert not Spend.objects.exists()
