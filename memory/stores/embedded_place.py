"""Building a second embedded store beside the one that answers, and swapping them.

Both are tables of one folder, whose note names the one that answers. Replacing the
note is the swap: one step, whole or not at all.
"""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from pathlib import Path
from uuid import uuid4

from memory.errors import StoreError
from memory.stores.base import MemoryStore
from memory.stores.embedded import EmbeddedStore, connect, note_of
from memory.stores.embedded_meta import (
    FILE,
    FIRST_TABLE,
    point_at,
    read_note,
    store_errors,
    table_of,
)

#: Searches that began before a swap may take so long; then the old table is removed.
GRACE_S = 3.0


class EmbeddedPlace:
    """A folder with an embedded store; see StorePlace for the promises."""

    def __init__(
        self,
        folder: Path,
        embedder_name: str,
        dimensions: int,
        *,
        grace_s: float = GRACE_S,
    ) -> None:
        """Open nothing yet."""
        self._folder = Path(folder)
        self._embedder_name = embedder_name
        self._dimensions = dimensions
        self._grace_s = grace_s

    def open(self) -> EmbeddedStore:
        """Return the store that answers, made where there's none."""
        return EmbeddedStore(self._folder, self._embedder_name, self._dimensions)

    def fresh(self) -> EmbeddedStore:
        """Return an empty store beside it; other tables that don't answer are removed."""
        with self._errors():
            self._folder.mkdir(parents=True, exist_ok=True)
            self._remove_all_but(self._answering())
        return EmbeddedStore(
            self._folder,
            self._embedder_name,
            self._dimensions,
            table=f"{FIRST_TABLE}-{uuid4().hex[:8]}",
        )

    def swap(self, fresh: MemoryStore) -> None:
        """Let `fresh` answer from now on, and remove the old table."""
        name = self._name(fresh)
        fresh.optimize()
        note = note_of(self._embedder_name, self._dimensions)
        with self._errors():
            point_at(self._folder, {**note, "table": name})
            time.sleep(self._grace_s)
            self._remove_all_but(name)

    def discard(self, fresh: MemoryStore) -> None:
        """Remove a fresh store that shall not answer."""
        name = self._name(fresh)
        fresh.close()
        with self._errors():
            connect(self._folder).drop_table(name, ignore_missing=True)

    def _answering(self) -> str:
        if not (self._folder / FILE).exists():
            return FIRST_TABLE
        return table_of(read_note(self._folder))

    def _remove_all_but(self, kept: str) -> None:
        database = connect(self._folder)
        for name in database.list_tables().tables:
            if name != kept:
                database.drop_table(name, ignore_missing=True)

    @staticmethod
    def _name(fresh: MemoryStore) -> str:
        name = fresh.fresh_table if isinstance(fresh, EmbeddedStore) else None
        if name is None:
            raise StoreError("Only a store that `fresh` made can be swapped in.")
        return name

    def _errors(self) -> AbstractContextManager[None]:
        return store_errors(self._folder)
