"""Building a second pair of collections beside the one that answers, and swapping."""

from __future__ import annotations

import time
from contextlib import suppress

from memory.errors import StoreError, StoreUnreachable
from memory.stores.base import MemoryStore
from memory.stores.weaviate import WeaviateStore
from memory.stores.weaviate_connection import Connection, WeaviateAddress
from memory.stores.weaviate_generations import KNOWN_FOR_S, Generation, Generations
from memory.stores.weaviate_schema import Wanted

#: Searches that began before a swap may take so long; then the old pair is removed.
GRACE_S = KNOWN_FOR_S + 3.0


class WeaviatePlace:
    """A server with Attest's collections; see StorePlace for the promises."""

    def __init__(
        self,
        address: WeaviateAddress,
        wanted: Wanted,
        *,
        prefix: str = "",
        grace_s: float = GRACE_S,
    ) -> None:
        """Take where the server is; it's asked nothing yet.

        `prefix`, a capital letter first, keeps installations on one server apart.
        """
        self._connection = Connection(address)
        self._wanted = wanted
        self._prefix = prefix
        self._grace_s = grace_s
        self._generations = Generations(self._connection, prefix, wanted)

    def open(self) -> WeaviateStore:
        """Return the store that answers, checked where the server is there to ask."""
        store = WeaviateStore(self._connection, self._wanted, prefix=self._prefix)
        # Away: each call tells it until the server is back.
        with suppress(StoreUnreachable):
            store.check()
        return store

    def fresh(self) -> WeaviateStore:
        """Return an empty store beside it; other pairs that don't answer are removed."""
        answering = self._generations.answering()
        for pair in self._generations.all() - {answering}:
            self._generations.remove(pair)
        return WeaviateStore(
            self._connection,
            self._wanted,
            prefix=self._prefix,
            fresh=self._generations.create(),
        )

    def swap(self, fresh: MemoryStore) -> None:
        """Let `fresh` answer from now on, and remove the old pair."""
        made = _pair(fresh)
        self._generations.point_at(made)
        time.sleep(self._grace_s)
        for pair in self._generations.all() - {made}:
            self._generations.remove(pair)

    def discard(self, fresh: MemoryStore) -> None:
        """Remove a fresh store that shall not answer."""
        self._generations.remove(_pair(fresh))

    def remove(self) -> None:
        """Delete everything of this prefix, what answers too."""
        for pair in self._generations.all():
            self._generations.remove(pair)

    def close(self) -> None:
        """Close the connection that all stores of this place share."""
        self._connection.close()


def _pair(fresh: MemoryStore) -> Generation:
    pair = fresh.fresh_generation if isinstance(fresh, WeaviateStore) else None
    if pair is None:
        raise StoreError("Only a store that `fresh` made can be swapped in.")
    return pair
