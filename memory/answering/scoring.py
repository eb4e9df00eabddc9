"""How well each unit answers the question: meaning, words, form and rank."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memory.answering.asked import Asked, Form
from memory.answering.terms import overlap, rarity, terms
from memory.answering.units import Kind, Unit
from memory.documents import FloatArray
from memory.embedding import Embedder, kept_vectors


@dataclass(frozen=True, slots=True)
class Weights:
    """What each signal adds to a unit's cosine similarity with the question."""

    words: float = 0.25
    form: float = 0.05
    #: Enough that the first link is as often right as the first-ranked document.
    rank: float = 0.25
    #: What the mean of a card's two best units adds to each of its units.
    card: float = 0.3
    #: Added to units that can't open an answer, or that read badly without more.
    dangling: float = -0.08
    curt: float = -0.10
    title: float = -0.06
    #: How many units are scored by meaning; the vectors of most are kept from sync.
    compared: int = 200
    #: Where fewer have a kept vector, others are encoded until there are so many.
    encoded: int = 24


@dataclass(frozen=True, slots=True)
class Scored:
    """A unit with its score, higher is better; by query; and its unit vector."""

    unit: Unit
    score: float
    #: Shape (queries,), the whole question first.
    by_query: FloatArray
    vector: FloatArray
    terms: frozenset[str]


_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|half|daily|weekly"
    r"|monthly|quarterly|annually|yearly|unlimited|twice|once|immediately)\b",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"[\w.+-]+@[\w-]+\.\w+|(?<!\w)[@#][a-z][\w-]+|\b[A-Z][a-z]+ [A-Z][a-z]+"
    r"|\b(?:team|manager|lead|leader|director|owner|VP|CEO|CTO|CFO|head|partner|admin"
    r"|engineer|executive|representative|HR|legal|finance|ops)\b"
)
_PERMISSION = re.compile(
    r"\b(?:can|can't|cannot|may|must|mustn't|should|shouldn't|not|never|only|allowed"
    r"|eligible|require[sd]?|approv\w+|unless|except|no longer|always|do not|don't"
    r"|won't|will|if)\b",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"\b(?:click|select|open|go to|create|add|submit|run|choose|enter|fill|send|post"
    r"|request|ask|reach out|email|contact|use|make sure|ensure|update|set|navigate"
    r"|log|copy|review|complete|schedule|loop in)\b",
    re.IGNORECASE,
)
_CURT_WORDS = 4


def fits(unit: Unit, form: Form) -> float:
    """Return how well a unit has the form that is asked for, in [0, 1]."""
    if form is Form.NUMBER:
        return float(bool(_NUMBER.search(unit.text)))
    if form is Form.WHO:
        return float(bool(_WHO.search(unit.text)))
    if form is Form.PERMISSION:
        return float(bool(_PERMISSION.search(unit.text)))
    if form is Form.STEPS:
        step = unit.is_ordered or unit.kind is Kind.CODE
        return 0.5 * step + 0.5 * bool(_ACTION.search(unit.text))
    return float(unit.kind in (Kind.ITEM, Kind.ROW, Kind.LEAD))


class Scorer:
    """Scores units with an encoder; stateless but for it."""

    def __init__(self, embedder: Embedder, weights: Weights | None = None) -> None:
        """Use `embedder` for question and units alike."""
        self._embedder = embedder
        self._weights = weights or Weights()

    def score(self, asked: Asked, units: Sequence[Unit]) -> list[Scored]:
        """Return the most promising units with their scores, best first.

        A cheap look at words, form and rank chooses which are compared by meaning,
        and which of those without a kept vector are encoded; the rest is left out.
        """
        found = {unit.key: frozenset(terms(unit.text)) for unit in units}
        idf = rarity(found.values())
        top = max(idf.values(), default=1.0)
        wanted = {t: w * idf.get(t, top) for t, w in asked.terms.items() if t in idf}
        cheap = {u.key: self._cheap(asked, u, wanted, found[u.key]) for u in units}
        usable = [unit for unit in units if unit.kind is not Kind.HEADER]
        usable.sort(key=lambda unit: (-cheap[unit.key], unit.key))
        vectors = self._vectors(usable[: self._weights.compared])
        usable = [unit for unit in usable if unit.key in vectors]
        if not usable:
            return []
        queries = self._embedder.embed_queries(list(asked.queries))
        by_unit = [vectors[unit.key] @ queries.T for unit in usable]
        similar = np.stack([own.max(axis=0) for own in by_unit])
        similar += self._weights.card * _by_card(similar, usable)
        scored = [
            self._scored(
                unit,
                similar[row],
                vectors[unit.key][by_unit[row][:, 0].argmax()],
                cheap,
                found[unit.key],
            )
            for row, unit in enumerate(usable)
        ]
        return sorted(scored, key=lambda item: (-item.score, item.unit.key))

    def _vectors(self, units: Sequence[Unit]) -> dict[tuple[int, int], FloatArray]:
        """Return by unit the vectors of its statements, shape (n, d), n at least 1.

        Kept vectors; only where they are few, the first other units are encoded.
        """
        texts = [text for unit in units for text in unit.statements]
        kept = kept_vectors(self._embedder, texts)
        unknown = [u for u in units if not any(t in kept for t in u.statements)]
        room = max(0, self._weights.encoded - (len(units) - len(unknown)))
        missing = [unit.statements[0] for unit in unknown[:room]]
        if missing:
            fresh = self._embedder.embed_documents(missing)
            kept = {**kept, **dict(zip(missing, fresh, strict=True))}
        found = {u.key: [kept[t] for t in u.statements if t in kept] for u in units}
        return {key: np.stack(own) for key, own in found.items() if own}

    def _scored(
        self,
        unit: Unit,
        similar: FloatArray,
        vector: FloatArray,
        cheap: dict[tuple[int, int], float],
        found: frozenset[str],
    ) -> Scored:
        by_query = np.asarray(similar + cheap[unit.key], dtype=np.float32)
        return Scored(unit, float(by_query[0]), by_query, vector, found)

    def _cheap(
        self,
        asked: Asked,
        unit: Unit,
        wanted: dict[str, float],
        found: frozenset[str],
    ) -> float:
        weights = self._weights
        words = overlap(wanted, found, frozenset(terms(unit.context)))
        form = sum(fits(unit, form) for form in asked.forms)
        rank = 1 / (1 + unit.card / 3)
        score = weights.words * words + weights.form * form + weights.rank * rank
        if unit.is_dangling:
            score += weights.dangling
        if len(unit.text.split()) < _CURT_WORDS and unit.kind is not Kind.ROW:
            score += weights.curt
        if unit.kind in (Kind.LEAD, Kind.QUESTION):
            score += weights.title
        return score


_BEST_OF_CARD = 2


def _by_card(similar: FloatArray, units: Sequence[Unit]) -> FloatArray:
    """Return for each unit the mean of its card's best similarities, by query.

    A sentence that is near the question by chance stands among others that aren't.
    """
    result = np.zeros_like(similar)
    cards = np.array([unit.card for unit in units])
    for card in set(cards.tolist()):
        own = cards == card
        best = np.sort(similar[own], axis=0)[-_BEST_OF_CARD:]
        result[own] = best.sum(axis=0) / _BEST_OF_CARD
    return result
