"""Chunks and memories as rows of one table, and back.

Both views share the table, so that a document is replaced in one commit: no reader
and no kill ever meets its new chunks beside its old memories. What is filtered on or
searched is a column; the rest of an object is JSON in `payload`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from memory.documents import Chunk, FloatArray, Memory, Properties, Vector, View
from memory.embedding import embedded_text, text_hash
from memory.stores.objects import PROPERTY_COLUMNS, payload_of, property_values

#: Raised when a column changes its meaning; a store of another version is rebuilt.
SCHEMA_VERSION = 1

#: Keyword search has a column for each view: each has its own word statistics.
SEARCH_COLUMN = {View.CHUNKS: "chunk_words", View.MEMORIES: "memory_words"}


def schema(dimensions: int) -> pa.Schema:
    """Return the table's columns."""
    text, texts = pa.string(), pa.list_(pa.string())
    return pa.schema(
        [
            ("id", text),
            ("view", text),
            *((name, texts if name == "tokens" else text) for name in PROPERTY_COLUMNS),
            ("chunk_ids", texts),
            ("text_hash", text),
            ("payload", text),
            *((name, text) for name in SEARCH_COLUMN.values()),
            ("vector", pa.list_(pa.float32(), dimensions)),
        ]
    )


def with_properties(found: pa.Table, new: Mapping[str, Properties]) -> pa.Table:
    """Return stored rows with the new properties of their documents, by id."""
    values = {name: property_values(each) for name, each in new.items()}
    documents = found["document_id"].to_pylist()
    for name in PROPERTY_COLUMNS:
        field = found.schema.field(name)
        column = pa.array([values[it][name] for it in documents], type=field.type)
        found = found.set_column(found.schema.get_field_index(name), field, column)
    return found


def row(properties: Properties, item: Chunk | Memory) -> dict[str, Any]:
    """Return an object's row without its vector."""
    view = View.CHUNKS if isinstance(item, Chunk) else View.MEMORIES
    chunk_ids = (item.id,) if isinstance(item, Chunk) else item.chunk_ids
    words = dict.fromkeys(SEARCH_COLUMN.values())
    embedded = embedded_text(item)
    return {
        **property_values(properties),
        **words,
        SEARCH_COLUMN[view]: embedded,
        "id": str(item.id),
        "view": view.value,
        "chunk_ids": [str(chunk_id) for chunk_id in chunk_ids],
        "text_hash": text_hash(embedded),
        "payload": json.dumps(payload_of(item), ensure_ascii=False),
    }


def table(
    rows: Sequence[Mapping[str, Any]], vectors: Sequence[Vector], dimensions: int
) -> pa.Table:
    """Return rows and their vectors as a table in `schema`."""
    columns = schema(dimensions)
    flat: FloatArray = np.zeros((0,), dtype=np.float32)
    if len(vectors):
        flat = np.concatenate(vectors).astype(np.float32, copy=False)
    arrays = [
        pa.array([each[field.name] for each in rows], type=field.type)
        for field in columns
        if field.name != "vector"
    ]
    arrays.append(pa.FixedSizeListArray.from_arrays(pa.array(flat), dimensions))
    return pa.Table.from_arrays(arrays, schema=columns)
