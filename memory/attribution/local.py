"""Which evidence supports each sentence of an answer (A11), without a model.

A11 asks a model for the documents of the whole answer; here it's by sentence, so that
a reader sees which document to open for which claim. Precise rather than generous: a
document is named for saying the same, not for being about the same. The answer's text
is never touched.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

import numpy as np

from memory.answering.terms import overlap, rarity, terms
from memory.answering.units import Kind, units_of
from memory.documents import ABSTENTION, Evidence, Sentence
from memory.embedding import Embedder
from memory.query.base import Draft
from memory.sentences import sentence_spans

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_NAME = re.compile(r"[\w.+-]+@[\w-]+\.\w+|[@#][a-z][\w-]+|(?<=[^.!?\n] )[A-Z][\w-]+")
_COUNTED = {
    word: str(number)
    for number, word in enumerate(
        ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
    )
} | {"ten": "10", "eleven": "11", "twelve": "12"}
#: "one" is more often a pronoun than a number.
_COUNTED.pop("one")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """When two sentences say the same. Similarities are cosines, overlaps in [0, 1]."""

    #: A sentence of a model's answer beside a piece of evidence.
    support: float = 0.60
    #: A further document beside the best one.
    also: float = 0.80
    #: Shared content words, for a further document of a verbatim sentence.
    same_words: float = 0.85
    #: Content words that a repeated sentence needs, so that "See below." isn't one.
    fewest_words: int = 4
    #: Documents that a reply links; a verbatim piece's own document always counts.
    documents: int = 3
    #: Pieces of evidence compared by meaning: about 2 ms each on two cores.
    embedded: int = 64


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a sentence says, to compare by."""

    text: str
    words: frozenset[str]
    numbers: frozenset[str]
    names: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Source:
    """A piece of evidence with where it stands."""

    claim: _Claim
    card: Evidence
    #: What the whole card says, as a claim may draw on several of its sentences.
    whole: _Claim
    embedded: str


class LocalAttributor:
    """Attributes by the piece's own chunk, equal wording, and similarity."""

    def __init__(
        self, embedder: Embedder, *, thresholds: Thresholds | None = None
    ) -> None:
        """Use `embedder` for drafts that aren't extractive."""
        self._embedder = embedder
        self._at = thresholds or Thresholds()

    def attribute(
        self, text: str, draft: Draft, evidence: Sequence[Evidence]
    ) -> tuple[Sentence, ...]:
        """Return the draft's sentences with their documents, best first.

        Documents are always some of the evidence's. A sentence that nothing supports
        has none; an abstention has no sentences. Offsets are the draft's own.
        Raises EmbeddingError, and ValueError for an extractive draft whose chunk isn't
        in the evidence.
        """
        if draft.text.strip() == ABSTENTION or not draft.text.strip():
            return ()
        sources = _sources(evidence)
        if draft.extractive:
            return self._verbatim(draft, sources, evidence)
        return self._written(draft, sources)

    def _verbatim(
        self, draft: Draft, sources: Sequence[_Source], evidence: Sequence[Evidence]
    ) -> tuple[Sentence, ...]:
        document_of = {card.chunk_id: card.document_id for card in evidence}
        if any(c not in document_of for s in draft.sentences for c in s.chunk_ids):
            raise ValueError("A verbatim sentence names a chunk that isn't evidence.")
        own = [[document_of[c] for c in s.chunk_ids] for s in draft.sentences]
        linked = list(dict.fromkeys(document for found in own for document in found))
        attributed = []
        for sentence, documents in zip(draft.sentences, own, strict=True):
            claim = _claim(draft.text[sentence.start : sentence.end])
            for source in sources:
                document = source.card.document_id
                if document in documents or not self._repeats(claim, source.claim):
                    continue
                if document in linked or len(linked) < self._at.documents:
                    linked = list(dict.fromkeys([*linked, document]))
                    documents = [*documents, document]
            unique = tuple(dict.fromkeys(documents))
            attributed.append(replace(sentence, document_ids=unique))
        return tuple(attributed)

    def _repeats(self, claim: _Claim, other: _Claim) -> bool:
        """Tell whether another piece of evidence says what `claim` says."""
        if len(claim.words) < self._at.fewest_words:
            return False
        if claim.text == other.text:
            return True
        if claim.numbers != other.numbers or claim.names != other.names:
            return False
        shared = len(claim.words & other.words) / len(claim.words | other.words)
        return shared >= self._at.same_words

    def _written(
        self, draft: Draft, sources: Sequence[_Source]
    ) -> tuple[Sentence, ...]:
        spans = [(s.start, s.end) for s in draft.sentences]
        spans = spans or [(s.start, s.end) for s in sentence_spans(draft.text)]
        claims = [_claim(draft.text[start:end]) for start, end in spans]
        likeness, kept = self._likeness(claims, sources)
        linked: list[UUID] = []
        attributed = []
        for (start, end), claim, similar in zip(spans, claims, likeness, strict=True):
            supporting = self._supporting(claim, similar, kept)
            # A reply that links everything helps nobody: first come, first served.
            room = self._at.documents - len(linked)
            new = [s for s in _documents(supporting) if s not in linked][:room]
            linked.extend(new)
            cards = [card for card in supporting if card.document_id in linked]
            chunks = tuple(dict.fromkeys(card.chunk_id for card in cards))
            attributed.append(Sentence(start, end, _documents(cards), chunks))
        return tuple(attributed)

    def _likeness(
        self, claims: Sequence[_Claim], sources: Sequence[_Source]
    ) -> tuple[list[Sequence[float]], list[_Source]]:
        """Return, for each claim, its similarity with each of the sources kept."""
        idf = rarity(source.claim.words for source in sources)
        wanted = [{t: idf[t] for t in c.words if t in idf} for c in claims]

        def promise(source: _Source) -> float:
            found = source.claim.words
            return max((overlap(w, found, frozenset()) for w in wanted), default=0.0)

        kept = sorted(sources, key=promise, reverse=True)[: self._at.embedded]
        if not kept or not claims:
            return [() for _ in claims], kept
        ours = self._embedder.embed_documents([claim.text for claim in claims])
        theirs = self._embedder.embed_documents([source.embedded for source in kept])
        similar: list[Sequence[float]] = np.asarray(ours @ theirs.T).tolist()
        return similar, kept

    def _supporting(
        self, claim: _Claim, similar: Sequence[float], sources: Sequence[_Source]
    ) -> list[Evidence]:
        """Return the cards that support a claim, best first, one for each document."""
        agreeing = [
            (value, source)
            for value, source in zip(similar, sources, strict=True)
            if value >= self._at.support and _agrees(claim, source)
        ]
        agreeing.sort(key=lambda pair: -pair[0])
        best: dict[UUID, Evidence] = {}
        for value, source in agreeing:
            if not best or value >= self._at.also:
                best.setdefault(source.card.document_id, source.card)
        return list(best.values())


def _agrees(claim: _Claim, source: _Source) -> bool:
    """Tell whether a card has every number of the claim, and a name if it has any."""
    names = not claim.names or bool(claim.names & source.whole.names)
    return names and claim.numbers <= source.whole.numbers


def _documents(cards: Iterable[Evidence]) -> tuple[UUID, ...]:
    return tuple(dict.fromkeys(card.document_id for card in cards))


def _sources(evidence: Sequence[Evidence]) -> list[_Source]:
    found = []
    for rank, card in enumerate(evidence):
        whole = _claim(card.text)
        for unit in units_of(rank, card):
            if unit.kind is not Kind.HEADER:
                text = unit.statements[0]
                found.append(_Source(_claim(unit.text), card, whole, text))
    return found


def _claim(text: str) -> _Claim:
    words = frozenset(terms(text))
    numbers = {match.replace(",", "").rstrip(".") for match in _NUMBER.findall(text)}
    spelled = {
        _COUNTED[w] for w in re.findall(r"[a-z]+", text.lower()) if w in _COUNTED
    }
    names = frozenset(name.casefold() for name in _NAME.findall(text))
    plain = re.sub(r"[\W_]+", " ", text.casefold()).strip()
    return _Claim(plain, words, frozenset(numbers | spelled), names)
