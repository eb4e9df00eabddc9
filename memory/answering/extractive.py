"""The answerer without a language model: verbatim pieces of the evidence (A10)."""

from __future__ import annotations

from collections.abc import Sequence

from memory.answering.asked import asked
from memory.answering.composing import compose
from memory.answering.conflict import newest_first
from memory.answering.scoring import Scorer, Weights
from memory.answering.selection import Limits, Selector
from memory.answering.units import units_of
from memory.documents import ABSTENTION, Evidence, Turn
from memory.embedding import Embedder
from memory.query.base import Draft
from memory.tokens import count_tokens


class ExtractiveAnswerer:
    """Answers with sentences, list items, table rows and code of the evidence.

    Differs from A10, which writes with a model: the text is verbatim, so each piece's
    chunk is known and nothing outside the evidence can be said.
    """

    def __init__(
        self,
        embedder: Embedder,
        *,
        weights: Weights | None = None,
        limits: Limits | None = None,
    ) -> None:
        """Use `embedder` to compare the question with pieces of the evidence."""
        self._scorer = Scorer(embedder, weights)
        self._selector = Selector(count_tokens, limits)

    def answer(
        self, text: str, history: Sequence[Turn], evidence: Sequence[Evidence]
    ) -> Draft:
        """Return at most 800 tokens, the best piece first; its pieces know their chunks.

        `evidence` is best first. ABSTENTION only where there's nothing to quote; it's
        the gate that judges whether the evidence does. Raises EmbeddingError.
        """
        cards = {card: units_of(card, item) for card, item in enumerate(evidence)}
        units = [unit for found in cards.values() for unit in found]
        question = asked(text, history)
        scored = self._scorer.score(question, units)
        documents = {card: item.document_id for card, item in enumerate(evidence)}
        chosen = self._selector.choose(question, scored, cards, documents)
        if not chosen:
            return Draft(ABSTENTION, extractive=True)
        return compose(newest_first(chosen, evidence), evidence)
