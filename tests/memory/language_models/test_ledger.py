"""The ledger: totals that say what isn't known, limits, nesting, threads."""

from decimal import Decimal

import pytest

from memory.distillation.threads import in_order
from memory.language_models.base import Call, Role
from memory.language_models.ledger import (
    BudgetReached,
    Limit,
    Usage,
    check_limits,
    collecting,
    record,
    totals,
)


def call(prompt=100, completion=10, cost="0.01", outcome="ok"):
    price = None if cost is None else Decimal(cost)
    return Call(Role.ANSWER, "m", prompt, completion, price, 5.0, outcome)


def test_nothing_called_costs_nothing():
    assert totals([]) == Usage(cost=Decimal(0))


def test_totals_add_up():
    usage = totals([call(), call(50, 5, "0.002")])
    assert (usage.tokens, usage.calls, usage.cost) == (165, 2, Decimal("0.012"))
    assert not usage.lower_bound


def test_one_unknown_price_makes_the_whole_cost_unknown():
    assert totals([call(), call(cost=None)]).cost is None


def test_unreported_usage_makes_a_lower_bound_and_keeps_the_known_cost():
    usage = totals([call(), call(None, None, None)])
    assert (usage.cost, usage.lower_bound) == (Decimal("0.01"), True)


def test_unreported_usage_alone_has_an_unknown_cost():
    assert totals([call(None, None, None)]).cost is None


def test_a_refusal_that_cost_nothing_makes_no_unknown_cost_known():
    refused = call(0, 0, "0", outcome="failed")
    assert totals([call(None, None, None), refused]).cost is None
    assert totals([refused]).cost == 0


def test_a_cached_reply_is_no_call_and_costs_nothing():
    usage = totals(iter([call(cost="0", outcome="cached"), call()]))
    assert (usage.calls, usage.cached, usage.tokens) == (1, 1, 110)


def test_the_mapping_holds_plain_numbers():
    mapping = totals([call(cost=None)]).as_mapping()
    assert mapping["cost"] is None
    assert mapping["tokens"] == 110
    assert mapping["lower_bound"] == 0


def test_ledgers_nest():
    with collecting() as outer:
        record(call())
        with collecting() as inner:
            record(call())
        record(call())
    record(call())
    assert (len(inner.calls), len(outer.calls)) == (1, 3)


def test_what_a_failure_ended_is_kept():
    ledgers = []

    def work():
        with collecting() as ledger:
            ledgers.append(ledger)
            record(call())
            raise ValueError("broken")

    with pytest.raises(ValueError, match="broken"):
        work()
    assert len(ledgers[0].calls) == 1


def test_threads_record_in_the_same_ledger_and_keep_the_order():
    def work(item):
        record(call(prompt=item))
        return item * 2

    with collecting() as ledger:
        assert list(in_order(work, range(20), workers=4)) == [n * 2 for n in range(20)]
    assert sorted(made.prompt_tokens for made in ledger.calls) == list(range(20))


def test_the_first_error_in_order_is_raised_and_the_rest_not_begun():
    begun = []

    def work(item):
        begun.append(item)
        if item == 1:
            raise ValueError("one")
        return item

    with pytest.raises(ValueError, match="one"):
        list(in_order(work, range(1000), workers=2))
    assert len(begun) < 1000


def test_a_limit_in_dollars_stops_the_next_call():
    with collecting(Limit(dollars=Decimal("0.015"))):
        check_limits("m", is_priced=True)
        record(call())
        check_limits("m", is_priced=True)
        record(call())
        with pytest.raises(BudgetReached, match=r"\$0\.015 is used up"):
            check_limits("m", is_priced=True)


def test_a_limit_in_tokens_stops_the_next_call():
    with collecting(Limit(tokens=110)):
        record(call(cost=None))
        with pytest.raises(BudgetReached, match="110 tokens"):
            check_limits("m", is_priced=False)


def test_a_model_without_a_price_is_refused_under_a_limit_in_dollars():
    with (
        collecting(Limit(dollars=Decimal(5))),
        pytest.raises(BudgetReached, match="price of m isn't known"),
    ):
        check_limits("m", is_priced=False)


def test_an_outer_limit_holds_inside():
    with collecting(Limit(tokens=10)), collecting():
        record(call())
        with pytest.raises(BudgetReached):
            check_limits("m", is_priced=True)


def test_a_limit_counts_what_is_known_and_no_kept_reply():
    with collecting(Limit(dollars=Decimal("0.02"), tokens=500)) as ledger:
        record(call(None, None, None, outcome="failed"))
        record(call(9_000, 9_000, "9", outcome="cached"))
        record(call())
        check_limits("m", is_priced=True)
        record(call())
        with pytest.raises(BudgetReached, match=r"\$0\.0200 spent"):
            check_limits("m", is_priced=True)
    assert ledger.usage.tokens == 220


def test_a_limit_is_looked_at_without_reading_all_earlier_calls(monkeypatch):
    with collecting(Limit(tokens=10**9, dollars=Decimal(10**6))) as ledger:
        record(call())
        # Read anew before each call, they'd make a long build's time quadratic.
        monkeypatch.setattr(ledger, "_calls", None)
        check_limits("m", is_priced=True)
