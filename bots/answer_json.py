"""An Answer as JSON values, as `Exchange.answer` keeps it, and back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from enum import Enum
from typing import Any
from uuid import UUID

from connectors.content_json import storable_text
from memory.documents import (
    Answer,
    Evidence,
    LinkedDocument,
    Outcome,
    Sentence,
    StageTrace,
)

JSON = dict[str, Any]


def answer_to_json(answer: Answer) -> JSON:
    """Return the answer as JSON values; ids are strings, times ISO 8601."""
    values = _plain(answer)
    assert isinstance(values, dict)  # noqa: S101 - a dataclass becomes a dict
    return values


def answer_from_json(values: Mapping[str, Any]) -> Answer:
    """Return the answer that `answer_to_json` wrote.

    What a later version adds is ignored and what an earlier one lacks has its default,
    so that old rows can always be read. Raises KeyError and ValueError for JSON that
    isn't an answer.
    """
    return Answer(
        outcome=Outcome(values["outcome"]),
        text=values["text"],
        answerability=values["answerability"],
        confidence=values["confidence"],
        documents=_documents(values.get("documents", ())),
        sentences=tuple(_sentence(item) for item in values.get("sentences", ())),
        evidence=tuple(_evidence(item) for item in values.get("evidence", ())),
        nearest=_documents(values.get("nearest", ())),
        ranking=_ids(values.get("ranking", ())),
        extractive=values.get("extractive", True),
        searched_documents=values.get("searched_documents"),
        timings_ms=values.get("timings_ms", {}),
        usage=values.get("usage", {}),
        fallbacks=tuple(values.get("fallbacks", ())),
        trace=tuple(_stage(item) for item in values.get("trace", ())),
    )


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {storable_text(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(item) for item in value), key=str)
    return _scalar(value)


def _scalar(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, str):
        return storable_text(value)
    if hasattr(value, "item"):  # a numpy scalar
        value = value.item()
    if isinstance(value, (int, float)):
        # JSON has no NaN.
        return value if math.isfinite(value) else None
    return str(value)


def _ids(values: Sequence[str]) -> tuple[UUID, ...]:
    return tuple(UUID(value) for value in values)


def _moment(value: str | None) -> datetime | None:
    return datetime.fromisoformat(value) if value else None


def _documents(values: Sequence[JSON]) -> tuple[LinkedDocument, ...]:
    return tuple(_document(item) for item in values)


def _document(values: JSON) -> LinkedDocument:
    return LinkedDocument(
        id=UUID(values["id"]),
        title=values["title"],
        url=values.get("url", ""),
        source=values.get("source", ""),
        external_id=values.get("external_id", ""),
        updated_at=_moment(values.get("updated_at")),
    )


def _sentence(values: JSON) -> Sentence:
    return Sentence(
        start=values["start"],
        end=values["end"],
        document_ids=_ids(values.get("document_ids", ())),
        chunk_ids=_ids(values.get("chunk_ids", ())),
    )


def _evidence(values: JSON) -> Evidence:
    return Evidence(
        chunk_id=UUID(values["chunk_id"]),
        document_id=UUID(values["document_id"]),
        heading=values.get("heading", ""),
        text=values["text"],
        tokens=values.get("tokens", 0),
        anchor=values.get("anchor", ""),
        topic=values.get("topic", ""),
        updated_at=_moment(values.get("updated_at")),
    )


def _stage(values: JSON) -> StageTrace:
    return StageTrace(
        stage=values["stage"],
        milliseconds=values.get("milliseconds", 0.0),
        detail=values.get("detail", {}),
    )
