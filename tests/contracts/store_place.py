"""What every StorePlace promises. A subclass gives `make_place(folder, embedder)`."""

import pytest

from memory.access import WORKSPACE_SCOPE as EVERYBODY
from memory.documents import View
from memory.errors import StoreError, StoreMismatch
from tests.contracts.corpus import DIMENSIONS, VIEWS, document, put, vector


def names(store, view=View.CHUNKS):
    """Return the documents in the store."""
    return {of.external_id for _, of in store.inventory(view)}


class PlaceContract:
    """All promises of StorePlace, one test each."""

    def make_place(self, folder, embedder="fake", dimensions=DIMENSIONS):
        """Return the place in `folder`; it waits for no reader at a swap."""
        raise NotImplementedError

    @pytest.fixture
    def folder(self, tmp_path):
        return tmp_path / "store"

    @pytest.fixture
    def place(self, folder):
        return self.make_place(folder)

    def test_a_fresh_store_is_beside_the_one_that_answers(self, place):
        store = place.open()
        put(store, document("old", "one"))
        fresh = place.fresh()
        assert names(fresh) == set()
        put(fresh, document("new", "two"))
        assert names(store) == {"old"}
        assert names(place.open()) == {"old"}
        assert names(fresh) == {"new"}

    def test_after_a_swap_open_stores_read_and_write_the_new_one(self, place):
        store, other = place.open(), place.open()
        put(store, document("old", "one"))
        assert names(other) == {"old"}
        fresh = place.fresh()
        put(fresh, document("new", "two"))
        place.swap(fresh)
        put(store, document("later", "three"))
        for each in (store, other, place.open(), fresh):
            for view in VIEWS:
                assert names(each, view) == {"new", "later"}
        [hit] = other.keyword(View.CHUNKS, "two", 5, EVERYBODY)
        assert hit.id == document("new", "two").chunks[0].id
        assert len(other.nearest(View.MEMORIES, vector("x"), 9, EVERYBODY)) == 2

    def test_a_store_may_be_swapped_again_and_again(self, place):
        for number in range(3):
            fresh = place.fresh()
            put(fresh, document(f"d{number}", "one"))
            place.swap(fresh)
            assert names(place.open()) == {f"d{number}"}

    def test_another_model_is_built_beside_the_old_and_swapped(self, folder, place):
        old = place.open()
        put(old, document("old", "one"))
        other = self.make_place(folder, "other model")
        with pytest.raises(StoreMismatch, match="'fake'.*'other model'.*rebuild"):
            other.open()
        fresh = other.fresh()
        put(fresh, document("new", "two"))
        assert names(old) == {"old"}
        other.swap(fresh)
        assert names(other.open()) == {"new"}
        with pytest.raises(StoreMismatch, match="'other model'.*'fake'"):
            old.nearest(View.CHUNKS, vector("x"), 5, EVERYBODY)
        with pytest.raises(StoreMismatch):
            put(old, document("old", "one"))
        with pytest.raises(StoreMismatch):
            place.open()

    def test_a_discarded_or_unfinished_store_never_answers(self, place):
        put(place.open(), document("old", "one"))
        unfinished = place.fresh()
        put(unfinished, document("new", "two"))
        fresh = place.fresh()
        assert names(fresh) == set()
        place.discard(fresh)
        assert names(place.open()) == {"old"}

    def test_only_a_fresh_store_can_be_swapped_in(self, place):
        with pytest.raises(StoreError, match="fresh"):
            place.swap(place.open())
