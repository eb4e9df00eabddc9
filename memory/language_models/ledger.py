"""What the calls of a question or a build used: an ambient ledger.

Whoever wants to know opens one with `collecting()` around the work; models record
every call in it. Ledgers nest: a call is recorded in the innermost and in all around
it, and must keep the limits of all. Like the deadline it's a context variable, so
threads must be started with a copy of the context, as `distillation.threads` does.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from decimal import Decimal

from memory.errors import AttestError
from memory.language_models.base import Call

_NOTHING = Decimal(0)


class BudgetReached(AttestError):
    """The next call may not begin: its limit is used up, or can't be kept.

    It isn't a LanguageModelError, as no stage may fall back from it: it ends the work.
    """


@dataclass(frozen=True, slots=True)
class Limit:
    """How much may be spent, in US dollars or tokens; None: that one is unlimited.

    Checked before a call begins, so those that run already may pass it.
    """

    dollars: Decimal | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Totals of calls.

    `calls` are those that reached an endpoint, retries among them; `cached` are replies
    that cost nothing. `cost` is in US dollars, None when a price is unknown. When
    `lower_bound`, an endpoint reported no usage, and tokens and cost may be more.
    """

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: Decimal | None = _NOTHING
    lower_bound: bool = False

    @property
    def tokens(self) -> int:
        """Return prompt and completion tokens together."""
        return self.prompt_tokens + self.completion_tokens

    def as_mapping(self) -> Mapping[str, float | int | None]:
        """Return `Answer.usage`: plain numbers, `cost` in US dollars or None."""
        return {
            "tokens": self.tokens,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "calls": self.calls,
            "cached": self.cached,
            "cost": None if self.cost is None else float(self.cost),
            "lower_bound": int(self.lower_bound),
        }


def totals(calls: Iterable[Call]) -> Usage:
    """Return the totals of calls; without any, everything is 0 and known."""
    total = list(calls)
    made = [call for call in total if call.outcome != "cached"]
    return Usage(
        calls=len(made),
        cached=len(total) - len(made),
        prompt_tokens=sum(call.prompt_tokens or 0 for call in made),
        completion_tokens=sum(call.completion_tokens or 0 for call in made),
        cost=_cost(made),
        lower_bound=any(_unreported(call) for call in made),
    )


def _unreported(call: Call) -> bool:
    return call.prompt_tokens is None or call.completion_tokens is None


def _cost(calls: list[Call]) -> Decimal | None:
    """Sum the costs; a call without one is unknown, unless only its usage is.

    Beside calls whose usage isn't known, nothing but refusals, which cost 0, is no
    lower bound worth telling: that's unknown too.
    """
    total = sum((call.cost for call in calls if call.cost is not None), _NOTHING)
    unpriced = any(call.cost is None and not _unreported(call) for call in calls)
    unreported = any(call.cost is None for call in calls)
    return None if unpriced or (unreported and total == 0) else total


class Ledger:
    """The calls made so far, in the order they ended. Safe to share by threads."""

    def __init__(self, limit: Limit | None = None, outer: Ledger | None = None) -> None:
        """Begin empty; `outer` is told of everything too."""
        self.limit = limit or Limit()
        self._outer = outer
        self._calls: list[Call] = []
        # Kept beside the calls: a limit is looked at before each of a build's thousands.
        self._dollars, self._tokens = _NOTHING, 0
        self._lock = threading.Lock()

    @property
    def calls(self) -> tuple[Call, ...]:
        """Return all calls."""
        with self._lock:
            return tuple(self._calls)

    @property
    def usage(self) -> Usage:
        """Return the totals."""
        return totals(self.calls)

    def record(self, call: Call) -> None:
        """Take a call down, here and in the ledgers around."""
        with self._lock:
            self._calls.append(call)
            if call.outcome != "cached":
                self._dollars += call.cost or _NOTHING
                self._tokens += (call.prompt_tokens or 0) + (
                    call.completion_tokens or 0
                )
        if self._outer is not None:
            self._outer.record(call)

    def check(self, model: str, *, is_priced: bool) -> None:
        """Raise BudgetReached when a call to `model` may not begin.

        Under a limit in dollars a model without a known price may not: nobody could
        tell when the limit is reached.
        """
        limit = self.limit
        if limit.dollars is not None and not is_priced:
            raise BudgetReached(
                f"The price of {model} isn't known, so a budget in dollars can't be "
                "kept. Give its price in the file that ATTEST_PRICES_FILE names, or "
                "take the budget away."
            )
        self._check_spent(limit)
        if self._outer is not None:
            self._outer.check(model, is_priced=is_priced)

    def _check_spent(self, limit: Limit) -> None:
        with self._lock:
            dollars, tokens = self._dollars, self._tokens
        if limit.dollars is not None and dollars >= limit.dollars:
            raise BudgetReached(
                f"The budget of ${limit.dollars} is used up (${dollars:.4f} spent)."
            )
        if limit.tokens is not None and tokens >= limit.tokens:
            raise BudgetReached(
                f"The budget of {limit.tokens:,} tokens is used up ({tokens:,} used)."
            )


_LEDGER: ContextVar[Ledger | None] = ContextVar("language_model_ledger", default=None)


@contextmanager
def collecting(limit: Limit | None = None) -> Iterator[Ledger]:
    """Collect every call that's made inside; also those that a failure ended.

    `with collecting() as ledger: …` then `ledger.usage.as_mapping()` or `.calls`.
    """
    ledger = Ledger(limit, _LEDGER.get())
    token = _LEDGER.set(ledger)
    try:
        yield ledger
    finally:
        _LEDGER.reset(token)


@contextmanager
def keeping(ledger: Ledger) -> Iterator[None]:
    """Go on with a ledger: its earlier calls count towards its limit.

    It isn't told to ledgers around, which may end before it does.
    """
    token = _LEDGER.set(ledger)
    try:
        yield
    finally:
        _LEDGER.reset(token)


def record(call: Call) -> None:
    """Take a call down in the ambient ledger, where there is one."""
    ledger = _LEDGER.get()
    if ledger is not None:
        ledger.record(call)


def check_limits(model: str, *, is_priced: bool) -> None:
    """Raise BudgetReached when an ambient limit forbids a call to `model`."""
    ledger = _LEDGER.get()
    if ledger is not None:
        ledger.check(model, is_priced=is_priced)
