"""FinanceBench: filings as documents, pages as their sections (DATA.md).

All filings are one index; a question isn't told which filing it's about, which is
harder than the paper's question-local corpora (A1).
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from uuid import UUID

from memory.documents import Document
from memory.errors import DataSetError
from memory.evaluation.datasets import (
    DataSet,
    EvaluationQuestion,
    Span,
    hash_documents,
    source_id,
)
from memory.evaluation.records import Record, hash_file, read_jsonl
from memory.evaluation.sections import Place, headed_document

PAGES = "pages.jsonl.xz"
QUESTIONS = "questions.jsonl"
NAME = "financebench"

#: Where the pages of each filing stand, by (filing, page from 0).
_Places = dict[tuple[str, int], Place]


def load_financebench(folder: Path, questions: Path | None = None) -> DataSet:
    """Return the data set in `folder`; `questions` is its questions.jsonl by default.

    Raises DataSetError with file and line for a line that's wrong.
    """
    path = questions or folder / QUESTIONS
    documents, places = _filings(folder / PAGES)
    read: dict[str, EvaluationQuestion] = {}
    for record in read_jsonl(path):
        question = _question(record, documents, places)
        if question.id in read:
            raise record.error(f"`id` {question.id!r} is used twice.")
        read[question.id] = question
    if not read:
        raise DataSetError(f"{path}: holds no question.")
    return DataSet(
        name=NAME,
        documents=tuple(documents.values()),
        questions=tuple(read.values()),
        data_hash=hash_documents(documents.values()),
        questions_hash=hash_file(path),
    )


def _filings(path: Path) -> tuple[dict[str, Document], _Places]:
    pages: dict[str, dict[int, str]] = defaultdict(dict)
    for record in read_jsonl(path):
        filing, number = record.text("document"), record.number("page")
        if number in pages[filing]:
            raise record.error(f"page {number} of {filing!r} stands there twice.")
        pages[filing][number] = record.text("text", default="")
    if not pages:
        raise DataSetError(f"{path}: holds no page.")
    documents: dict[str, Document] = {}
    places: _Places = {}
    for filing, texts in pages.items():
        numbers = sorted(texts)
        parts = [(f"Page {number + 1}", texts[number]) for number in numbers]
        documents[filing], spans = headed_document(
            source_id(NAME), filing, title=filing.replace("_", " "), parts=parts
        )
        places.update(
            ((filing, number), span)
            for number, span in zip(numbers, spans, strict=True)
        )
    return documents, places


def _question(
    record: Record, documents: dict[str, Document], places: _Places
) -> EvaluationQuestion:
    names = record.texts("documents", required=True)
    for name in names:
        if name not in documents:
            raise record.error(f"{name!r} isn't among the filings.")
    if not names:
        raise record.error("`documents` is empty.")
    gold = [
        _page(record, item, documents, places)
        for item in record.items("pages", required=True)
    ]
    return EvaluationQuestion(
        id=record.text("id"),
        type=record.text("type"),
        text=record.text("question"),
        answerable=True,
        needed=(frozenset(documents[name].id for name in names),),
        gold=tuple(dict.fromkeys(gold)),
        answer=record.text("answer", default=""),
    )


def _page(
    record: Record, item: object, documents: dict[str, Document], places: _Places
) -> Span:
    if not (isinstance(item, list) and len(item) == 2):
        raise record.error("`pages` must hold pairs of filing and page.")
    name, number = item
    if not (isinstance(name, str) and isinstance(number, int)):
        raise record.error("`pages` must hold pairs of filing and page.")
    if (name, number) not in places:
        raise record.error(f"page {number} of {name!r} isn't among the pages.")
    document: UUID = documents[name].id
    start, end = places[name, number]
    return Span(document, start, end, label=f"page {number + 1}")
