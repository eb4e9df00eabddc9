"""The one path that all platforms share: Incoming -> Exchange -> Answer.

`receive` stores the question, `answer_exchange` answers a stored one. Both may be
called twice for the same question and do it once.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol
from uuid import UUID

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone

from bots.answer_json import answer_from_json, answer_to_json
from bots.errors import NothingAsked, NotLinked, QuestionTooLong
from bots.models import Exchange
from bots.reading import (
    readable_ids,
    scope_for,
    searched_sources,
    with_current_names,
)
from bots.replies import named_documents, permitted
from connectors.access import SqlAuthority
from connectors.models import Person
from memory.access import Scope
from memory.documents import Answer, Outcome, Question, StageTrace, Turn
from memory.errors import AttestError, StoreError
from memory.language_models.ledger import collecting
from memory.models import write_spend
from memory.outcomes import store_failure

log = logging.getLogger(__name__)

MAX_CHARACTERS = 4_000
#: Exchanges of the thread that are folded into a follow-up question.
HISTORY_EXCHANGES = 6
#: Longer than any deadline: whoever answered it is gone.
ABANDONED_AFTER = timedelta(minutes=2)

FAILED_TEXT = (
    "Something went wrong here while I looked for the answer. "
    "Your question is kept; please ask again in a moment."
)
INTERRUPTED_TEXT = "Answering was interrupted before it was done. Please ask again."


class Pipeline(Protocol):
    """What answers: memory.runtime's, or a test's own."""

    def ask(self, question: Question) -> Answer:
        """Return the answer; a failing stage is in it, not raised."""
        ...


def pipeline() -> Pipeline:
    """Return the configured pipeline; the first call loads its models."""
    # Here, as it loads numpy, torch and the store: a worker that only receives
    # questions needs none of them.
    from memory.runtime import runtime

    return runtime().pipeline(SqlAuthority())


@dataclass(frozen=True, slots=True)
class Incoming:
    """A question as a platform delivers it.

    `key` names the submission, so that a second delivery isn't asked again.
    """

    platform: str
    thread: str
    text: str
    person: Person | None = None
    account: User | None = None
    key: str = ""


def normalised(text: str) -> str:
    """Return the question as it's stored.

    Raises NothingAsked when no letter or digit is in it, QuestionTooLong beyond
    MAX_CHARACTERS.
    """
    kept = "".join(c for c in text if c.isprintable() or c in "\n\t").strip()
    if not any(character.isalnum() for character in kept):
        raise NothingAsked("Please type a question: I found no words in it.")
    if len(kept) > MAX_CHARACTERS:
        raise QuestionTooLong(
            f"That's {len(kept):,} characters; a question may have at most "
            f"{MAX_CHARACTERS:,}. Please shorten it."
        )
    return kept


def receive(incoming: Incoming) -> Exchange:
    """Store a question and return its exchange; a known key returns the first one.

    Raises AskingError, and stores nothing, when it can't be asked.
    """
    text = normalised(incoming.text)
    if incoming.person is None:
        raise NotLinked(
            "Your account isn't linked to a person yet, so I can't tell which "
            "documents you may read. Ask an administrator to link it."
        )
    if incoming.key and (known := _known(incoming)):
        return known
    try:
        with transaction.atomic():
            return Exchange.objects.create(
                platform=incoming.platform,
                thread=incoming.thread,
                person=incoming.person,
                account=incoming.account,
                question=text,
                request_key=incoming.key,
            )
    except IntegrityError:
        # The same form arrived twice at once; the other one was first.
        known = _known(incoming)
        if known is None:
            raise
        return known


def _known(incoming: Incoming) -> Exchange | None:
    return Exchange.objects.filter(
        platform=incoming.platform,
        account_id=incoming.account.pk if incoming.account else None,
        request_key=incoming.key,
    ).first()


def answer_exchange(exchange_id: UUID) -> Exchange:
    """Answer a queued exchange, store the answer and return the exchange.

    Only one caller answers it; to others it's returned as it is. It never raises for
    a pipeline that fails: the outcome is `failed`, with a message for the asker.
    """
    claim = timezone.now()
    queued = Exchange.objects.filter(id=exchange_id, state=Exchange.State.QUEUED)
    if queued.update(state=Exchange.State.ANSWERING, claimed_at=claim) == 1:
        exchange = Exchange.objects.select_related("person").get(id=exchange_id)
        began = time.perf_counter()
        with collecting() as ledger:
            answer, searched = _answered(exchange)
        try:
            _store(exchange, answer, searched, seconds=time.perf_counter() - began)
        finally:
            # Paid for, whatever becomes of the answer.
            write_spend(ledger.calls, exchange_id=exchange.id)
    return Exchange.objects.get(id=exchange_id)


def close_abandoned(exchanges_of: User) -> int:
    """End this account's exchanges whose worker is gone; return how many.

    One that no worker ever took was lost between storing and answering it.
    """
    failed = _failure(INTERRUPTED_TEXT)
    since = timezone.now() - ABANDONED_AFTER
    left = Q(state=Exchange.State.ANSWERING, claimed_at__lt=since)
    never_taken = Q(state=Exchange.State.QUEUED, asked_at__lt=since)
    return Exchange.objects.filter(
        left | never_taken, account_id=exchanges_of.pk
    ).update(
        state=Exchange.State.DONE,
        outcome=failed.outcome,
        reply=failed.text,
        answer=answer_to_json(failed),
        answered_at=timezone.now(),
    )


def _answered(exchange: Exchange) -> tuple[Answer, dict[str, int]]:
    """Return the answer and what was searched; the edge for all errors."""
    try:
        scope = scope_for(exchange.person)
        question = Question(
            text=exchange.question, scope=scope, history=history(exchange, scope)
        )
        answer = with_current_names(pipeline().ask(question))
        return answer, searched_sources(scope)
    except StoreError as error:
        # Its message is for an administrator: it names paths, hosts and commands.
        log.exception("Exchange %s failed.", exchange.id)
        return _failure(store_failure(error), error), {}
    except Exception as error:  # noqa: BLE001 - the edge: the asker gets a reply, the log the cause
        log.exception("Exchange %s failed.", exchange.id)
        return _failure(FAILED_TEXT, error), {}


def _failure(message: str, error: Exception | None = None) -> Answer:
    """Return what the asker is told; the trace keeps what superusers may see."""
    trace: tuple[StageTrace, ...] = ()
    if error is not None:
        reason = str(error) if isinstance(error, AttestError) else ""
        told = {"error": type(error).__name__, "message": reason}
        trace = (StageTrace("failed", 0.0, told),)
    return Answer(
        Outcome.FAILED, message, answerability=0.0, confidence=0.0, trace=trace
    )


def history(exchange: Exchange, scope: Scope) -> tuple[Turn, ...]:
    """Return the thread's earlier turns of the same person, oldest first.

    A reply whose documents may no longer be read is left out, as is a failed one.
    """
    earlier = Exchange.objects.filter(
        platform=exchange.platform,
        thread=exchange.thread,
        person=exchange.person,
        account=exchange.account,
        asked_at__lt=exchange.asked_at,
        state=Exchange.State.DONE,
    ).order_by("-asked_at")[:HISTORY_EXCHANGES]
    replies = {
        item.id: answer_from_json(item.answer)
        for item in earlier
        if item.outcome != Outcome.FAILED
    }
    named = {id_ for reply in replies.values() for id_ in named_documents(reply)}
    readable = readable_ids(scope, named)
    turns: list[Turn] = []
    for item in reversed(earlier):
        turns.append(Turn("user", item.question))
        reply = replies.get(item.id)
        if reply and (kept := permitted(reply, readable)) and kept.text:
            turns.append(Turn("assistant", kept.text))
    return tuple(turns)


def _store(
    exchange: Exchange, answer: Answer, searched: dict[str, int], *, seconds: float
) -> None:
    """Write the answer, unless the exchange was closed or taken in the meantime."""
    values = answer_to_json(answer) | {"searched": searched}
    Exchange.objects.filter(
        id=exchange.id,
        state=Exchange.State.ANSWERING,
        claimed_at=exchange.claimed_at,
    ).update(
        state=Exchange.State.DONE,
        outcome=answer.outcome,
        reply=values["text"],
        answerability=values["answerability"],
        confidence=values["confidence"],
        answer=values,
        answered_at=timezone.now(),
        milliseconds=round(seconds * 1000),
    )
