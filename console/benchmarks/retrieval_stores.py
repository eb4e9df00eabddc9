"""The stores that `bench retrieval` fills: each empty, in a folder of its own."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from console.benchmarks.outcome import resident_mb
from console.benchmarks.syncs import BenchError
from deploy.weaviate.build import binary
from deploy.weaviate.server import WeaviateServer
from memory.stores.base import MemoryStore
from memory.stores.embedded import EmbeddedStore
from memory.stores.weaviate_connection import WeaviateAddress
from memory.stores.weaviate_place import WeaviatePlace
from memory.stores.weaviate_schema import Wanted

_EMBEDDER = "bench"
#: The server folds words out of its memory a minute after the last write; until then
#: a keyword search takes several times as long.
_REST_S = 75.0


@dataclass(frozen=True, slots=True)
class OpenStore:
    """An empty store, and what it takes: resident memory and files, in megabytes."""

    store: MemoryStore
    memory_mb: Callable[[], float]
    disk_mb: Callable[[], float]
    #: Until what was just written is where it's read fast from.
    rest_s: float = 0.0


@contextmanager
def embedded(dimensions: int, folder: Path) -> Iterator[OpenStore]:
    """Open an embedded store; its memory is what this process takes more than before."""
    before = resident_mb()["now"]
    place = folder / "embedded"
    store = EmbeddedStore(place, _EMBEDDER, dimensions)
    try:
        yield OpenStore(
            store, lambda: resident_mb()["now"] - before, lambda: _files_mb(place)
        )
    finally:
        store.close()
        shutil.rmtree(place, ignore_errors=True)


@contextmanager
def weaviate(dimensions: int, folder: Path) -> Iterator[OpenStore]:
    """Start a server of our own and open a store there; its memory is the server's."""
    if not binary().exists():
        raise BenchError("No Weaviate server is built: python deploy/weaviate/build.py")
    place = folder / "weaviate"
    server = WeaviateServer(place)
    server.start()
    address = WeaviateAddress(server.url, server.grpc_url)
    at = WeaviatePlace(address, Wanted(_EMBEDDER, dimensions, "word"))
    try:
        yield OpenStore(
            at.open(), server.resident_mb, lambda: _files_mb(place), _REST_S
        )
    finally:
        at.close()
        server.stop()
        shutil.rmtree(place, ignore_errors=True)


Opening = Callable[[int, Path], AbstractContextManager[OpenStore]]
STORES: Mapping[str, Opening] = {"embedded": embedded, "weaviate": weaviate}


def _files_mb(folder: Path) -> float:
    files = (path for path in folder.rglob("*") if path.is_file())
    return sum(path.stat().st_size for path in files) / 1e6
