"""Chunks and memories as Weaviate's properties, and back."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from memory.documents import Chunk, Hit, Memory, Properties, StoredChunk, View
from memory.embedding import embedded_text, text_hash
from memory.stores.analysis import indexed_text
from memory.stores.objects import (
    PROPERTY_COLUMNS,
    payload_of,
    properties_of,
    property_values,
    stored_chunk,
)
from memory.stores.weaviate_filters import spelt, unspelt
from memory.stores.weaviate_schema import FIRST, WORDS

#: What a hit is made of; a chunk stands for itself.
HIT_PROPERTIES = {
    View.CHUNKS: ["document_id"],
    View.MEMORIES: ["document_id", "chunk_ids"],
}
CHUNK_PROPERTIES = [*PROPERTY_COLUMNS, "payload"]
_SPELT = ("access_rule", "status", "source_id", "document_id")


def view_of(item: Chunk | Memory) -> View:
    """Return the view that an object belongs to."""
    return View.CHUNKS if isinstance(item, Chunk) else View.MEMORIES


def document_values(properties: Properties) -> dict[str, Any]:
    """Return the properties that `set_properties` rewrites."""
    values = property_values(properties)
    values.update({name: spelt(values[name]) for name in _SPELT})
    values["tokens"] = [spelt(token) for token in values["tokens"]]
    # A missing value can't be written over an old one.
    values["updated_at"] = values["updated_at"] or ""
    return values


def object_values(
    properties: Properties, item: Chunk | Memory, *, first: bool, tokenization: str
) -> dict[str, Any]:
    """Return an object's properties."""
    embedded = embedded_text(item)
    chunk_ids = () if isinstance(item, Chunk) else item.chunk_ids
    return {
        **document_values(properties),
        "part": part_of(item.id),
        "chunk_ids": [str(chunk_id) for chunk_id in chunk_ids],
        "text_hash": text_hash(embedded),
        "payload": json.dumps(payload_of(item), ensure_ascii=False),
        WORDS: indexed_text(embedded, tokenization),
        FIRST: first,
    }


def part_of(object_id: UUID) -> str:
    """Return the sixteenth of a document that an object is in, to read huge ones."""
    return str(object_id)[0]


def read_properties(values: Mapping[str, Any]) -> Properties:
    """Return a stored object's properties."""
    return properties_of(_read(values))


def read_chunk(chunk_id: UUID, values: Mapping[str, Any]) -> StoredChunk:
    """Return a stored chunk, without its vector."""
    return stored_chunk({**_read(values), "id": str(chunk_id)})


def read_hit(object_id: UUID, values: Mapping[str, Any], score: float) -> Hit:
    """Return what a search found."""
    chunk_ids = tuple(map(UUID, values.get("chunk_ids") or ())) or (object_id,)
    return Hit(object_id, UUID(values["document_id"]), chunk_ids, score)


def _read(values: Mapping[str, Any]) -> dict[str, Any]:
    read = {name: value or "" for name, value in values.items()}
    read.update({name: unspelt(read[name]) for name in _SPELT})
    read["tokens"] = [unspelt(token) for token in values.get("tokens") or ()]
    return read
