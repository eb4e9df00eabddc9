"""What the stores share: properties and objects as plain values, and what's refused."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any
from uuid import UUID

import numpy as np

from memory.access import Status
from memory.documents import Chunk, Memory, Properties, StoredChunk, Vector
from memory.errors import StoreError
from memory.stores.base import Replacement

PROPERTY_COLUMNS = (
    "document_id",
    "source_id",
    "title",
    "access_rule",
    "tokens",
    "status",
    "url",
    "source_name",
    "external_id",
    "updated_at",
)


def property_values(properties: Properties) -> dict[str, Any]:
    """Return the columns that `set_properties` rewrites."""
    updated_at = properties.updated_at
    return {
        "document_id": str(properties.document_id),
        "source_id": str(properties.source_id),
        "title": properties.title,
        "access_rule": properties.access_rule,
        "tokens": sorted(properties.tokens),
        "status": properties.status.value,
        "url": properties.url,
        "source_name": properties.source_name,
        "external_id": properties.external_id,
        "updated_at": updated_at.isoformat() if updated_at else None,
    }


def payload_of(item: Chunk | Memory) -> dict[str, Any]:
    """Return what a store keeps of an object and never filters on, as JSON values."""
    if isinstance(item, Memory):
        return {
            "type": item.type.value,
            "key": item.key,
            "value": item.value,
            "extractor": item.extractor,
        }
    values = asdict(item)
    for name in ("id", "document_id", "vector"):
        del values[name]
    return values


def properties_of(values: Mapping[str, Any]) -> Properties:
    """Return a row's properties."""
    updated_at = values["updated_at"]
    return Properties(
        document_id=UUID(values["document_id"]),
        source_id=UUID(values["source_id"]),
        title=values["title"],
        access_rule=values["access_rule"],
        tokens=frozenset(values["tokens"]),
        status=Status(values["status"]),
        url=values["url"],
        source_name=values["source_name"],
        external_id=values["external_id"],
        updated_at=datetime.fromisoformat(updated_at) if updated_at else None,
    )


def stored_chunk(values: Mapping[str, Any]) -> StoredChunk:
    """Return a row of the chunk view as a chunk, without its vector."""
    payload = json.loads(values["payload"])
    payload["path"] = tuple(payload["path"])
    chunk = Chunk(
        id=UUID(values["id"]), document_id=UUID(values["document_id"]), **payload
    )
    return StoredChunk(chunk, properties_of(values))


def items_of(replacement: Replacement) -> list[Chunk | Memory]:
    """Return a document's objects. Raises StoreError for one that isn't the document's."""
    document_id = replacement.properties.document_id
    items: list[Chunk | Memory] = [*replacement.chunks, *replacement.memories]
    for item in items:
        if item.document_id != document_id:
            raise StoreError(f"{named(item)} isn't of the document {document_id}.")
    return items


def check_unique(ids: Iterable[UUID]) -> None:
    """Raise StoreError where an object comes twice."""
    seen = set()
    for object_id in ids:
        if object_id in seen:
            raise StoreError(f"The object {object_id} comes twice in one write.")
        seen.add(object_id)


def vector_of(
    item: Chunk | Memory, kept: Mapping[UUID, Vector], dimensions: int
) -> Vector:
    """Return an object's own or kept vector. Raises StoreError for none or a bad one."""
    vector = item.vector if item.vector is not None else kept.get(item.id)
    if vector is None:
        raise StoreError(f"{named(item)} is new and has no vector. Embed it first.")
    if not fits(vector, dimensions):
        raise StoreError(
            f"{named(item)} needs a finite vector of {dimensions} dimensions."
        )
    return vector


def check_query(vector: Vector, dimensions: int) -> None:
    """Raise StoreError for a vector that can't be searched with."""
    if not fits(vector, dimensions):
        raise StoreError(f"A query needs a finite vector of {dimensions} dimensions.")


def fits(vector: Vector, dimensions: int) -> bool:
    """Tell whether a vector has the right shape and finite values."""
    return vector.shape == (dimensions,) and bool(np.isfinite(vector).all())


def named(item: Chunk | Memory) -> str:
    """Return an object's kind and id, for a message."""
    return f"The {'chunk' if isinstance(item, Chunk) else 'memory'} {item.id}"
