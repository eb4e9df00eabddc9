"""Whether SQL and the store agree: which documents, how many objects, whose access.

The store is streamed first and SQL after it. A row is always written before the store
is, so an object without a row is a fault; what a sync has touched since the beginning
is left out, as it may have changed between the two looks.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.utils import timezone

from connectors.models import Document
from connectors.rules import rules_by_id
from memory.access import NOBODY_RULE, AccessRule, Status
from memory.documents import Properties, View
from memory.stores.base import MemoryStore

AT_ONCE = 500


class Kind(StrEnum):
    """How SQL and the store can differ, as an administrator reads it."""

    UNKNOWN = "in the index, but not among the documents that answer"
    MISSING = "answers by SQL, but isn't in the index"
    ACCESS = "who may read it differs"
    STATUS = "its status differs"
    PROPERTIES = "title, address, date or source differ"
    CHUNKS = "the number of its chunks differs"
    MEMORIES = "the number of its memories differs"
    WAITING = "waits for a repair by the next sync"


@dataclass(frozen=True, slots=True)
class Difference:
    """One document that SQL and the store don't agree on."""

    kind: Kind
    document_id: UUID
    name: str
    source: str
    detail: str = ""


@dataclass(slots=True)
class _Stored:
    """What the store has of a document. `mixed`: its objects don't agree."""

    properties: Properties
    chunks: int = 0
    memories: int = 0
    mixed: bool = False


@dataclass(slots=True)
class Verdict:
    """The differences, and what was compared."""

    documents: int = 0
    chunks: int = 0
    memories: int = 0
    differences: list[Difference] = field(default_factory=list)

    def of(self, kind: Kind) -> list[Difference]:
        """Return the differences of one kind, by name."""
        found = [item for item in self.differences if item.kind is kind]
        return sorted(found, key=lambda item: (item.source, item.name))


def verify(store: MemoryStore) -> Verdict:
    """Compare all of SQL with all of the store. Raises StoreError."""
    began = timezone.now()
    stored = _inventory(store)
    verdict = Verdict(
        chunks=sum(item.chunks for item in stored.values()),
        memories=sum(item.memories for item in stored.values()),
    )
    for row in _rows():
        if row["state"] in Document.ANSWERING:
            verdict.documents += 1
        found = stored.pop(row["id"], None)
        if not _is_moving(row, began):
            verdict.differences.extend(_compared(row, found))
    unknown = _still_unknown(stored)
    verdict.differences.extend(_unknown(unknown[id_]) for id_ in unknown)
    return verdict


def _inventory(store: MemoryStore) -> dict[UUID, _Stored]:
    stored: dict[UUID, _Stored] = {}
    for view in (View.CHUNKS, View.MEMORIES):
        for _, properties in store.inventory(view):
            item = stored.get(properties.document_id)
            if item is None:
                item = stored[properties.document_id] = _Stored(properties)
            elif item.properties != properties:
                item.mixed = True
            if view is View.CHUNKS:
                item.chunks += 1
            else:
                item.memories += 1
    return stored


def _rows() -> Iterator[dict[str, Any]]:
    """Yield every row without its text, with its rule's value under `rule`."""
    names = (
        *("id", "state", "external_id", "source_id", "source__name", "title", "url"),
        *("status", "updated_at", "rule_id", "chunk_count", "memory_count"),
        *("needs_repair", "changed_at", "indexed_at"),
    )
    part: list[dict[str, Any]] = []
    for row in Document.objects.order_by().values(*names).iterator(chunk_size=AT_ONCE):
        part.append(row)
        if len(part) == AT_ONCE:
            yield from _with_rules(part)
            part = []
    yield from _with_rules(part)


def _with_rules(rows: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    rules = rules_by_id({row["rule_id"] for row in rows if row["rule_id"]})
    for row in rows:
        yield {**row, "rule": rules.get(row["rule_id"], NOBODY_RULE)}


def _is_moving(row: Mapping[str, Any], began: datetime) -> bool:
    times = (row["changed_at"], row["indexed_at"])
    return any(time is not None and time >= began for time in times)


def _compared(row: Mapping[str, Any], found: _Stored | None) -> Iterator[Difference]:
    answers = row["state"] in Document.ANSWERING
    if row["needs_repair"]:
        yield _difference(Kind.WAITING, row)
    elif not answers:
        if found is not None:
            yield _difference(Kind.UNKNOWN, row, f"SQL has it as {row['state']}")
    elif found is None:
        if row["chunk_count"]:
            yield _difference(Kind.MISSING, row)
    else:
        yield from _details(row, found)


def _details(row: Mapping[str, Any], found: _Stored) -> Iterator[Difference]:
    told, rule = found.properties, row["rule"]
    if found.mixed:
        yield _difference(Kind.PROPERTIES, row, "its objects don't agree")
    if (told.access_rule, told.tokens) != _access(rule):
        yield _difference(Kind.ACCESS, row)
    if told.status is not Status(row["status"]):
        yield _difference(
            Kind.STATUS,
            row,
            f"{row['status']} in SQL, {told.status.value} in the index",
        )
    names = ("title", "url", "external_id", "source_id", "updated_at")
    wrong = [name for name in names if getattr(told, name) != row[name]]
    if wrong:
        yield _difference(Kind.PROPERTIES, row, ", ".join(wrong))
    for kind, name in ((Kind.CHUNKS, "chunk"), (Kind.MEMORIES, "memory")):
        count = found.chunks if kind is Kind.CHUNKS else found.memories
        if count != row[f"{name}_count"]:
            detail = f"{row[f'{name}_count']} in SQL, {count} in the index"
            yield _difference(kind, row, detail)


def _access(rule: AccessRule) -> tuple[str, frozenset[str]]:
    return rule.id, rule.tokens


def _difference(kind: Kind, row: Mapping[str, Any], detail: str = "") -> Difference:
    name = row["title"] or row["external_id"]
    return Difference(kind, row["id"], name, row["source__name"], detail)


def _still_unknown(stored: Mapping[UUID, _Stored]) -> dict[UUID, Properties]:
    """Return what has no row, looked up once more: a sync may have added it."""
    ids = list(stored)
    known = _answering(ids)
    return {id_: stored[id_].properties for id_ in ids if id_ not in known}


def _unknown(properties: Properties) -> Difference:
    name = properties.title or properties.external_id
    return Difference(
        Kind.UNKNOWN,
        properties.document_id,
        name,
        properties.source_name,
        "SQL doesn't know it",
    )


def mend(verdict: Verdict, store: MemoryStore) -> int:
    """Delete what must not be in the store, and queue the rest; return how many.

    A repair that is queued is written by the next run of its source, or by `run_sync`
    without a connector. Raises StoreError.
    """
    unknown = [item.document_id for item in verdict.of(Kind.UNKNOWN)]
    removed = [id_ for id_ in unknown if id_ not in _answering(unknown)]
    for start in range(0, len(removed), AT_ONCE):
        store.delete_documents(removed[start : start + AT_ONCE])
    others = {
        item.document_id
        for item in verdict.differences
        if item.kind is not Kind.UNKNOWN
    }
    # A sync that brought one of the removed back meanwhile has its text here.
    wanted = [*others, *_answering(removed)]
    for start in range(0, len(wanted), AT_ONCE):
        part = wanted[start : start + AT_ONCE]
        Document.objects.filter(id__in=part).update(needs_repair=True)
    return len(removed) + len(others)


def _answering(ids: Collection[UUID]) -> set[UUID]:
    found: set[UUID] = set()
    every = list(ids)
    for start in range(0, len(every), AT_ONCE):
        rows = Document.objects.filter(
            id__in=every[start : start + AT_ONCE], state__in=Document.ANSWERING
        )
        found.update(rows.values_list("id", flat=True))
    return found
