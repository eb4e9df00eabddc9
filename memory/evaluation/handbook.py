"""Questions in the handbook's format, on any documents whose ids are paths (DATA.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from memory.documents import Document, Turn
from memory.errors import DataSetError
from memory.evaluation.datasets import (
    WITHHELD,
    DataSet,
    EvaluationQuestion,
    Quote,
    hash_documents,
)
from memory.evaluation.matching import letters_and_digits
from memory.evaluation.records import Record, hash_file, read_jsonl

_KNOWN = frozenset(
    {"id", "type", "question", "history", "documents", "alternatives"}
    | {"answer", "facts", "evidence"}
)
_ROLES = frozenset({"user", "assistant"})


def load_handbook(
    documents: Iterable[Document], questions: Path, *, name: str = "handbook"
) -> DataSet:
    """Return the data set of these documents and a JSONL file of questions.

    `documents` carry their path, relative to the folder, as external id. Notes count
    `quotes_not_in_their_document` (lost by conversion, or never there) and
    `unknown_fields`. Raises DataSetError with file and line for a line that's wrong.
    """
    held = tuple(documents)
    by_path = {document.external_id: document for document in held}
    if not by_path:
        raise DataSetError("The data set's folder holds no document that can be read.")
    notes: Counter[str] = Counter()
    read: dict[str, EvaluationQuestion] = {}
    for record in read_jsonl(questions):
        question = _question(record, by_path)
        if question.id in read:
            raise record.error(f"`id` {question.id!r} is used twice.")
        read[question.id] = question
        notes["unknown_fields"] += len(record.values.keys() - _KNOWN)
        notes["quotes_not_in_their_document"] += _absent_quotes(question, held)
    if not read:
        raise DataSetError(f"{questions}: holds no question.")
    return DataSet(
        name=name,
        documents=held,
        questions=tuple(read.values()),
        data_hash=hash_documents(held),
        questions_hash=hash_file(questions),
        notes={key: count for key, count in notes.items() if count},
    )


def _question(record: Record, by_path: Mapping[str, Document]) -> EvaluationQuestion:
    needed = _needed(record, by_path)
    gold = tuple(
        Quote(_known(item, item.text("document"), by_path), _quote(item))
        for item in record.records("evidence")
    )
    facts = record.texts("facts")
    kind = record.text("type")
    if kind == WITHHELD:
        raise record.error(f"`type` {WITHHELD!r} is kept for --withhold.")
    if not needed and (gold or facts):
        raise record.error("has facts or evidence but needs no documents.")
    if needed and kind == "unanswerable":
        raise record.error("is of type 'unanswerable' but needs documents.")
    return EvaluationQuestion(
        id=record.text("id"),
        type=kind,
        text=record.text("question"),
        answerable=bool(needed),
        history=tuple(_turn(item) for item in record.records("history")),
        needed=needed,
        gold=gold,
        answer=record.text("answer", default=""),
        facts=tuple(facts),
    )


def _needed(
    record: Record, by_path: Mapping[str, Document]
) -> tuple[frozenset[UUID], ...]:
    own = record.texts("documents", required=True)
    sets: list[Any] = [own, *record.items("alternatives")]
    if not own and len(sets) > 1:
        raise record.error("has `alternatives` but no `documents`.")
    if not own:
        return ()
    named = [record.checked_texts(paths, "alternatives") for paths in sets]
    if not all(named):
        raise record.error("`alternatives` holds an empty set.")
    return tuple(
        frozenset(_known(record, path, by_path) for path in paths) for paths in named
    )


def _known(record: Record, path: str, by_path: Mapping[str, Document]) -> UUID:
    if path not in by_path:
        raise record.error(f"{path!r} isn't among the data set's documents.")
    return by_path[path].id


def _quote(record: Record) -> str:
    quote = record.text("quote")
    if not letters_and_digits(quote):
        raise record.error("`quote` has no letter or digit.")
    return quote


def _turn(record: Record) -> Turn:
    role = record.text("role")
    if role not in _ROLES:
        raise record.error(f"`role` must be user or assistant, not {role!r}.")
    return Turn(role, record.text("content"))


def _absent_quotes(question: EvaluationQuestion, documents: Iterable[Document]) -> int:
    wanted = {gold.document_id for gold in question.gold}
    texts = {
        document.id: letters_and_digits(document.content.text)
        for document in documents
        if document.id in wanted
    }
    return sum(
        letters_and_digits(gold.text) not in texts[gold.document_id]
        for gold in question.gold
        if isinstance(gold, Quote)
    )
