"""What every MemoryStore promises. A subclass gives `make_store(folder)`."""

import pytest

from tests.contracts.store_access import AccessPromises
from tests.contracts.store_reads import ReadPromises
from tests.contracts.store_writes import WritePromises


class StoreContract(ReadPromises, WritePromises, AccessPromises):
    """All promises of MemoryStore, one test each."""

    def make_store(self, folder):
        """Open the store in `folder`, for vectors of `corpus.DIMENSIONS`."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, tmp_path):
        store = self.make_store(tmp_path / "store")
        yield store
        store.close()
