"""The question's wordings by a language model (A6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from memory.documents import Turn
from memory.errors import AttestError
from memory.language_models.base import LanguageModel
from memory.prompts.base import as_data
from memory.prompts.query import CANONICAL, EXPANSIONS, WORDINGS
from memory.query.base import Candidate, WeightedQuery
from memory.query.expansion import EXPANSION_WEIGHT
from memory.query.transform import DEPENDENT_WEIGHT, depends_on_thread
from memory.query.wording import invented_numbers, keeps_exact_words
from memory.query.words import has_word

MAX_EXPANSIONS = 3
#: Turns of the thread that the model reads, and of each that many characters.
EARLIER_TURNS = 6
EARLIER_CHARACTERS = 1_500


class WordingDropped(AttestError):
    """A rewording isn't one of the question any more."""


@dataclass(frozen=True, slots=True)
class ModelTransform:
    """Adds the canonical wording, with the thread's turns folded in.

    Ours beside A6: the turns, which the paper's questions haven't, and the check that
    names, numbers and dates survive; a wording that loses or invents one is dropped.
    `may_read_replies` tells whether replies, which can quote documents of sources that
    never leave, may be sent.
    """

    model: LanguageModel
    may_read_replies: Callable[[], bool] = lambda: True

    def queries(self, text: str, history: Sequence[Turn]) -> list[WeightedQuery]:
        """Return the original, and the canonical wording where it's a good one.

        Both weigh 1.0 (A7), but a question that points back says little by itself.
        Raises LanguageModelError, and WordingDropped.
        """
        earlier = self._earlier(history)
        request = CANONICAL.request(as_data({"question": text, "earlier": earlier}))
        schema = CANONICAL.schema or {}
        wording = self.model.json(request, "canonical", schema, parse_query)
        known = [text, *(turn["text"] for turn in earlier)]
        if not keeps_exact_words(text, wording) or invented_numbers(wording, *known):
            raise WordingDropped("The wording lost or added a name, number or date.")
        dependent = bool(earlier) and depends_on_thread(text)
        own = WeightedQuery(text, DEPENDENT_WEIGHT if dependent else 1.0, "original")
        if wording == text:
            return [WeightedQuery(text, 1.0, "original")]
        return [own, WeightedQuery(wording, 1.0, "canonical")]

    def _earlier(self, history: Sequence[Turn]) -> list[dict[str, str]]:
        replies = self.may_read_replies()
        turns = [turn for turn in history if replies or turn.role == "user"]
        return [
            {"from": turn.role, "text": turn.content[:EARLIER_CHARACTERS]}
            for turn in turns[-EARLIER_TURNS:]
        ]


@dataclass(frozen=True, slots=True)
class ModelExpander:
    """Asks for up to three wordings in other terms, of the question alone (A6)."""

    model: LanguageModel
    weight: float = EXPANSION_WEIGHT

    def expansions(
        self, text: str, evidence: Sequence[Candidate]
    ) -> list[WeightedQuery]:
        """Return the expansions, maybe none; `evidence` isn't read.

        Repeats, and wordings with numbers that nobody asked for, are left out. Raises
        LanguageModelError.
        """
        request = EXPANSIONS.request(as_data({"question": text}))
        schema = EXPANSIONS.schema or {}
        found = self.model.json(request, "expansions", schema, parse_queries)
        seen, kept = {text.casefold()}, []
        for wording in found[:MAX_EXPANSIONS]:
            if wording.casefold() in seen or invented_numbers(wording, text):
                continue
            seen.add(wording.casefold())
            kept.append(WeightedQuery(wording, self.weight, "expansion"))
        return kept


@dataclass(frozen=True, slots=True)
class PaperTransform:
    """Canonical wording and expansions in one call, for every question (A6, A16).

    An exact repeat of the question or of an earlier item is skipped but keeps its
    place, so the second item is an expansion whatever the first one was.
    """

    model: LanguageModel

    def queries(self, text: str, history: Sequence[Turn]) -> list[WeightedQuery]:
        """Return the original and at most four more. Raises LanguageModelError.

        `history` isn't read: the paper's input is the bare question.
        """
        request = WORDINGS.request(as_data({"question": text}))
        schema = WORDINGS.schema or {}
        found = self.model.json(request, "queries", schema, parse_queries)
        queries = [WeightedQuery(text, 1.0, "original")]
        for place, wording in enumerate(found[: MAX_EXPANSIONS + 1]):
            if wording in {query.text for query in queries}:
                continue
            kind = "expansion" if place else "canonical"
            weight = EXPANSION_WEIGHT if place else 1.0
            queries.append(WeightedQuery(wording, weight, kind))
        return queries


def parse_query(value: Any) -> str:
    """Return the one query of a reply. Raises ValueError where there's none."""
    query = value.get("query") if isinstance(value, dict) else None
    if not isinstance(query, str) or not has_word(query):
        raise ValueError("The reply has no `query`.")
    return " ".join(query.split())


def parse_queries(value: Any) -> list[str]:
    """Return the queries of `{"queries": […]}` or of a bare list (A6).

    Raises ValueError where there's no list of texts.
    """
    items = value.get("queries") if isinstance(value, dict) else value
    if not isinstance(items, list):
        raise ValueError("The reply has no list `queries`.")
    if not all(isinstance(item, str) for item in items):
        raise ValueError("`queries` must hold texts.")
    texts = [" ".join(item.split()) for item in items]
    return [text for text in texts if has_word(text)]
