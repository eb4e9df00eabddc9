"""Choosing what the answer may use: whole chunks within a budget (A9)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from memory.distillation.statements import memory_key
from memory.documents import Evidence
from memory.prompts.base import as_data
from memory.query.base import Candidate, Packed
from memory.tokens import count_tokens

EVIDENCE_TOKENS = 4_096
MAX_DOCUMENTS = 5

#: A card as a model reads it; what is packed is counted as it's rendered.
Render = Callable[[Evidence], str]


def render_card(evidence: Evidence) -> str:
    """Return the card as the paper's model reads it: a line of JSON, the text (A9)."""
    label = {
        "chunk_id": str(evidence.chunk_id),
        "document_ids": [str(evidence.document_id)],
        "section_path": evidence.heading,
    }
    return f"{as_data(label)}\n{evidence.text}"


def render_quoted(evidence: Evidence) -> str:
    """Return the card as our model reads it: one line of JSON, its text quoted in it.

    Ours beside A9: a text can't end its card or begin another one. The title stands
    before the headings, as a chunk's own text rarely repeats it, and the day of the last
    change tells which of two that differ is newer.
    """
    card = {
        "chunk_id": str(evidence.chunk_id),
        "document_ids": [str(evidence.document_id)],
        "section_path": evidence.topic or evidence.heading,
        "content": evidence.text,
    }
    if evidence.updated_at is not None:
        card["updated"] = evidence.updated_at.date().isoformat()
    return as_data(card)


def render_cards(first: Any, evidence: Sequence[Evidence], render: Render) -> str:
    """Return what a model is given: one line of JSON, then the cards (A10, A11)."""
    return "\n\n".join([as_data(first), *(render(card) for card in evidence)])


@dataclass(frozen=True, slots=True)
class Packer:
    """Packs candidates in rank order, skipping what doesn't fit and going on (A9).

    A chunk of a document beyond the `max_documents`th is skipped, and so is a chunk
    whose card would bring all cards, joined by blank lines, over `max_tokens` of
    cl100k_base. Nothing is cut. `max_chunks_per_document` is ours (A9 has none), as
    is the rank at which chunks stop being looked at.
    """

    max_tokens: int = EVIDENCE_TOKENS
    max_documents: int = MAX_DOCUMENTS
    max_chunks_per_document: int | None = None
    render: Render = render_card

    def pack(self, candidates: Sequence[Candidate]) -> Packed:
        """Return the chosen candidates with their cards, and why others were skipped."""
        chosen: dict[UUID, tuple[Candidate, Evidence]] = {}
        skipped: dict[UUID, str] = {}
        per_document: dict[UUID, int] = {}
        used = 0
        for candidate in candidates:
            if candidate.chunk_id in chosen:
                continue
            reason = self._refusal(candidate, per_document)
            # A card is longer than its chunk: most that don't fit needn't be rendered.
            if not reason and used + candidate.stored.chunk.tokens > self.max_tokens:
                reason = "evidence_token_budget"
            card = None if reason else evidence_card(candidate, self.render)
            # One token more for the blank line between two cards.
            if card and used + card.tokens + bool(chosen) > self.max_tokens:
                reason = "evidence_token_budget"
            if reason or card is None:
                skipped[candidate.chunk_id] = reason
                continue
            used += card.tokens + bool(chosen)
            chosen[candidate.chunk_id] = (candidate, card)
            document = candidate.document_id
            per_document[document] = per_document.get(document, 0) + 1
        return Packed(
            candidates=tuple(candidate for candidate, _ in chosen.values()),
            evidence=tuple(card for _, card in chosen.values()),
            skipped=skipped,
        )

    def _refusal(self, candidate: Candidate, per_document: dict[UUID, int]) -> str:
        """Return why a candidate's document can't take it, or ""."""
        taken = per_document.get(candidate.document_id, 0)
        if not taken and len(per_document) >= self.max_documents:
            return "document_budget"
        if self.max_chunks_per_document and taken >= self.max_chunks_per_document:
            return "chunks_per_document"
        return ""


def evidence_card(candidate: Candidate, render: Render = render_card) -> Evidence:
    """Return a candidate's card; `tokens` counts it as it's rendered for a model."""
    evidence = card_of(candidate)
    return replace(evidence, tokens=count_tokens(render(evidence)))


def card_of(candidate: Candidate) -> Evidence:
    """Return a candidate's card without counting its tokens."""
    chunk = candidate.stored.chunk
    text = f"{chunk.header}\n{chunk.text}" if chunk.header else chunk.text
    return Evidence(
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        heading=" / ".join(chunk.path),
        text=text.strip("\n"),
        tokens=0,
        anchor=chunk.anchor,
        topic=memory_key(chunk.title, chunk.path),
        updated_at=candidate.stored.properties.updated_at,
    )
