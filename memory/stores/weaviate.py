"""The production store: Weaviate, one node or a cluster, for many processes at once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

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
from memory.stores.analysis import query_text
from memory.stores.base import EmbeddedHashes, Replacement
from memory.stores.objects import check_query
from memory.stores.weaviate_connection import Connection
from memory.stores.weaviate_filters import first_chunks, scope_filter, with_ids
from memory.stores.weaviate_generations import Generation, Generations
from memory.stores.weaviate_objects import (
    CHUNK_PROPERTIES,
    HIT_PROPERTIES,
    read_chunk,
    read_hit,
)
from memory.stores.weaviate_reads import MOST, Reads
from memory.stores.weaviate_schema import WORDS, Wanted
from memory.stores.weaviate_writes import Writes

if TYPE_CHECKING:
    from weaviate.classes.query import MetadataQuery
    from weaviate.collections.classes.filters import _Filters as Filters

#: Chunks in one look-up.
_LOOK_UP = 1_000


class WeaviateStore:
    """Holds the views in two collections of a server; see MemoryStore for the promises.

    Nothing is asked before the first call, which makes the collections where they
    aren't there and checks them where they are. While a document is replaced, its
    new objects answer beside its old ones until those are removed (docs/stores.md).
    Safe to share by threads. It goes on by itself when a server that was away is back.

    Raises StoreUnreachable while the server is away, and StoreMismatch when the
    collections were made for another embedding model, tokenization or schema.
    """

    def __init__(
        self,
        connection: Connection,
        wanted: Wanted,
        *,
        prefix: str = "",
        fresh: Generation | None = None,
    ) -> None:
        """Take a connection, what collections must fit, and what their names begin with.

        `fresh` is a pair of collections that doesn't answer yet; without it, it's
        always the pair that does, whatever is swapped meanwhile.
        """
        self._connection = connection
        self._wanted = wanted
        self._generations = Generations(connection, prefix, wanted)
        self._fresh = fresh

    @property
    def fresh_generation(self) -> Generation | None:
        """Return the pair of collections where it doesn't answer yet."""
        return self._fresh

    def check(self) -> None:
        """Raise StoreMismatch or StoreUnreachable where the store can't be used."""
        self._collections(surely=True)

    def replace_document(
        self,
        properties: Properties,
        chunks: Sequence[Chunk],
        memories: Sequence[Memory],
    ) -> None:
        """Make these the document's only chunks and memories."""
        self.replace_documents([Replacement(properties, chunks, memories)])

    def replace_documents(self, replacements: Sequence[Replacement]) -> None:
        """Replace documents; one that is refused is as before, the others are done."""
        if replacements:
            with self._connection.errors():
                self._writes().replace(replacements)

    def delete_document(self, document_id: UUID) -> None:
        """Remove all of a document; absent is fine."""
        self.delete_documents([document_id])

    def delete_documents(self, document_ids: Iterable[UUID]) -> None:
        """Remove documents; absent ones are fine."""
        with self._connection.errors():
            self._writes().delete(document_ids)

    def set_properties(self, properties: Properties) -> None:
        """Rewrite access, status, title, dates of a document; no vectors."""
        self.set_many_properties([properties])

    def set_many_properties(self, properties: Sequence[Properties]) -> None:
        """Do `set_properties` for many documents, object by object."""
        if properties:
            with self._connection.errors():
                self._writes().set_properties(properties)

    def nearest(
        self, view: View, vector: Vector, limit: int, scope: Scope
    ) -> list[Hit]:
        """Return at most `limit` hits by cosine similarity in [-1, 1], best first."""
        where = scope_filter(scope)
        if where is None or limit <= 0:
            return []
        check_query(vector, self._wanted.dimensions)
        with self._connection.errors():
            found = self._collections()[view].query.near_vector(
                near_vector=vector.tolist(),
                limit=min(limit, MOST),
                filters=where,
                return_metadata=_metadata(distance=True),
                return_properties=HIT_PROPERTIES[view],
            )
        return _hits(
            (each, min(1.0, max(-1.0, 1.0 - each.metadata.distance)))
            for each in found.objects
        )

    def keyword(self, view: View, text: str, limit: int, scope: Scope) -> list[Hit]:
        """Return at most `limit` hits by BM25 (> 0), best first.

        Any of the text's words finds; the first 256 different ones count.
        """
        where = scope_filter(scope)
        words = query_text(text, self._wanted.tokenization)
        if where is None or limit <= 0 or not words:
            return []
        with self._connection.errors():
            found = self._collections()[view].query.bm25(
                query=words,
                query_properties=[WORDS],
                limit=min(limit, MOST),
                filters=where,
                return_metadata=_metadata(score=True),
                return_properties=HIT_PROPERTIES[view],
            )
        hits = _hits((each, each.metadata.score) for each in found.objects)
        return [hit for hit in hits if hit.score > 0]

    def chunks(self, ids: Sequence[UUID], scope: Scope) -> list[StoredChunk]:
        """Return the chunks of these ids that the scope admits, in the given order."""
        where = scope_filter(scope)
        if where is None:
            return []
        wanted = list(dict.fromkeys(ids))
        found: dict[UUID, StoredChunk] = {}
        for start in range(0, len(wanted), _LOOK_UP):
            part = wanted[start : start + _LOOK_UP]
            for each in self._chunks(with_ids(part) & where):
                found[each.uuid] = read_chunk(each.uuid, each.properties)
        return [found[chunk_id] for chunk_id in wanted if chunk_id in found]

    def count_documents(self, scope: Scope) -> int:
        """Return how many documents with a chunk the scope admits."""
        where = scope_filter(scope)
        if where is None:
            return 0
        with self._connection.errors():
            found = self._collections()[View.CHUNKS].aggregate.over_all(
                filters=first_chunks() & where, total_count=True
            )
        return int(found.total_count or 0)

    def embedded_hashes(self, document_id: UUID) -> EmbeddedHashes:
        """Return which objects of a document are stored; no text or vectors."""
        with self._connection.errors():
            return self._reads().hashes(document_id)

    def inventory(self, view: View) -> Iterator[tuple[UUID, Properties]]:
        """Yield every object's id and properties, page by page; no text or vectors.

        What is written meanwhile may be in it or not.
        """
        with self._connection.errors():
            yield from self._reads().inventory(view)

    def optimize(self) -> None:
        """Do nothing: the server folds writes into its indexes by itself."""

    def close(self) -> None:
        """Close the connection; the next call opens it again."""
        self._connection.close()

    def _chunks(self, where: Filters) -> list[Any]:
        with self._connection.errors():
            found = self._collections()[View.CHUNKS].query.fetch_objects(
                filters=where, limit=_LOOK_UP, return_properties=CHUNK_PROPERTIES
            )
        objects: list[Any] = found.objects
        return objects

    def _writes(self) -> Writes:
        collections = self._collections(surely=True)
        return Writes(
            collections,
            Reads(collections),
            self._wanted.dimensions,
            self._wanted.tokenization,
        )

    def _reads(self) -> Reads:
        return Reads(self._collections(surely=True))

    def _collections(self, *, surely: bool = False) -> dict[View, Any]:
        pair = self._fresh or self._generations.current(surely=surely)
        client = self._connection.client()
        found = {view: client.collections.use(pair.name(view)) for view in View}
        if self._wanted.replicas == 1:
            return found
        from weaviate.classes.config import ConsistencyLevel

        # What most replicas have written is what most of them read.
        level = ConsistencyLevel.QUORUM
        return {
            view: each.with_consistency_level(level) for view, each in found.items()
        }


def _metadata(*, distance: bool = False, score: bool = False) -> MetadataQuery:
    from weaviate.classes.query import MetadataQuery

    return MetadataQuery(distance=distance, score=score)


def _hits(found: Iterable[tuple[Any, float]]) -> list[Hit]:
    """Return hits best first, equal ones by id."""
    hits = [read_hit(each.uuid, each.properties, float(score)) for each, score in found]
    return sorted(hits, key=lambda hit: (-hit.score, hit.id))
