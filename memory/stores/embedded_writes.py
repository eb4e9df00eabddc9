"""What changes the embedded store: one commit for each call, tried again on conflict."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Sequence
from typing import Any
from uuid import UUID

from memory.documents import Chunk, Memory, Properties, Vector
from memory.stores import embedded_rows as rows
from memory.stores.base import Replacement
from memory.stores.embedded_filters import among
from memory.stores.objects import check_unique, items_of, vector_of

#: Tries of a commit that another process's commit overtook.
_TRIES = 20
_FIRST_WAIT_S = 0.02
_LONGEST_WAIT_S = 1.0
#: How LanceDB's errors name a lost race; they have no class of their own.
_CONFLICTS = ("conflict", "concurrent", "too many attempts", "please retry")


class Writes:
    """The writing half of the store over its open table."""

    def __init__(self, table: Any, dimensions: int) -> None:
        """Write to `table`, whose vectors have `dimensions`."""
        self._table = table
        self._dimensions = dimensions

    def replace(self, replacements: Sequence[Replacement]) -> None:
        """Replace documents; the last one counts where a document comes twice."""
        by_document = {each.properties.document_id: each for each in replacements}
        for replacement in by_document.values():
            items_of(replacement)
        documents = among("document_id", by_document)

        def commit() -> None:
            # Kept vectors are read anew at each try: the race may have changed them.
            new = self._rows(list(by_document.values()))
            if not new.num_rows:
                self._table.delete(documents)
                return
            (
                self._table.merge_insert("id")
                .when_matched_update_all()
                .when_not_matched_insert_all()
                .when_not_matched_by_source_delete(documents)
                .execute(new)
            )

        _until_committed(commit)

    def delete(self, document_ids: Iterable[UUID]) -> None:
        """Remove documents."""
        documents = among("document_id", document_ids)
        if documents != "false":
            _until_committed(lambda: self._table.delete(documents))

    def set_properties(self, properties: Sequence[Properties]) -> None:
        """Rewrite documents' properties on all of their rows; the last one counts."""
        by_document = {str(each.document_id): each for each in properties}
        if not by_document:
            return
        names = rows.schema(self._dimensions).names
        documents = among("document_id", by_document)

        def commit() -> None:
            # Whole rows: writing some columns alone rewrites them for all documents.
            found = self._table.search().where(documents).select(names).to_arrow()
            if found.num_rows:
                (
                    self._table.merge_insert("id")
                    .when_matched_update_all()
                    .execute(rows.with_properties(found, by_document))
                )

        _until_committed(commit)

    def optimize(self) -> None:
        """Build, fold in and clean up."""
        from memory.stores.embedded_indexes import refresh

        _until_committed(lambda: refresh(self._table))

    def _rows(self, replacements: Sequence[Replacement]) -> Any:
        items: list[tuple[Properties, Chunk | Memory]] = [
            (each.properties, item) for each in replacements for item in items_of(each)
        ]
        check_unique(item.id for _, item in items)
        kept = self._kept_vectors([item.id for _, item in items if item.vector is None])
        vectors = [vector_of(item, kept, self._dimensions) for _, item in items]
        values = [rows.row(properties, item) for properties, item in items]
        return rows.table(values, vectors, self._dimensions)

    def _kept_vectors(self, ids: list[UUID]) -> dict[UUID, Vector]:
        if not ids:
            return {}
        found = self._table.search().where(among("id", ids)).select(["id", "vector"])
        columns = found.to_arrow()
        flat = columns["vector"].combine_chunks().flatten().to_numpy()
        vectors = flat.reshape(-1, self._dimensions)
        names = columns["id"].to_pylist()
        return {UUID(name): vector for name, vector in zip(names, vectors, strict=True)}


def _until_committed(commit: Callable[[], object]) -> None:
    """Run `commit` until no other writer's commit overtakes it."""
    for attempt in range(_TRIES):
        try:
            commit()
        except (RuntimeError, OSError, ValueError) as error:
            if attempt + 1 == _TRIES or not _is_conflict(error):
                raise
            longest = min(_LONGEST_WAIT_S, _FIRST_WAIT_S * 2**attempt)
            # Spread, so that two writers don't meet again.
            time.sleep(random.uniform(longest / 2, longest))  # noqa: S311
        else:
            return


def _is_conflict(error: Exception) -> bool:
    text = str(error).lower()
    return any(sign in text for sign in _CONFLICTS)
