"""What changes the Weaviate store. The server has no transactions; see docs/stores.md.

New objects are written first, kept ones next, old ones are removed last. What the
server refuses is taken back, so that the old document goes on answering. A kill in
between leaves some of both; the caller's mark (`needs_repair`) has it done again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

import numpy as np

from memory.documents import Chunk, Memory, Properties, Vector, View
from memory.errors import StoreError
from memory.stores.base import Replacement
from memory.stores.objects import check_unique, items_of, vector_of
from memory.stores.weaviate_connection import cut
from memory.stores.weaviate_filters import among, with_ids
from memory.stores.weaviate_objects import document_values, object_values, view_of

if TYPE_CHECKING:
    from weaviate.collections.classes.filters import _Filters as Filters

    from memory.stores.weaviate_reads import Reads

Part = TypeVar("Part")

#: Objects in one request, ids or documents in one filter, requests at once.
_BATCH = 300
_IDS = 1_000
_DOCUMENTS = 200
_AT_ONCE = 4

Item = tuple[Properties, Chunk | Memory]


@dataclass(frozen=True, slots=True)
class Writes:
    """The writing half of the store over one pair of collections."""

    collections: Mapping[View, Any]
    reads: Reads
    dimensions: int
    tokenization: str

    def replace(self, replacements: Sequence[Replacement]) -> None:
        """Replace documents; the last one counts where a document comes twice."""
        by_document = {each.properties.document_id: each for each in replacements}
        items = {id_: items_of(each) for id_, each in by_document.items()}
        flat = [item for each in items.values() for item in each]
        check_unique(item.id for item in flat)
        stored = self.reads.ids_of(by_document)
        kept = self.reads.vectors([item for item in flat if item.vector is None])
        vectors = {item.id: vector_of(item, kept, self.dimensions) for item in flat}
        known = {id_ for ids in stored.values() for id_ in ids}
        objects = [
            (item, self._object(by_document[document].properties, item, each, vectors))
            for document, each in items.items()
            for item in each
        ]
        refused = self._put([pair for pair in objects if pair[0].id not in known])
        if refused:
            self._take_back(flat, known, refused)
        refused |= self._put(
            [
                pair
                for pair in objects
                if pair[0].id in known and pair[0].document_id not in refused
            ]
        )
        self._remove_old(stored, flat, refused)
        if refused:
            document, reason = next(iter(refused.items()))
            raise StoreError(
                f"Weaviate refused {len(refused)} of {len(by_document)} documents, "
                f"the first {document}: {cut(reason)}"
            )

    def delete(self, document_ids: Iterable[UUID]) -> None:
        """Remove documents: memories first, so that none points to a missing chunk."""
        for part in _parts(sorted(set(document_ids)), _IDS):
            for view in (View.MEMORIES, View.CHUNKS):
                self._delete(view, among("document_id", part))

    def set_properties(self, properties: Sequence[Properties]) -> None:
        """Rewrite documents' properties on all of their objects, without vectors."""
        by_document = {each.document_id: each for each in properties}
        for part in _parts(list(by_document), _DOCUMENTS):
            updates = [
                (view, object_id, document_values(by_document[document]))
                for document, view, object_id in self.reads.owners(part)
            ]
            _at_once(self._update, updates)

    def _object(
        self,
        properties: Properties,
        item: Chunk | Memory,
        together: Sequence[Chunk | Memory],
        vectors: Mapping[UUID, Vector],
    ) -> Any:
        from weaviate.classes.data import DataObject

        values = object_values(
            properties,
            item,
            first=item is together[0],
            tokenization=self.tokenization,
        )
        vector = np.asarray(vectors[item.id], dtype=np.float32).tolist()
        return DataObject(properties=values, uuid=item.id, vector=vector)

    def _put(self, objects: Sequence[tuple[Chunk | Memory, Any]]) -> dict[UUID, str]:
        """Write objects; return the reasons of refused ones, by document."""
        refused: dict[UUID, str] = {}
        # Chunks before memories, so that none points to a missing chunk.
        for view in (View.CHUNKS, View.MEMORIES):
            own = [pair for pair in objects if view_of(pair[0]) is view]
            own = [pair for pair in own if pair[0].document_id not in refused]
            for found in _at_once(
                lambda part, view=view: self._put_part(view, part),
                [(part,) for part in _parts(own, _BATCH)],
            ):
                refused.update(found)
        return refused

    def _put_part(
        self, view: View, part: Sequence[tuple[Chunk | Memory, Any]]
    ) -> dict[UUID, str]:
        from weaviate.exceptions import WeaviateInsertManyAllFailedError

        try:
            result = self.collections[view].data.insert_many([each for _, each in part])
        except WeaviateInsertManyAllFailedError as error:
            return {item.document_id: str(error) for item, _ in part}
        return {
            part[at][0].document_id: error.message
            for at, error in result.errors.items()
        }

    def _take_back(
        self,
        items: Sequence[Chunk | Memory],
        known: set[UUID],
        refused: Mapping[UUID, str],
    ) -> None:
        """Remove what was written of documents of which something was refused."""
        new = [
            item
            for item in items
            if item.document_id in refused and item.id not in known
        ]
        for view in (View.MEMORIES, View.CHUNKS):
            self._delete_ids(view, [it.id for it in new if view_of(it) is view])

    def _remove_old(
        self,
        stored: Mapping[tuple[UUID, View], set[UUID]],
        items: Sequence[Chunk | Memory],
        refused: Mapping[UUID, str],
    ) -> None:
        wanted = {item.id for item in items}
        for view in (View.MEMORIES, View.CHUNKS):
            old = [
                object_id
                for (document, its_view), ids in stored.items()
                if its_view is view and document not in refused
                for object_id in ids - wanted
            ]
            self._delete_ids(view, old)

    def _delete_ids(self, view: View, ids: Sequence[UUID]) -> None:
        for part in _parts(ids, _IDS):
            self._delete(view, with_ids(part))

    def _delete(self, view: View, where: Filters) -> None:
        """Delete all that match; one request deletes no more than the server's limit."""
        while True:
            result = self.collections[view].data.delete_many(where=where)
            if result.failed:
                raise StoreError(f"Weaviate could not delete {result.failed} objects.")
            if not result.successful:
                return

    def _update(self, view: View, object_id: UUID, values: dict[str, Any]) -> None:
        self.collections[view].data.update(uuid=object_id, properties=values)


def _parts(values: Sequence[Part], size: int) -> Iterator[Sequence[Part]]:
    for start in range(0, len(values), size):
        yield values[start : start + size]


def _at_once(
    call: Callable[..., Part], arguments: Sequence[tuple[Any, ...]]
) -> list[Part]:
    """Return the results of calls, a few of them at once; raises the first error."""
    if len(arguments) < 2:  # noqa: PLR2004 - no thread for one call
        return [call(*each) for each in arguments]
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        return list(threads.map(lambda each: call(*each), arguments))
