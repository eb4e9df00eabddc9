"""From what the stages found to the Answer: outcome, documents, and plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from memory.documents import (
    Answer,
    LinkedDocument,
    Outcome,
    Properties,
    Sentence,
)
from memory.errors import StoreDamaged, StoreError
from memory.query.base import Candidate, Draft, Packed, WeightedQuery
from memory.query.fusion import Route
from memory.query.trace import Run

#: Documents that an abstention or a failure offers.
NEAREST = 3

STORE_DOWN = (
    "The document store can't be reached right now. Please try again in a few minutes."
)
STORE_DAMAGED = (
    "The document store is damaged, so I can't search it. Trying again won't help: "
    "please tell an administrator."
)
SEARCH_DOWN = (
    "Searching the documents failed, so I can't tell what they say. Please try again "
    "in a few minutes."
)
ANSWERING_DOWN = "I found documents that may hold the answer, but writing it failed."
TOO_SLOW = (
    "This took longer than a question may take, so I can't tell what the documents "
    "say. Please try again in a few minutes."
)
ANSWERING_TOO_SLOW = (
    "I found documents that may hold the answer, but had no time left to write it."
)
NOTHING_ASKED = "Please ask a question in words."


def store_failure(error: StoreError) -> str:
    """Return what the asker is told of a store that can't be searched."""
    return STORE_DAMAGED if isinstance(error, StoreDamaged) else STORE_DOWN


@dataclass(frozen=True, slots=True)
class Found:
    """One pass: ranked candidates, what was packed, and the gate's figure."""

    queries: tuple[WeightedQuery, ...] = ()
    routes: tuple[Route, ...] = ()
    ranked: tuple[Candidate, ...] = ()
    packed: Packed = field(default_factory=lambda: Packed((), ()))
    answerability: float = 0.0

    @property
    def text(self) -> str:
        """Return the wording that stands for the question."""
        return asked_text(self.queries)


def asked_text(queries: Sequence[WeightedQuery]) -> str:
    """Return the wording that stands for the question: the heaviest, the first of equals.

    So it's the asker's own words, unless they point back in their thread and weigh
    less than the canonical wording.
    """
    best = max(queries, key=lambda query: query.weight, default=None)
    return best.text if best else ""


def finish(
    run: Run,
    found: Found,
    outcome: Outcome,
    *,
    text: str,
    sentences: tuple[Sentence, ...] = (),
) -> Answer:
    """Return the answer with its documents, ranking and evidence."""
    properties = {
        item.document_id: item.stored.properties for item in reversed(found.ranked)
    }
    cited = dict.fromkeys(
        document for sentence in sentences for document in sentence.document_ids
    )
    ranking = tuple(dict.fromkeys(item.document_id for item in found.ranked))
    packed = dict.fromkeys(card.document_id for card in found.packed.evidence)
    nearest = () if outcome is Outcome.ANSWERED else (*packed,)[:NEAREST]
    return Answer(
        outcome=outcome,
        text=text,
        answerability=found.answerability,
        confidence=0.0 if outcome is not Outcome.ANSWERED else found.answerability,
        documents=tuple(linked(properties[document]) for document in cited),
        sentences=sentences,
        evidence=found.packed.evidence,
        nearest=tuple(linked(properties[document]) for document in nearest),
        ranking=ranking,
        timings_ms=run.timings_ms(),
        fallbacks=tuple(run.fallbacks),
        trace=tuple(run.stages),
    )


def linked(properties: Properties) -> LinkedDocument:
    """Return what a reply needs to link a document."""
    return LinkedDocument(
        id=properties.document_id,
        title=properties.title,
        url=properties.url,
        source=properties.source_name,
        external_id=properties.external_id,
        updated_at=properties.updated_at,
    )


def within(sentences: Sequence[Sentence], packed: Packed) -> tuple[Sentence, ...]:
    """Drop every document that isn't in the evidence (A11: intersection)."""
    loaded = {card.document_id for card in packed.evidence}
    return tuple(
        replace(
            sentence,
            document_ids=tuple(d for d in sentence.document_ids if d in loaded),
        )
        for sentence in sentences
    )


def all_loaded(draft: Draft, packed: Packed) -> tuple[Sentence, ...]:
    """Return the draft as one sentence for all loaded documents (A11, disabled)."""
    documents = tuple(dict.fromkeys(card.document_id for card in packed.evidence))
    return (Sentence(0, len(draft.text), documents),)
