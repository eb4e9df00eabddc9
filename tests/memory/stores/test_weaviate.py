"""The contract suite on a real server, and what is Weaviate's own."""

import pytest

from tests.contracts.corpus import DIMENSIONS
from tests.contracts.store import StoreContract
from tests.contracts.store_place import PlaceContract

pytestmark = pytest.mark.integration


class TestWeaviateStore(StoreContract):
    @pytest.fixture(autouse=True)
    def _server(self, weaviate, prefix, place_at):
        self.server, self.prefix, self.place_at = weaviate, prefix, place_at

    def make_store(self, _folder):
        return self.place_at(self.server, self.prefix).open()


class TestWeaviatePlace(PlaceContract):
    @pytest.fixture(autouse=True)
    def _server(self, weaviate, prefix, place_at):
        self.server, self.prefix, self.place_at = weaviate, prefix, place_at

    def make_place(self, _folder, embedder="fake", dimensions=DIMENSIONS):
        return self.place_at(self.server, self.prefix, embedder, dimensions)
