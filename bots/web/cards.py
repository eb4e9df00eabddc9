"""Exchanges as the ask page shows them, with only what their asker may still read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.contrib.auth.models import User
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from bots.answer_json import answer_from_json
from bots.models import Exchange, Feedback
from bots.reading import readable_documents
from bots.replies import (
    WITHHELD,
    Reply,
    Source,
    cited_chunks,
    likelihood,
    named_documents,
    permitted,
    reply_to,
)
from bots.web.markup import blocks_html
from bots.web.passages import passage_anchor
from memory.access import Scope
from memory.documents import Answer, Outcome

#: Below this probability an answer says by itself that it may be none.
DOUBTFUL = 0.5


@dataclass(frozen=True, slots=True)
class SourceCard:
    """A numbered source, or a document that might help."""

    source: Source
    age: str
    page: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class ProofCard:
    """A piece of evidence with its document and the link to its place there."""

    title: str
    heading: str
    html: SafeString
    page: str
    cited: bool


@dataclass(frozen=True, slots=True)
class ThumbCard:
    """The asker's feedback as its form shows it."""

    value: str = ""
    reason: str = ""
    comment: str = ""
    error: str = ""
    saved: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """One exchange on the page. `html` is the reply; "" while it's being answered.

    `proofs` is what the answer used, or all that was found where it used nothing;
    `unused` is what was found besides.
    """

    id: UUID
    question: str
    asked_at: datetime
    outcome: str
    pending: bool
    html: SafeString
    extractive: bool
    withheld: bool
    sources: Sequence[SourceCard]
    nearest: Sequence[SourceCard]
    proofs: Sequence[ProofCard]
    unused: Sequence[ProofCard]
    doubtful: bool
    notes: Sequence[str]
    searched: int | None
    searched_in: str
    likelihood: str
    percent: int | None
    thumb: ThumbCard


def cards(
    exchanges: Sequence[Exchange],
    scope: Scope,
    thumbs: Mapping[UUID, ThumbCard],
) -> list[Card]:
    """Return one card an exchange, with two queries for all of them."""
    answers = {
        item.id: answer_from_json(item.answer) for item in exchanges if item.answer
    }
    titles = _titles(scope, answers.values())
    return [
        _card(item, answers.get(item.id), titles, thumbs.get(item.id, ThumbCard()))
        for item in exchanges
    ]


def _titles(scope: Scope, answers: Iterable[Answer]) -> dict[UUID, str]:
    """Return the titles of the named documents that may be read now."""
    named = {id_ for answer in answers for id_ in named_documents(answer)}
    if not named:
        return {}
    found = readable_documents(scope, Q(id__in=named))
    return dict(found.values_list("id", "title"))


def _card(
    exchange: Exchange,
    answer: Answer | None,
    titles: Mapping[UUID, str],
    thumb: ThumbCard,
) -> Card:
    kept = permitted(answer, titles.keys()) if answer else None
    reply = reply_to(kept) if kept else _no_reply(answer)
    prefix = f"e-{exchange.id}-source-"
    searched: dict[str, int] = exchange.answer.get("searched", {})
    answered = kept is not None and kept.outcome is Outcome.ANSWERED
    links = _Links(exchange, kept)
    proofs = [*_proofs(reply, titles, links)]
    used = [proof for proof in proofs if proof.cited] or proofs
    return Card(
        id=exchange.id,
        question=exchange.question,
        asked_at=exchange.asked_at,
        outcome=exchange.outcome,
        pending=exchange.state != Exchange.State.DONE,
        html=blocks_html(reply.blocks, cite_prefix=prefix),
        extractive=reply.extractive,
        withheld=answer is not None and kept is None,
        sources=[_source(item, prefix, links) for item in reply.sources],
        nearest=[_source(item, prefix, links) for item in reply.nearest],
        proofs=used,
        unused=[proof for proof in proofs if proof not in used],
        doubtful=answered and kept is not None and kept.answerability < DOUBTFUL,
        notes=reply.notes,
        searched=_searched(kept, searched),
        searched_in=listed([*searched]),
        likelihood=likelihood(kept.answerability) if kept else "",
        percent=round(kept.answerability * 100) if kept else None,
        thumb=thumb,
    )


def _no_reply(answer: Answer | None) -> Reply:
    notes = (WITHHELD,) if answer else ()
    return Reply(Outcome.ANSWERED, blocks=(), notes=notes)


def _searched(answer: Answer | None, searched: Mapping[str, int]) -> int | None:
    if answer is None or answer.outcome is Outcome.FAILED:
        return None
    if answer.searched_documents is not None:
        return answer.searched_documents
    return sum(searched.values())


class _Links:
    """Addresses of document pages, with what the answer rested on marked there."""

    def __init__(self, exchange: Exchange, answer: Answer | None) -> None:
        self._exchange = exchange
        self.cited = cited_chunks(answer) if answer else frozenset()
        evidence = answer.evidence if answer else ()
        self._first = {
            item.document_id: item.chunk_id
            for item in reversed(evidence)
            if item.chunk_id in self.cited
        }

    def to_chunk(self, document_id: UUID, chunk_id: UUID) -> str:
        """Return the address of a passage."""
        page = reverse("web:document", args=[document_id])
        query = f"exchange={self._exchange.id}&chunk={chunk_id}"
        return f"{page}?{query}#{passage_anchor(chunk_id)}"

    def to_document(self, document_id: UUID) -> str:
        """Return the address of the first cited passage, or of the page's top."""
        if document_id in self._first:
            return self.to_chunk(document_id, self._first[document_id])
        return reverse("web:document", args=[document_id])


def _source(source: Source, prefix: str, links: _Links) -> SourceCard:
    return SourceCard(
        source=source,
        age=source.age(timezone.now()),
        page=links.to_document(source.id),
        anchor=f"{prefix}{source.number}" if source.number else "",
    )


def _proofs(
    reply: Reply, titles: Mapping[UUID, str], links: _Links
) -> Iterable[ProofCard]:
    for proof in reply.proofs:
        item = proof.evidence
        title = titles.get(item.document_id, "") or "Untitled"
        # Most documents begin with a heading that is their title again.
        below = f"{item.heading} / ".removeprefix(f"{title} / ")
        yield ProofCard(
            title=title,
            heading=below.removesuffix(" / "),
            html=blocks_html(proof.blocks),
            page=links.to_chunk(item.document_id, item.chunk_id),
            cited=item.chunk_id in links.cited,
        )


def listed(names: Sequence[str]) -> str:
    """Return names as people list them: "A, B and C"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def thumbs_of(account: User, exchanges: Sequence[Exchange]) -> dict[UUID, ThumbCard]:
    """Return the account's own feedback by exchange."""
    found = Feedback.objects.filter(account_id=account.pk, exchange__in=exchanges)
    return {
        item.exchange_id: ThumbCard(item.value, item.reason, item.comment, saved=True)
        for item in found
    }
