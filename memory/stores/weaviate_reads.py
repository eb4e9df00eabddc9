"""What is looked up in the Weaviate store without a scope: never text or vectors out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

import numpy as np

from memory.documents import Chunk, Memory, Properties, Vector, View
from memory.stores.base import EmbeddedHashes
from memory.stores.objects import PROPERTY_COLUMNS
from memory.stores.weaviate_filters import among, with_ids
from memory.stores.weaviate_objects import read_properties, view_of

if TYPE_CHECKING:
    from weaviate.collections.classes.filters import _Filters as Filters

#: Objects in one page of an inventory, and that one request returns at most (the
#: server's own limit, QUERY_MAXIMUM_RESULTS, is 10,000 unless raised or lowered).
_PAGE = 1_000
MOST = 10_000
_PARTS = "0123456789abcdef"
#: Documents in one look-up, ids whose vectors are fetched in one.
_DOCUMENTS = 50
_IDS = 500


@dataclass(frozen=True, slots=True)
class Reads:
    """Look-ups over one pair of collections."""

    collections: Mapping[View, Any]

    def hashes(self, document_id: UUID) -> EmbeddedHashes:
        """Return which objects of a document are stored."""
        found = {
            view: {
                each.uuid: str(each.properties["text_hash"])
                for each in self._of([document_id], view, ["text_hash"])
            }
            for view in View
        }
        return EmbeddedHashes(found[View.CHUNKS], found[View.MEMORIES])

    def ids_of(self, documents: Iterable[UUID]) -> dict[tuple[UUID, View], set[UUID]]:
        """Return the stored objects' ids by document and view."""
        found: dict[tuple[UUID, View], set[UUID]] = {}
        for document, view, object_id in self.owners(list(documents)):
            found.setdefault((document, view), set()).add(object_id)
        return found

    def owners(self, documents: Sequence[UUID]) -> Iterator[tuple[UUID, View, UUID]]:
        """Yield document, view and id of every object of the documents."""
        for start in range(0, len(documents), _DOCUMENTS):
            part = documents[start : start + _DOCUMENTS]
            for view in View:
                for each in self._of(part, view, ["document_id"]):
                    yield UUID(each.properties["document_id"]), view, each.uuid

    def vectors(self, items: Sequence[Chunk | Memory]) -> dict[UUID, Vector]:
        """Return the stored vectors of these objects, by id."""
        found: dict[UUID, Vector] = {}
        for view in View:
            ids = [item.id for item in items if view_of(item) is view]
            for start in range(0, len(ids), _IDS):
                result = self.collections[view].query.fetch_objects(
                    filters=with_ids(ids[start : start + _IDS]),
                    limit=_IDS,
                    include_vector=True,
                    return_properties=[],
                )
                for each in result.objects:
                    vector = np.array(each.vector["default"], dtype=np.float32)
                    found[each.uuid] = vector
        return found

    def inventory(self, view: View) -> Iterator[tuple[UUID, Properties]]:
        """Yield every object's id and properties."""
        names = list(PROPERTY_COLUMNS)
        for each in self.collections[view].iterator(
            return_properties=names, cache_size=_PAGE
        ):
            yield each.uuid, read_properties(each.properties)

    def _of(
        self, documents: Collection[UUID], view: View, names: list[str]
    ) -> list[Any]:
        """Return the documents' objects, in parts where they're too many for one."""
        where = among("document_id", documents)
        found = self._fetch(view, where, names)
        if len(found) < MOST:
            return found
        return [
            each
            for part in _PARTS
            for each in self._fetch(view, where & among("part", [part]), names)
        ]

    def _fetch(self, view: View, where: Filters, names: list[str]) -> list[Any]:
        result = self.collections[view].query.fetch_objects(
            filters=where, limit=MOST, return_properties=names
        )
        objects: list[Any] = result.objects
        return objects
