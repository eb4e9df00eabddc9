"""The stages of the query path, each a small object behind a protocol.

A stage does one thing and raises when it can't; `memory.megamem` times it, writes the
trace and takes the fallback of DESIGN.md's table. A stage that is switched off is None.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from memory.access import Scope
from memory.documents import (
    Answer,
    Evidence,
    Properties,
    Sentence,
    StoredChunk,
    Turn,
)


@dataclass(frozen=True, slots=True)
class WeightedQuery:
    """One wording of the question and its weight in fusion (A7)."""

    text: str
    weight: float
    kind: str  # original, canonical, expansion


@dataclass(frozen=True, slots=True)
class Candidate:
    """A chunk on its way to the evidence, with every raw signal that found it.

    `signals` holds raw scores by name (`dense_chunks`, `dense_memories`,
    `keyword_chunks`, …: cosine or BM25, the best over queries; `rerank`), never a
    fused score. `fused` orders only.
    """

    stored: StoredChunk
    fused: float
    signals: Mapping[str, float] = field(default_factory=dict)

    @property
    def chunk_id(self) -> UUID:
        """Return the chunk's id."""
        return self.stored.chunk.id

    @property
    def document_id(self) -> UUID:
        """Return the document's id."""
        return self.stored.properties.document_id


class Transform(Protocol):
    """Question and thread -> the wordings to search with; the original comes first."""

    def queries(self, text: str, history: Sequence[Turn]) -> list[WeightedQuery]:
        """Return at least one query."""
        ...


class Ranker(Protocol):
    """Weighs documents as wholes: the order of fused candidates, cheap and always on."""

    def rank(self, text: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the same candidates, best first."""
        ...


class Reranker(Protocol):
    """Orders candidates by reading them beside the question."""

    @property
    def name(self) -> str:
        """Name the model or rule; part of a calibration's fingerprint."""
        ...

    def rerank(self, text: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the same candidates, best first, with `signals["rerank"]` set."""
        ...


class Expander(Protocol):
    """Other terms for the question, asked for when the evidence seems not to do."""

    def expansions(
        self, text: str, evidence: Sequence[Candidate]
    ) -> list[WeightedQuery]:
        """Return further queries, maybe none."""
        ...


@dataclass(frozen=True, slots=True)
class Judgement:
    """A model's own word on the evidence, one signal of the gate among others.

    `answered` is 1.0 where the evidence states the answer, 0.5 for a part of it, 0.0
    where it doesn't; `missing` names the fact that is missing, "" where none is.
    """

    answered: float
    missing: str = ""


@dataclass(frozen=True, slots=True)
class Packed:
    """What A9 chose: candidates and their cards, in rank order, and what was skipped.

    `judgement` is None without a model, and where its call failed.
    """

    candidates: tuple[Candidate, ...]
    evidence: tuple[Evidence, ...]
    skipped: Mapping[UUID, str] = field(default_factory=dict)
    judgement: Judgement | None = None


class Verdict(Protocol):
    """Reads the packed evidence and says whether it states the answer."""

    def judge(self, text: str, evidence: Sequence[Evidence]) -> Judgement:
        """Return the judgement."""
        ...


class Gate(Protocol):
    """Judges whether the packed evidence holds the answer."""

    @property
    def fingerprint(self) -> str:
        """Name what runs, and say so where the calibration is for something else."""
        ...

    @property
    def is_calibrated(self) -> bool:
        """Tell whether the calibration was fitted for what runs."""
        ...

    def answerability(
        self, text: str, ranked: Sequence[Candidate], packed: Packed
    ) -> tuple[float, Mapping[str, float]]:
        """Return the probability in [0, 1] and the raw features behind it."""
        ...


@dataclass(frozen=True, slots=True)
class Draft:
    """An answer before attribution. `extractive`: its sentences stand in the evidence."""

    text: str
    extractive: bool
    #: Pieces with offsets into `text`; an extractive answerer knows their chunks.
    sentences: tuple[Sentence, ...] = ()


class Answerer(Protocol):
    """Writes an answer from evidence only."""

    def answer(
        self, text: str, history: Sequence[Turn], evidence: Sequence[Evidence]
    ) -> Draft:
        """Return the answer, or a draft whose text is ABSTENTION."""
        ...


class Attributor(Protocol):
    """Says which evidence supports each sentence; never changes the text."""

    def attribute(
        self, text: str, draft: Draft, evidence: Sequence[Evidence]
    ) -> tuple[Sentence, ...]:
        """Return the draft's sentences with their documents, all in the evidence."""
        ...


class Confidence(Protocol):
    """Judges a finished answer."""

    def confidence(self, text: str, answer: Answer) -> float:
        """Return the probability in [0, 1] that the answer is right."""
        ...


class Authority(Protocol):
    """The last word on access, asked once more before packing (SQL in the product)."""

    def confirmed(self, properties: Collection[Properties], scope: Scope) -> set[UUID]:
        """Return the ids of the documents that may be read under `scope` now.

        `properties` are as the store has them, one for each document; where they
        disagree with the authority's own, the document is left out and its repair
        is queued.
        """
        ...
