"""What an evaluation is made of: documents, questions and their gold evidence."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID, uuid5

from memory.documents import Document, Turn

#: All sources of data sets hang under it, so ids are the same on every machine.
_NAMESPACE = UUID("0b5f2f1e-5c7b-5d5e-9d0f-6f6a3c1e8a44")

#: The type of the second asking of a question, without its documents (`--withhold`).
WITHHELD = "withheld"


@dataclass(frozen=True, slots=True)
class Quote:
    """Gold evidence that is found by its words."""

    document_id: UUID
    text: str


@dataclass(frozen=True, slots=True)
class Span:
    """Gold evidence that is found by its place: a page or a turn.

    It's hit when a packed chunk of its document overlaps it or, with `whole`, when
    the packed chunks cover all of it. `label` names it to a reader.
    """

    document_id: UUID
    start: int
    end: int
    label: str
    whole: bool = False


Gold = Quote | Span


@dataclass(frozen=True, slots=True)
class EvaluationQuestion:
    """A question with what a right answer needs.

    `answerable` tells whether the documents hold the answer. `needed` holds sets of
    documents, each of which does: the question's own first, then its alternatives;
    empty where the question is unanswerable or nobody said which. `withheld` are
    documents that must be out of scope.
    """

    id: str
    type: str
    text: str
    answerable: bool
    history: tuple[Turn, ...] = ()
    needed: tuple[frozenset[UUID], ...] = ()
    gold: tuple[Gold, ...] = ()
    answer: str = ""
    facts: tuple[str, ...] = ()
    withheld: frozenset[UUID] = frozenset()

    @property
    def any_needed(self) -> frozenset[UUID]:
        """Return the documents of all sets."""
        return frozenset().union(*self.needed)


@dataclass(frozen=True, slots=True)
class DataSet:
    """Documents and the questions on them.

    `data_hash` and `questions_hash` are SHA-256 of what was read. `notes` counts what
    was dropped or looks odd, for the report.
    """

    name: str
    documents: tuple[Document, ...]
    questions: tuple[EvaluationQuestion, ...]
    data_hash: str
    questions_hash: str
    notes: Mapping[str, int] = field(default_factory=dict)


def source_id(name: str) -> UUID:
    """Return the id of a data set's source."""
    return uuid5(_NAMESPACE, name)


def hash_documents(documents: Iterable[Document]) -> str:
    """Return SHA-256 over ids, titles, dates, status, texts and structure, in order of id."""
    digest = hashlib.sha256()
    for document in sorted(documents, key=lambda item: item.external_id):
        content = document.content
        for part in (
            document.external_id,
            document.title,
            str(document.updated_at or ""),
            str(document.status),
            content.text,
            repr(content.sections),
            repr(content.blocks),
        ):
            digest.update(hashlib.sha256(part.encode()).digest())
    return digest.hexdigest()


def withhold(questions: Sequence[EvaluationQuestion]) -> list[EvaluationQuestion]:
    """Return each question with needed documents once more, as an unanswerable one.

    Its needed documents and alternatives are out of scope, so nothing that is left
    holds the answer, as far as the data set knows.
    """
    return [
        EvaluationQuestion(
            id=f"{question.id}/{WITHHELD}",
            type=WITHHELD,
            text=question.text,
            answerable=False,
            history=question.history,
            withheld=question.any_needed,
        )
        for question in questions
        if question.needed
    ]
