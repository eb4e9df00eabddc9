"""One call: slot, deadline, retries, what the endpoint takes, what it cost (A12)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Generic, TypeVar

import httpx2
import openai

from memory import deadline
from memory.language_models import ledger
from memory.language_models.base import Call, ModelUnavailable, Role
from memory.language_models.capabilities import (
    Capabilities,
    Capability,
    lesson,
)
from memory.language_models.connection import Connection, timeout
from memory.language_models.failures import Failure, NotAnApi, failure_of
from memory.language_models.patience import Patience
from memory.language_models.prices import Prices, Tokens
from memory.language_models.transport import RefusedAddress

Answer = TypeVar("Answer")

#: What a call may be refused for in a row, before it's given up.
_MOST_LESSONS = 8
_EXPECTED = (
    *(openai.OpenAIError, httpx2.HTTPError, RefusedAddress, NotAnApi),
    *(json.JSONDecodeError, UnicodeDecodeError),
)

Body = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Sending(Generic[Answer]):
    """What is sent for a role: `body` by capability, `post` to the client.

    `limit_s` bounds each try.
    """

    role: Role
    limit_s: float
    body: Callable[[Capability], Body]
    post: Callable[[openai.OpenAI, Body], Answer]


@dataclass(frozen=True, slots=True)
class Caller:
    """Calls one model at one endpoint. Safe to share by threads."""

    connection: Connection
    model: str
    prices: Prices
    capabilities: Capabilities = field(default_factory=Capabilities)
    patience: Patience = field(default_factory=Patience)
    clock: Callable[[], float] = time.perf_counter

    @property
    def subject(self) -> str:
        """Name model and host, as messages begin."""
        return f"The model {self.model} at {self.connection.endpoint.host}"

    @property
    def capability(self) -> Capability:
        """Return how the model wants to be asked, as far as that's known."""
        endpoint = self.connection.endpoint
        # OpenAI's newer models refuse the old name, compatible servers ignore the new.
        tokens = "max_completion_tokens" if endpoint.is_openai else "max_tokens"
        first = Capability(tokens=tokens)
        return self.capabilities.of(endpoint.base_url, self.model, first=first)

    def keep(self, capability: Capability) -> None:
        """Remember how the model wants to be asked."""
        base_url = self.connection.endpoint.base_url
        self.capabilities.keep(base_url, self.model, capability)

    def send(self, sending: Sending[Answer]) -> tuple[Answer, float]:
        """Return the client's answer and the milliseconds of the try that brought it.

        A failed try is recorded in the ledger, the good one by the caller, who knows
        its usage. Raises LanguageModelError, DeadlineExceeded and BudgetReached.
        """
        tries = lessons = 0
        while True:
            capability = self.capability
            began = self.clock()
            try:
                answer = self._once(sending, capability)
            except _EXPECTED as error:
                failure = failure_of(error, self.subject, limit_s=sending.limit_s)
            else:
                return answer, (self.clock() - began) * 1000
            spent_ms = (self.clock() - began) * 1000
            learnt = lesson(capability, failure) if lessons < _MOST_LESSONS else None
            if learnt is not None:
                lessons += 1
                self._failed(sending.role, failure, spent_ms, "retried")
                self.keep(learnt)
                continue
            tries += 1
            pause = self.patience.pause_s(tries, failure.wait_s)
            if not self._tries_again(failure, tries, pause):
                self._failed(sending.role, failure, spent_ms, "failed")
                # Not `from error`: what the vendor wrote stays out of tracebacks.
                raise failure.error from None
            self._failed(sending.role, failure, spent_ms, "retried")
            self.patience.sleep(pause)

    def _tries_again(self, failure: Failure, tries: int, pause: float) -> bool:
        if failure.is_unsent and deadline.is_set():
            # Somebody waits: what stands in for the model may begin at once.
            return False
        return failure.is_transient and self.patience.allows(tries, pause)

    def _once(self, sending: Sending[Answer], capability: Capability) -> Answer:
        if sending.role is not Role.EMBEDDING:
            # Without its vectors a document isn't found at all, so these go on.
            priced = self.prices.of(self.model) is not None
            ledger.check_limits(self.model, is_priced=priced)
        deadline.check("the language model was asked")
        with self.connection.slot(), deadline.within(sending.limit_s):
            left = deadline.remaining(sending.limit_s)
            if left <= 0:
                raise ModelUnavailable(f"{self.subject}: no time was left for it.")
            body = {**sending.body(capability), "timeout": timeout(left)}
            return sending.post(self.connection.client, body)

    def record(
        self, role: Role, tokens: Tokens | None, spent_ms: float, outcome: str
    ) -> None:
        """Take a call with its usage down in the ledger."""
        ledger.record(
            Call(
                role=role,
                model=self.model,
                prompt_tokens=None if tokens is None else tokens.prompt,
                completion_tokens=None if tokens is None else tokens.completion,
                cost=self.prices.cost(self.model, tokens),
                milliseconds=spent_ms,
                outcome=outcome,
            )
        )

    def _failed(
        self, role: Role, failure: Failure, spent_ms: float, outcome: str
    ) -> None:
        if failure.is_charged:
            # It may have been worked on, and billed: nobody knows how much.
            self.record(role, None, spent_ms, outcome)
            return
        call = Call(role, self.model, 0, 0, Decimal(0), spent_ms, outcome)
        ledger.record(call)
