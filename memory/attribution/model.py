"""Attribution by a language model, after the answer's text is frozen (A11)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import structlog

from memory.documents import ABSTENTION, Evidence, Sentence
from memory.language_models.base import LanguageModel
from memory.prompts.answering import ATTRIBUTION, WHOLE_ATTRIBUTION
from memory.query.base import Draft
from memory.query.packing import Render, render_card, render_cards, render_quoted
from memory.sentences import sentence_spans

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ModelAttributor:
    """Names the documents of each sentence; A11 asks for the whole answer's.

    A reply may name chunks or documents, whatever it was asked for; what isn't in the
    evidence is dropped and counted in the log.
    """

    model: LanguageModel
    render: Render = render_quoted

    def attribute(
        self, text: str, draft: Draft, evidence: Sequence[Evidence]
    ) -> tuple[Sentence, ...]:
        """Return the draft's sentences with their documents, best first.

        Offsets are the draft's own. A sentence that nothing supports has no documents;
        an abstention has no sentences. Raises LanguageModelError.
        """
        spans = _spans(draft)
        if not spans or not evidence:
            return ()
        told = {
            "fixed_answer": draft.text,
            "sentences": [
                {"sentence": number, "text": draft.text[s.start : s.end]}
                for number, s in enumerate(spans, start=1)
            ],
        }
        user = render_cards(told, evidence, self.render)
        schema = ATTRIBUTION.schema or {}
        named = self.model.json(
            ATTRIBUTION.request(user), "attribution", schema, parse_sentences
        )
        return tuple(
            _supported(span, named.get(number, ()), evidence)
            for number, span in enumerate(spans, start=1)
        )


@dataclass(frozen=True, slots=True)
class PaperAttributor:
    """Names the documents of the answer as a whole (A11, A16)."""

    model: LanguageModel
    render: Render = render_card

    def attribute(
        self, text: str, draft: Draft, evidence: Sequence[Evidence]
    ) -> tuple[Sentence, ...]:
        """Return the whole text as one sentence; see `ModelAttributor`."""
        if not _spans(draft) or not evidence:
            return ()
        user = render_cards({"fixed_answer": draft.text}, evidence, self.render)
        schema = WHOLE_ATTRIBUTION.schema or {}
        ids = self.model.json(
            WHOLE_ATTRIBUTION.request(user), "documents", schema, parse_documents
        )
        return (_supported(Sentence(0, len(draft.text)), ids, evidence),)


def _spans(draft: Draft) -> tuple[Sentence, ...]:
    """Return a draft's sentences, none for an abstention."""
    if draft.text.strip() in ("", ABSTENTION):
        return ()
    return draft.sentences or tuple(
        Sentence(*span) for span in sentence_spans(draft.text)
    )


def _supported(
    sentence: Sentence, ids: Iterable[str], evidence: Sequence[Evidence]
) -> Sentence:
    """Return a sentence with what of `ids` is in the evidence, in the ids' order.

    A document that was named, and not its chunk, stands with its best card.
    """
    cards: dict[str, Evidence] = {}
    for card in reversed(evidence):
        cards[str(card.document_id)] = card
    cards |= {str(card.chunk_id): card for card in evidence}
    wanted = [name.strip().casefold() for name in ids]
    found = [cards[name] for name in wanted if name in cards]
    if len(found) < len(wanted):
        log.warning("attribution_ids_rejected", count=len(wanted) - len(found))
    documents: dict[UUID, None] = dict.fromkeys(card.document_id for card in found)
    chunks: dict[UUID, None] = dict.fromkeys(card.chunk_id for card in found)
    return replace(sentence, document_ids=(*documents,), chunk_ids=(*chunks,))


def parse_sentences(value: Any) -> Mapping[int, Sequence[str]]:
    """Return the ids by sentence number. Raises ValueError for another shape."""
    items = value.get("sentences") if isinstance(value, dict) else None
    if not isinstance(items, list):
        raise ValueError("The reply has no list `sentences`.")
    named: dict[int, list[str]] = defaultdict(list)
    for item in items:
        number = item.get("sentence") if isinstance(item, dict) else None
        ids = item.get("ids") if isinstance(item, dict) else None
        if not isinstance(number, int) or not isinstance(ids, list):
            raise ValueError("A sentence needs `sentence` and `ids`.")
        named[number].extend(one for one in ids if isinstance(one, str))
    return named


def parse_documents(value: Any) -> Sequence[str]:
    """Return the named ids, each once. Raises ValueError where there's no list."""
    items = value.get("document_ids") if isinstance(value, dict) else None
    if not isinstance(items, list):
        raise ValueError("The reply has no list `document_ids`.")
    return list(dict.fromkeys(item for item in items if isinstance(item, str)))
