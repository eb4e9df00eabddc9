"""Fixtures of real servers, for `conftest.py`."""

import itertools
from contextlib import suppress

import pytest

from deploy.weaviate.build import binary
from deploy.weaviate.server import WeaviateServer
from memory.errors import StoreError
from memory.stores.weaviate_connection import WeaviateAddress
from memory.stores.weaviate_place import WeaviatePlace
from memory.stores.weaviate_schema import Wanted
from tests.contracts.corpus import DIMENSIONS

_numbers = itertools.count()


def made_server(folder, **settings):
    """Return a started server, or skip where none is built."""
    if not binary().exists():
        pytest.skip("No Weaviate server is built: `make test` does where Go is there.")
    server = WeaviateServer(folder, **settings)
    server.start()
    return server


@pytest.fixture(scope="session")
def weaviate(tmp_path_factory):
    """Return this test process's server; it's never killed by a test."""
    server = made_server(tmp_path_factory.mktemp("weaviate"))
    yield server
    server.stop()


@pytest.fixture
def prefix():
    """Return names of collections that no other test has."""
    return f"T{next(_numbers)}x"


@pytest.fixture
def place_at():
    """Return a function that says where a test's store lives, closed afterwards."""
    places = []

    def at(server, prefix, embedder="fake", dimensions=DIMENSIONS, **others):
        tokenization = others.pop("tokenization", "word")
        address = WeaviateAddress(server.url, server.grpc_url, **others)
        wanted = Wanted(embedder, dimensions, tokenization)
        # It waits as long as an open store may not notice a swap.
        places.append(WeaviatePlace(address, wanted, prefix=prefix, grace_s=1.1))
        return places[-1]

    yield at
    for place in places:
        # Many collections make a server slow.
        with suppress(StoreError):
            place.remove()
        place.close()
