"""The embedded store: LanceDB in one folder, for several processes at once."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import numpy as np

from memory.access import Scope
from memory.documents import (
    Chunk,
    Hit,
    Memory,
    Properties,
    StoredChunk,
    Vector,
    View,
)
from memory.stores import embedded_rows as rows
from memory.stores.base import EmbeddedHashes, Replacement
from memory.stores.embedded_filters import among, quoted, scope_filter
from memory.stores.embedded_meta import (
    note_stamp,
    one_at_a_time,
    open_folder,
    store_errors,
)
from memory.stores.embedded_writes import Writes
from memory.stores.objects import (
    PROPERTY_COLUMNS,
    check_query,
    properties_of,
    stored_chunk,
)

#: Ids in one look-up, rows in one part of an inventory.
_LOOK_UP = 2_000
#: Distinct words of a keyword query; a longer text is a paste, not a question.
_MAX_WORDS = 256
#: Graph search, as measured for recall 0.97 at 200,000 vectors.
_EF = 200
_REFINE = 2

_WORD = re.compile(r"[^\W_]+")
_HIT_COLUMNS = ["id", "document_id", "chunk_ids"]
_CHUNK_COLUMNS = ["id", "payload", *PROPERTY_COLUMNS]


class EmbeddedStore:
    """Holds both views in one table of one folder; see MemoryStore for the promises.

    A document is replaced in one commit, so readers of any process see the old or
    the new one, whole. Writers of several processes retry on each other's commits.
    Safe to share by threads. Start processes by spawn, never by fork.

    Raises StoreMismatch when the folder was built for another embedding model or
    schema.
    """

    def __init__(
        self,
        folder: Path,
        embedder_name: str,
        dimensions: int,
        *,
        table: str | None = None,
    ) -> None:
        """Open the store in `folder`, making it where it isn't there.

        `table` is one that doesn't answer yet; without it, it's always the one that
        does, whatever is swapped meanwhile.
        """
        self._folder = Path(folder)
        self._dimensions = dimensions
        self._lock = threading.Lock()
        self._opened: Any = None
        self._stamp: tuple[int, int] | None = None
        self._fresh = table
        self._note = note_of(embedder_name, dimensions)
        if table is None:
            open_folder(self._folder, self._note)

    @property
    def fresh_table(self) -> str | None:
        """Return the table's name where it doesn't answer yet."""
        return self._fresh

    def replace_document(
        self,
        properties: Properties,
        chunks: Sequence[Chunk],
        memories: Sequence[Memory],
    ) -> None:
        """Make these the document's only chunks and memories, in one commit."""
        self.replace_documents([Replacement(properties, chunks, memories)])

    def replace_documents(self, replacements: Sequence[Replacement]) -> None:
        """Replace all of the documents in one commit: all of them or none."""
        if replacements:
            with self._errors():
                self._writes().replace(replacements)

    def delete_document(self, document_id: UUID) -> None:
        """Remove all of a document; absent is fine."""
        self.delete_documents([document_id])

    def delete_documents(self, document_ids: Iterable[UUID]) -> None:
        """Remove documents in one commit; absent ones are fine."""
        with self._errors():
            self._writes().delete(document_ids)

    def set_properties(self, properties: Properties) -> None:
        """Rewrite access, status, title, dates of a document; no vectors."""
        self.set_many_properties([properties])

    def set_many_properties(self, properties: Sequence[Properties]) -> None:
        """Do `set_properties` for many documents in one commit: all or none."""
        with self._errors():
            self._writes().set_properties(properties)

    def nearest(
        self, view: View, vector: Vector, limit: int, scope: Scope
    ) -> list[Hit]:
        """Return at most `limit` hits by cosine similarity in [-1, 1], best first.

        Exact up to 50,000 objects; above that a graph finds them (recall 0.97 to
        0.99 at 20 of 200,000).
        """
        where = scope_filter(scope, view)
        if where is None or limit <= 0:
            return []
        check_query(vector, self._dimensions)
        with self._errors():
            found = (
                self._table()
                .search(vector, vector_column_name="vector", query_type="vector")
                .distance_type("cosine")
                .where(where, prefilter=True)
                .minimum_nprobes(1)
                .maximum_nprobes(0)
                .ef(max(_EF, _REFINE * limit))
                .refine_factor(_REFINE)
                .select([*_HIT_COLUMNS, "_distance"])
                .limit(limit)
                .to_arrow()
            )
        scores = np.clip(1 - found["_distance"].to_numpy(), -1, 1)
        return _hits(found, scores.tolist())

    def keyword(self, view: View, text: str, limit: int, scope: Scope) -> list[Hit]:
        """Return at most `limit` hits by BM25 (> 0), best first.

        Any of the text's words finds; the first 256 different ones count.
        """
        where = scope_filter(scope, view)
        words = list(dict.fromkeys(_WORD.findall(text.lower())))[:_MAX_WORDS]
        if where is None or limit <= 0 or not words:
            return []
        with self._errors():
            # First, as it imports LanceDB, which must not begin in two threads at once.
            table = self._table()
            from lancedb.query import MatchQuery

            # Words alone: a match query has no syntax. Its defaults are hidden from mypy.
            query = MatchQuery(" ".join(words), rows.SEARCH_COLUMN[view])  # type: ignore[call-arg]
            found = (
                table.search(query, query_type="fts")
                .where(where, prefilter=True)
                .select([*_HIT_COLUMNS, "_score"])
                .limit(limit)
                .to_arrow()
            )
        return [hit for hit in _hits(found, found["_score"].to_pylist()) if hit.score]

    def chunks(self, ids: Sequence[UUID], scope: Scope) -> list[StoredChunk]:
        """Return the chunks of these ids that the scope admits, in the given order."""
        where = scope_filter(scope, View.CHUNKS)
        if where is None:
            return []
        wanted = list(dict.fromkeys(ids))
        found: dict[UUID, StoredChunk] = {}
        for start in range(0, len(wanted), _LOOK_UP):
            part = wanted[start : start + _LOOK_UP]
            for values in self._select(
                f"{among('id', part)} AND {where}", _CHUNK_COLUMNS
            ):
                stored = stored_chunk(values)
                found[stored.chunk.id] = stored
        return [found[chunk_id] for chunk_id in wanted if chunk_id in found]

    def count_documents(self, scope: Scope) -> int:
        """Return how many documents with a chunk the scope admits."""
        where = scope_filter(scope, View.CHUNKS)
        if where is None:
            return 0
        with self._errors():
            found = self._table().search().where(where).select(["document_id"])
            column = found.to_arrow()["document_id"]
        return len(column.unique())

    def embedded_hashes(self, document_id: UUID) -> EmbeddedHashes:
        """Return which objects of a document are stored; no text or vectors."""
        hashes: dict[View, dict[UUID, str]] = {view: {} for view in View}
        where = f"document_id = {quoted(str(document_id))}"
        for values in self._select(where, ["id", "view", "text_hash"]):
            hashes[View(values["view"])][UUID(values["id"])] = values["text_hash"]
        return EmbeddedHashes(hashes[View.CHUNKS], hashes[View.MEMORIES])

    def inventory(self, view: View) -> Iterator[tuple[UUID, Properties]]:
        """Yield every object's id and properties as of now; no text or vectors.

        Read in parts, as a large store's rows don't fit into memory at once.
        """
        where = f"view = {quoted(view.value)}"
        columns = ["id", *PROPERTY_COLUMNS]
        with self._errors():
            found = self._table().search().where(where).select(columns)
            for part in found.to_batches(batch_size=_LOOK_UP):
                for values in part.to_pylist():
                    yield UUID(values["id"]), properties_of(values)

    def optimize(self) -> None:
        """Build missing indexes, fold recent writes in, drop old versions.

        Readers and writers go on meanwhile.
        """
        with self._errors():
            self._writes().optimize()

    def close(self) -> None:
        """Forget the open table; the next call opens it again."""
        with self._lock:
            self._opened = None

    def _select(self, where: str, columns: list[str]) -> list[dict[str, Any]]:
        with self._errors():
            found = self._table().search().where(where).select(columns).to_arrow()
        selected: list[dict[str, Any]] = found.to_pylist()
        return selected

    def _writes(self) -> Writes:
        return Writes(self._table(), self._dimensions)

    def _table(self) -> Any:
        with self._lock:
            # A look at one file's times: another process may have swapped the store.
            stamp = None if self._fresh else note_stamp(self._folder)
            if self._opened is None or stamp != self._stamp:
                name = self._fresh or open_folder(self._folder, self._note)
                self._opened, self._stamp = self._open(name), stamp
            return self._opened

    def _open(self, name: str) -> Any:
        from memory.stores.embedded_indexes import create_keyword_indexes

        database = connect(self._folder)
        schema = rows.schema(self._dimensions)
        with one_at_a_time(self._folder):
            table = database.create_table(name, schema=schema, exist_ok=True)
            create_keyword_indexes(table)
        return table

    def _errors(self) -> AbstractContextManager[None]:
        return store_errors(self._folder)


def connect(folder: Path) -> Any:
    """Return the database in `folder`."""
    # Its warnings are about its own indexes and would stand in a user's terminal.
    os.environ.setdefault("LANCEDB_LOG", "error")
    import lancedb
    import lancedb.query  # with the rest, while one thread alone is here

    # Zero: every read looks for a newer version first, which costs next to nothing.
    return lancedb.connect(folder, read_consistency_interval=timedelta(0))


def note_of(embedder_name: str, dimensions: int) -> dict[str, Any]:
    """Return what a folder's note says of the store."""
    return {
        "schema": rows.SCHEMA_VERSION,
        "embedder": embedder_name,
        "dimensions": dimensions,
    }


def _hits(found: Any, scores: list[float]) -> list[Hit]:
    """Return a search's rows as hits, best first, equal ones by id."""
    hits = [
        Hit(
            UUID(values["id"]),
            UUID(values["document_id"]),
            tuple(map(UUID, values["chunk_ids"])),
            float(score),
        )
        for values, score in zip(
            found.select(_HIT_COLUMNS).to_pylist(), scores, strict=True
        )
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))
