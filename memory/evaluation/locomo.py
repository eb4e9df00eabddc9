"""LoCoMo: sessions as documents, turns as their sections (DATA.md).

All conversations share one index (A1). A question of category 5 is adversarial: its
evidence is what misleads, so it counts as unanswerable and has no gold.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from memory.documents import Document
from memory.errors import DataSetError
from memory.evaluation.datasets import (
    DataSet,
    EvaluationQuestion,
    Gold,
    Span,
    hash_documents,
    source_id,
)
from memory.evaluation.records import Record, hash_file, read_json
from memory.evaluation.sections import headed_document

NAME = "locomo"
#: The data set's own names of its categories.
TYPES = {
    1: "multi_hop",
    2: "temporal",
    3: "open_domain",
    4: "single_hop",
    5: "adversarial",
}
_ADVERSARIAL = 5
_SESSION = re.compile(r"session_(\d+)")
#: Several ids may stand in one string, apart by blanks, commas or semicolons.
_BETWEEN_IDS = re.compile(r"[\s,;]+")


@dataclass
class _Conversation:
    """One file: its sessions, and the place of each turn by its id."""

    file: str
    documents: list[Document] = field(default_factory=list)
    turns: dict[str, Span] = field(default_factory=dict)


def load_locomo(folder: Path) -> DataSet:
    """Return the data set of all `*.json` in `folder`.

    Notes count `evidence_ids_dropped` (they name no turn) and `without_evidence`
    (answerable questions that are left with no turn: they count only where no gold is
    needed). Raises DataSetError for a file that's wrong.
    """
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise DataSetError(f"{folder}: holds no conversation (*.json).")
    documents: list[Document] = []
    questions: list[EvaluationQuestion] = []
    notes: Counter[str] = Counter()
    for path in paths:
        record = read_json(path)
        conversation = _conversation(record, path.stem)
        documents += conversation.documents
        questions += _questions(record, conversation, notes)
    if not questions:
        raise DataSetError(f"{folder}: holds no question.")
    hashes = "".join(hash_file(path) for path in paths)
    return DataSet(
        name=NAME,
        documents=tuple(documents),
        questions=tuple(questions),
        data_hash=hash_documents(documents),
        questions_hash=hashlib.sha256(hashes.encode()).hexdigest(),
        notes={key: count for key, count in notes.items() if count},
    )


def _conversation(record: Record, file: str) -> _Conversation:
    conversation = _Conversation(file)
    numbers = sorted(
        int(match[1]) for key in record.values if (match := _SESSION.fullmatch(key))
    )
    if not numbers:
        raise record.error("has no `session_1`.")
    for number in numbers:
        _add_session(conversation, record, number)
    return conversation


def _add_session(conversation: _Conversation, record: Record, number: int) -> None:
    key = f"session_{number}"
    when = record.text(f"{key}_date_time")
    turns = record.records(key, required=True)
    document, places = headed_document(
        source_id(NAME),
        f"{conversation.file}/{key}",
        title=f"Conversation {conversation.file}, session {number}, {when}",
        parts=[(turn.text("speaker"), _said(turn)) for turn in turns],
    )
    conversation.documents.append(document)
    for turn, (start, end) in zip(turns, places, strict=True):
        name = turn.text("dia_id")
        if name in conversation.turns:
            raise turn.error(f"`dia_id` {name!r} is used twice.")
        conversation.turns[name] = Span(document.id, start, end, name, whole=True)


def _said(turn: Record) -> str:
    """Return a turn's text, with the caption of a picture that was shared with it."""
    caption = turn.text("blip_caption", default="")
    shared = f"(shares a picture: {caption})" if caption else ""
    return " ".join(filter(None, (turn.text("text", default="").strip(), shared)))


def _questions(
    record: Record, conversation: _Conversation, notes: Counter[str]
) -> Iterator[EvaluationQuestion]:
    for number, item in enumerate(record.records("qa", required=True)):
        category = item.number("category")
        if category not in TYPES:
            raise item.error(f"`category` must be 1 to 5, not {category}.")
        answerable = category != _ADVERSARIAL
        gold = _gold(item, conversation, notes) if answerable else ()
        notes["without_evidence"] += answerable and not gold
        documents = frozenset(turn.document_id for turn in gold)
        yield EvaluationQuestion(
            id=f"{conversation.file}/{number}",
            type=TYPES[category],
            text=item.text("question"),
            answerable=answerable,
            needed=(documents,) if documents else (),
            gold=gold,
            answer=str(item.values.get("answer", "")),
        )


def _gold(
    item: Record, conversation: _Conversation, notes: Counter[str]
) -> tuple[Gold, ...]:
    names = [
        name
        for text in item.texts("evidence", required=True)
        for name in _BETWEEN_IDS.split(text)
        if name
    ]
    known = [name for name in names if name in conversation.turns]
    notes["evidence_ids_dropped"] += len(names) - len(known)
    return tuple(conversation.turns[name] for name in dict.fromkeys(known))
