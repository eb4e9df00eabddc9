"""Which pair of collections answers: the alias `RawChunk` says it.

A pair shares an ending, so that one alias, changed in one step, swaps both views. The
alias `DistilledMemory` follows for whoever looks into the server.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from threading import Lock
from typing import TYPE_CHECKING
from uuid import uuid4

from memory.documents import View
from memory.errors import StoreError, StoreUnreachable
from memory.stores.weaviate_connection import Connection
from memory.stores.weaviate_schema import CLASS, Wanted, check, create

if TYPE_CHECKING:
    from weaviate import WeaviateClient

#: Seconds for which a search may not notice a swap; a write always looks.
KNOWN_FOR_S = 1.0


@dataclass(frozen=True, slots=True)
class Generation:
    """A pair of collections."""

    prefix: str
    ending: str

    @classmethod
    def new(cls, prefix: str) -> Generation:
        """Return a pair that isn't there yet."""
        return cls(prefix, uuid4().hex[:8])

    def name(self, view: View) -> str:
        """Return the collection of a view."""
        return f"{self.prefix}{CLASS[view]}_{self.ending}"


@dataclass(slots=True)
class Generations:
    """The pairs of one prefix on one server."""

    connection: Connection
    prefix: str
    wanted: Wanted
    _known: Generation | None = None
    _known_until: float = 0.0
    _lock: Lock = field(default_factory=Lock)

    def current(self, *, surely: bool = False) -> Generation:
        """Return the pair that answers, made where there's none at the first call.

        `surely`: asked of the server now. Raises StoreMismatch when it was made for
        something else, and StoreError when it has vanished.
        """
        with self._lock:
            if self._known and not surely and time.monotonic() < self._known_until:
                return self._known
            with self.connection.errors():
                found = self._found()
                if found != self._known:
                    for view in View:
                        check(self.connection.client(), found.name(view), self.wanted)
            self._known, self._known_until = found, time.monotonic() + KNOWN_FOR_S
            return found

    def create(self) -> Generation:
        """Make a new, empty pair that doesn't answer."""
        made = Generation.new(self.prefix)
        with self.connection.errors():
            for view in View:
                create(self.connection.client(), made.name(view), view, self.wanted)
        return made

    def point_at(self, made: Generation) -> None:
        """Let a pair answer."""
        with self.connection.errors():
            client = self.connection.client()
            for view in View:
                alias, target = self._alias(view), made.name(view)
                if client.alias.get(alias_name=alias) is None:
                    client.alias.create(alias_name=alias, target_collection=target)
                else:
                    client.alias.update(alias_name=alias, new_target_collection=target)

    def answering(self) -> Generation | None:
        """Return the pair that answers, whatever it was made for; None: there's none."""
        with self.connection.errors():
            return self._pointed(self.connection.client())

    def remove(self, pair: Generation) -> None:
        """Delete a pair with all that is in it."""
        with self.connection.errors():
            for view in View:
                self.connection.client().collections.delete(pair.name(view))

    def all(self) -> set[Generation]:
        """Return every pair of the prefix that is there, half ones too."""
        starts = [f"{self._alias(view)}_" for view in View]
        with self.connection.errors():
            names = self.connection.client().collections.list_all(simple=True)
        return {
            Generation(self.prefix, name.removeprefix(start))
            for name in names
            for start in starts
            if name.startswith(start)
        }

    def _found(self) -> Generation:
        client = self.connection.client()
        found = self._pointed(client)
        if found is not None:
            return found
        if self._known is not None:
            raise StoreError(
                f"Weaviate has lost {self._known.name(View.CHUNKS)}. Restore its data "
                "and restart Attest, or run `./manage.py rebuild`."
            )
        if not client.is_ready():
            # It may not have read its own schema yet; a second pair would hide the first.
            raise StoreUnreachable("Weaviate is starting and not ready yet.")
        return self._first(client)

    def _first(self, client: WeaviateClient) -> Generation:
        """Make the first pair; where two processes do, the first alias counts."""
        made = self.create()
        try:
            self.point_at(made)
        except StoreError:
            found = self._pointed(client)
            if found is None or found == made:
                raise
            self.remove(made)
            return found
        return self._pointed(client) or made

    def _pointed(self, client: WeaviateClient) -> Generation | None:
        found = client.alias.get(alias_name=self._alias(View.CHUNKS))
        if found is None:
            return None
        return Generation(self.prefix, found.collection.rpartition("_")[2])

    def _alias(self, view: View) -> str:
        return f"{self.prefix}{CLASS[view]}"
