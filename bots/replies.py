"""An answer as a reply that any platform can draw: blocks, numbered sources, notes.

Numbers come from here, never from a model: a document's number is its place in
`Answer.documents`, and a sentence shows only numbers that are in the list of sources.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from urllib.parse import urlsplit
from uuid import UUID

from bots.shapes import Shaped, Span, shaped
from memory.answering.conflict import differ
from memory.documents import ABSTENTION, Answer, Evidence, LinkedDocument, Outcome

#: What a reader sees instead of a reply whose documents they can't open any more.
WITHHELD = (
    "This reply is hidden: it rested on a document that is gone or that you may no "
    "longer read."
)


@dataclass(frozen=True, slots=True)
class Source:
    """A document under a reply. `number` is 0 for one that is only offered."""

    number: int
    id: UUID
    title: str
    #: The original's address, or "" where it has none that a browser may open.
    url: str
    name: str
    path: str = ""
    updated_at: datetime | None = None

    def age(self, now: datetime) -> str:
        """Return "updated 3 weeks ago", or "" when it isn't known."""
        return f"updated {ago(self.updated_at, now)}" if self.updated_at else ""


@dataclass(frozen=True, slots=True)
class Proof:
    """A piece of evidence as it's opened on demand; `source` is its document."""

    evidence: Evidence
    blocks: tuple[Shaped, ...]
    source: Source | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What is shown. `sources` support it; `nearest` might help and support nothing."""

    outcome: Outcome
    blocks: tuple[Shaped, ...]
    sources: tuple[Source, ...] = ()
    nearest: tuple[Source, ...] = ()
    proofs: tuple[Proof, ...] = ()
    notes: tuple[str, ...] = ()
    extractive: bool = False
    withheld: bool = False


def reply_to(answer: Answer) -> Reply:
    """Return the reply; only an answered one has sources and numbers."""
    answered = answer.outcome is Outcome.ANSWERED
    listed = answer.documents if answered else ()
    numbers = {document.id: n for n, document in enumerate(listed, start=1)}
    sources = tuple(_source(document, numbers[document.id]) for document in listed)
    nearest = tuple(_source(document, 0) for document in answer.nearest)
    abstained = answer.outcome is Outcome.ABSTAINED
    spans = [] if abstained else _spans(answer, numbers)
    return Reply(
        outcome=answer.outcome,
        blocks=tuple(shaped(ABSTENTION if abstained else answer.text, spans)),
        sources=sources,
        nearest=nearest,
        proofs=_proofs(answer.evidence, [*sources, *nearest]),
        notes=_notes(answer),
        extractive=answered and answer.extractive,
    )


def permitted(answer: Answer, readable: Collection[UUID]) -> Answer | None:
    """Return the answer with only what may still be read, or None to withhold it.

    An answer is withheld when any document that supports it is not in `readable`:
    its text would say what the document says. Where attribution failed, that may be
    any document of its evidence.
    """
    cited = {document.id for document in answer.documents}
    cited.update(id_ for item in answer.sentences for id_ in item.document_ids)
    cited = cited or {item.document_id for item in answer.evidence}
    if answer.outcome is Outcome.ANSWERED and not cited <= set(readable):
        return None
    return replace(
        answer,
        documents=tuple(item for item in answer.documents if item.id in readable),
        nearest=tuple(item for item in answer.nearest if item.id in readable),
        evidence=tuple(
            item for item in answer.evidence if item.document_id in readable
        ),
        ranking=tuple(id_ for id_ in answer.ranking if id_ in readable),
    )


def named_documents(answer: Answer) -> set[UUID]:
    """Return every document that the answer names or quotes."""
    named = {item.id for item in (*answer.documents, *answer.nearest)}
    named.update(item.document_id for item in answer.evidence)
    named.update(id_ for item in answer.sentences for id_ in item.document_ids)
    return named


def cited_chunks(answer: Answer) -> frozenset[UUID]:
    """Return the chunks that the answer's sentences stand on."""
    return frozenset(id_ for item in answer.sentences for id_ in item.chunk_ids)


def web_address(url: str) -> str:
    """Return the address when a browser may open it (http, https), else ""."""
    stripped = url.strip()
    if any(ord(character) < 32 or character == "\\" for character in stripped):
        return ""
    try:
        parts = urlsplit(stripped)
    except ValueError:
        return ""
    return stripped if parts.scheme in ("http", "https") and parts.netloc else ""


_UNITS = (("year", 365), ("month", 30), ("week", 7), ("day", 1))


def ago(when: datetime, now: datetime) -> str:
    """Return how long ago in one unit: "today", "yesterday", "3 weeks ago"."""
    days = (now - when) // timedelta(days=1)
    if days < 1:
        return "today"
    if days == 1:
        return "yesterday"
    unit, length = next(pair for pair in _UNITS if days >= pair[1])
    count = days // length
    return f"{count} {unit}{'' if count == 1 else 's'} ago"


def likelihood(answerability: float) -> str:
    """Return a probability in words, for readers who don't think in figures."""
    for least, words in _LIKELIHOODS:
        if answerability >= least:
            return words
    return _LIKELIHOODS[-1][1]


_LIKELIHOODS = (
    (0.9, "The documents almost certainly hold this answer"),
    (0.7, "The documents likely hold this answer"),
    (0.5, "The documents may hold this answer"),
    (0.25, "The documents probably don't hold this answer"),
    (0.0, "The documents very likely don't hold this answer"),
)


def _spans(answer: Answer, numbers: dict[UUID, int]) -> list[Span]:
    quoted = answer.extractive and answer.outcome is Outcome.ANSWERED
    spans = []
    for sentence in sorted(answer.sentences, key=lambda item: item.start):
        found = {numbers[id_] for id_ in sentence.document_ids if id_ in numbers}
        spans.append(
            Span(sentence.start, sentence.end, tuple(sorted(found)), quoted=quoted)
        )
    return spans


def _source(document: LinkedDocument, number: int) -> Source:
    return Source(
        number=number,
        id=document.id,
        title=document.title or document.external_id or "Untitled",
        url=web_address(document.url),
        name=document.source,
        path=document.external_id,
        updated_at=document.updated_at,
    )


def _proofs(
    evidence: Sequence[Evidence], sources: Sequence[Source]
) -> tuple[Proof, ...]:
    by_id = {source.id: source for source in reversed(sources)}
    return tuple(
        Proof(item, tuple(shaped(item.text)), by_id.get(item.document_id))
        for item in evidence
    )


def _notes(answer: Answer) -> tuple[str, ...]:
    if answer.outcome is Outcome.ANSWERED and not answer.documents:
        return ("I couldn't tell which documents support this answer.",)
    return _outdated(answer) if answer.extractive else ()


def _outdated(answer: Answer) -> tuple[str, ...]:
    """Name each quoted document that a newer quoted one contradicts, with both dates."""
    listed = {document.id: document for document in answer.documents}
    quoted = [
        (listed[item.document_ids[0]], answer.text[item.start : item.end])
        for item in answer.sentences
        if item.document_ids and item.document_ids[0] in listed
    ]
    notes: dict[str, None] = {}
    for older, old in quoted:
        for newer, new in quoted:
            if not older.updated_at or not newer.updated_at:
                continue
            if older.updated_at < newer.updated_at and differ(old, new):
                notes[
                    f"“{older.title}” ({older.updated_at:%-d %B %Y}) says otherwise "
                    f"than “{newer.title}” ({newer.updated_at:%-d %B %Y}), which is "
                    "newer."
                ] = None
    return tuple(notes)
