"""The contract of language models: what the pipeline asks for, and what it gets.

A stage makes a `Request` and calls `LanguageModel.text` or `LanguageModel.json`. It
never sees a vendor, a retry or a price. Every call, also a failed one, becomes a
`Call` in the ambient ledger (`memory.language_models.ledger`), and every call keeps
the ambient deadline (`memory.deadline`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Protocol, TypeVar

from memory.errors import AttestError

Parsed = TypeVar("Parsed")

#: A JSON schema object that strict structured outputs accept: every property required,
#: `additionalProperties` false.
JsonSchema = Mapping[str, Any]


class Role(StrEnum):
    """What a model is used for; each role may have a model of its own (A16)."""

    EXTRACTION = "extraction"
    ABSTRACTION = "abstraction"
    QUERY = "query"
    ANSWER = "answer"
    ATTRIBUTION = "attribution"
    JUDGE = "judge"
    #: No prompt: the calls of an embedding model, in ledger and Spend.
    EMBEDDING = "embedding"


#: Roles that a question needs: with fewer, questions are answered without a model.
QUESTION_ROLES = frozenset({Role.QUERY, Role.ANSWER, Role.ATTRIBUTION})


class LanguageModelError(AttestError):
    """A model can't be reached, refused, or gave no usable reply. No secret inside."""


class ModelUnavailable(LanguageModelError):
    """Connection, time-out, rate limit or server error, after all retries."""


class ModelRefused(LanguageModelError):
    """The endpoint or the model declined: wrong key, unknown model, content filter."""


class InvalidReply(LanguageModelError):
    """Empty, cut short, unparsable or failing validation, after all attempts (A12)."""


@dataclass(frozen=True, slots=True)
class Request:
    """One prompt. `system` is ours; `user` may hold text from documents, as data."""

    role: Role
    system: str
    user: str
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Call:
    """What one HTTP call (or cached reply) used.

    Token counts are None where the endpoint reports none: totals are then lower
    bounds. `cost` is in US dollars, None where no price is known, never 0 for unknown;
    a cached reply costs 0. `outcome` is "ok", "cached", "retried" or "failed".
    """

    role: Role
    model: str
    prompt_tokens: int | None
    completion_tokens: int | None
    cost: Decimal | None
    milliseconds: float
    outcome: str


class LanguageModel(Protocol):
    """One model for one role. Safe to share by threads."""

    @property
    def name(self) -> str:
        """Name the model as configured; part of prompt versions and fingerprints."""
        ...

    def text(self, request: Request) -> str:
        """Return the reply, stripped and not empty.

        Raises ModelUnavailable, ModelRefused and InvalidReply (empty).
        """
        ...

    def json(
        self,
        request: Request,
        schema_name: str,
        schema: JsonSchema,
        parse: Callable[[Any], Parsed],
    ) -> Parsed:
        """Return `parse` of the reply's JSON value.

        At most three attempts while the reply is empty, cut short, unparsable or
        `parse` raises ValueError (A12); then InvalidReply. Raises ModelUnavailable and
        ModelRefused at once, without further attempts.
        """
        ...
