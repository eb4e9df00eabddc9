"""What becomes of a document's row, and what the store has to do for it.

A row is written before the store and says `needs_repair` until the store agrees, so a
worker that is killed in between leaves a document that the next run completes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from connectors import content_json
from connectors.base import Delete, Failed, Skipped, Upsert
from connectors.models import Document, Source
from memory import documents
from memory.access import NOBODY_RULE, AccessRule, Status

State = Document.State

#: Fields of a row that a change of any kind writes.
WRITTEN = (
    *("url", "title", "kind", "author", "owner", "version", "updated_at", "status"),
    *("rule", "state", "reason", "message", "warnings", "mark", "content_hash"),
    *("characters", "chunk_count", "memory_count", "needs_repair", "changed_at"),
    "content",
)
DELETED_REASON = "deleted_at_source"


class Action(StrEnum):
    """What the store has to do so that it agrees with a row."""

    BUILD = "build"
    PROPERTIES = "properties"
    DELETE = "delete"
    NOTHING = "nothing"


@dataclass(slots=True)
class Plan:
    """A row as it shall be, and the store's part in it."""

    row: Document
    action: Action
    rule: AccessRule
    document: documents.Document | None = None
    is_repair: bool = False
    #: Of a built document: chunks and groups of memories that extraction owes.
    undistilled: int = 0

    @property
    def id(self) -> UUID:
        """Return the document's id."""
        return self.row.id


def plan_upsert(change: Upsert, source: Source, old: Document | None) -> Plan:
    """Index the document, or no more than its properties where its text is the same."""
    document = content_json.storable(change.document)
    content = content_json.to_json(document.content)
    row = Document(
        id=documents.document_id(source.id, document.external_id),
        source=source,
        external_id=document.external_id,
        url=document.url,
        title=document.title,
        kind=document.kind[:40],
        author=document.author,
        owner=document.owner,
        version=document.version,
        updated_at=document.updated_at,
        status=document.status.value,
        rule_id=change.rule.id,
        state=State.INDEXED,
        warnings=[list(pair) for pair in change.warnings],
        mark=change.mark,
        content_hash=content_json.content_hash(document.title, content),
        characters=len(document.content.text),
        content=content,
    )
    action = _action(row, old)
    row.needs_repair = action is not Action.NOTHING
    if old is not None and action is not Action.BUILD:
        row.chunk_count, row.memory_count = old.chunk_count, old.memory_count
    return Plan(row, action, change.rule, document)


def _action(row: Document, old: Document | None) -> Action:
    """Compare a row with the one it replaces."""
    if old is None or old.state not in Document.ANSWERING or old.needs_repair:
        return Action.BUILD
    if row.content_hash != old.content_hash:
        return Action.BUILD
    told = ("rule_id", "status", "url", "updated_at")
    changed = any(getattr(row, name) != getattr(old, name) for name in told)
    return Action.PROPERTIES if changed else Action.NOTHING


def plan_rule(old: Document, rule: AccessRule, mark: str) -> Plan:
    """Give an unchanged document another rule."""
    old.rule_id = rule.id
    old.mark = mark or old.mark
    if old.state in Document.ANSWERING:
        old.state, old.reason, old.message = State.INDEXED, "", ""
        old.needs_repair = True
        return Plan(old, Action.PROPERTIES, rule)
    return Plan(old, Action.NOTHING, rule)


def plan_absence(
    change: Skipped | Failed | Delete, source: Source, old: Document | None
) -> Plan:
    """Take a document out of the answers; its row keeps name, state and reason."""
    row = Document(
        id=documents.document_id(source.id, change.external_id),
        source=source,
        external_id=change.external_id,
    )
    if old is not None:
        for name in ("url", "title", "kind", "author", "owner", "updated_at"):
            setattr(row, name, getattr(old, name))
        row.status, row.rule_id = old.status, old.rule_id
    if isinstance(change, Delete):
        row.state, row.reason = State.REMOVED, DELETED_REASON
    else:
        row.state = State.SKIPPED if isinstance(change, Skipped) else State.FAILED
        row.reason, row.message = change.reason[:60], change.message
        row.url = change.url or row.url
        row.mark = change.mark if isinstance(change, Skipped) else ""
    stored = old is not None and (old.state in Document.ANSWERING or old.needs_repair)
    row.needs_repair = stored
    return Plan(row, Action.DELETE if stored else Action.NOTHING, NOBODY_RULE)


def plan_repair(row: Document) -> Plan:
    """Make the store agree with a row, from the text that the row keeps."""
    if row.state not in Document.ANSWERING or row.content is None or row.rule is None:
        return Plan(row, Action.DELETE, NOBODY_RULE, is_repair=True)
    rule = row.rule.as_value()
    return Plan(row, Action.BUILD, rule, document_of(row), is_repair=True)


def give_up(row: Document, reason: str, message: str) -> None:
    """Turn a row into a failed one: hidden, without text, read again by the next run."""
    row.state, row.reason, row.message = State.FAILED, reason, message
    row.mark = row.content_hash = ""
    row.content = None
    row.characters = row.chunk_count = row.memory_count = 0


def document_of(row: Document) -> documents.Document:
    """Return the document that a row keeps. Raises ValueError if its text is gone."""
    if row.content is None:
        raise ValueError("This row keeps no text.")
    return documents.Document(
        source_id=row.source_id,
        external_id=row.external_id,
        title=row.title,
        content=content_json.from_json(row.content),
        url=row.url,
        kind=row.kind,
        author=row.author,
        owner=row.owner,
        version=row.version,
        updated_at=row.updated_at,
        status=Status(row.status),
    )


def properties_of(
    row: Document, source: Source, rule: AccessRule
) -> documents.Properties:
    """Return what a store keeps of a document beside its text."""
    return documents.Properties(
        document_id=row.id,
        source_id=source.id,
        title=row.title,
        access_rule=rule.id,
        tokens=rule.tokens,
        status=Status(row.status),
        url=row.url,
        source_name=source.name,
        external_id=row.external_id,
        updated_at=row.updated_at,
    )


def finish(row: Document, now: datetime) -> None:
    """Say that the store agrees with the row now."""
    row.needs_repair = False
    if row.state in Document.ANSWERING:
        row.indexed_at = now
