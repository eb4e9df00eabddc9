"""A store built beside the one that answers: nothing is lost, whatever happens."""

import uuid

import pytest

from connectors.base import Delete
from connectors.errors import AlreadySyncing
from connectors.models import Document, SyncRun
from connectors.rebuilding import rebuild
from connectors.syncing import Control
from connectors.syncing_lease import acquire
from connectors.syncing_run import Cancelled
from memory.access import ANYONE, AccessRule
from memory.building import Builder
from memory.chunking import Chunker
from memory.errors import EmbeddingError, StoreError
from tests.connectors.worlds import COMPLETE, DictStore, upsert

State = Document.State


class Place:
    """Opens dict stores. `before_swap` is called with the fresh one's swap."""

    def __init__(self, world):
        self.world, self.discarded, self.before_swap = world, [], lambda: None

    def fresh(self):
        return DictStore()

    def swap(self, fresh):
        self.before_swap()
        self.world.store = fresh

    def discard(self, fresh):
        self.discarded.append(fresh)


class Meddling:
    """A builder that calls `meddle` before its first batch, as syncs go on then."""

    def __init__(self, builder, meddle):
        self.builder, self.meddle = builder, meddle

    @property
    def embedder(self):
        return self.builder.embedder

    def build(self, items, **options):
        done = self.builder.build(items, **options)
        meddle, self.meddle = self.meddle, lambda: None
        meddle()
        return done


def run(world, place, meddle=lambda: None, **control):
    def builder_for(store):
        return Meddling(
            Builder(Chunker(), world.extractor, world.embedder, store), meddle
        )

    return rebuild(place, builder_for, Control(**control))


def test_the_new_store_holds_what_the_old_one_did_and_no_source_is_asked(world):
    world.sync(*world.upserts("a", "b"), COMPLETE)
    before, old = world.store.texts(), world.store
    old.held[uuid.uuid4()] = next(iter(old.held.values()))
    run(world, Place(world))
    assert world.store is not old
    assert world.store.texts() == before
    assert len(world.store.held) == 2
    assert SyncRun.objects.count() == 1
    world.source.refresh_from_db()
    assert world.source.lease_token is None


def test_what_a_sync_changes_meanwhile_is_not_lost(world):
    world.sync(*world.upserts("a", "b", "c"), COMPLETE)
    place = Place(world)

    def meddle():
        rule = AccessRule.of([ANYONE])
        world.sync(
            upsert(world.source, "a", "Another text.", mark="2"),
            upsert(world.source, "b", rule=rule, mark="2"),
            upsert(world.source, "new"),
            Delete("c"),
        )

    run(world, place, meddle)
    assert set(world.store.texts()) == {"a", "b", "new"}
    assert world.store.texts()["a"] == "Another text."
    access = {held[0].external_id: held[0].tokens for held in world.store.held.values()}
    assert access["b"] == {ANYONE}
    assert not Document.objects.filter(needs_repair=True).exists()


def test_every_source_is_locked_while_the_stores_are_swapped(world):
    world.sync(*world.upserts("a"), COMPLETE)
    place = Place(world)

    def try_to_sync():
        with pytest.raises(AlreadySyncing):
            acquire(world.source, Control().clock)

    place.before_swap = try_to_sync
    run(world, place)
    assert world.sync(*world.upserts("b")).state == SyncRun.State.SUCCEEDED


def test_what_waited_for_a_repair_is_whole_afterwards(world):
    world.sync(*world.upserts("a", "b"), COMPLETE)
    world.store.held.clear()
    Document.objects.update(needs_repair=True)
    run(world, Place(world))
    assert set(world.store.texts()) == {"a", "b"}
    row = world.row("a")
    assert (row.needs_repair, row.chunk_count) == (False, 1)


def test_a_document_that_can_not_be_built_is_told_and_tried_again(world):
    world.sync(
        upsert(world.source, "a", "Good."), upsert(world.source, "b", "Bad."), COMPLETE
    )
    world.embedder.bad = "Bad."
    done = run(world, Place(world))
    assert list(done.failed) == [world.row("b").id]
    assert set(world.store.texts()) == {"a"}
    assert world.row("b").needs_repair
    assert not world.row("a").needs_repair


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), EmbeddingError("The encoder failed.")]
)
def test_cut_short_the_old_store_answers_and_the_new_one_is_removed(world, error):
    world.sync(*world.upserts("a"), COMPLETE)
    old, place = world.store, Place(world)

    def fail():
        world.embedder.is_down = True
        raise error

    with pytest.raises(type(error)):
        run(world, place, fail)
    assert world.store is old
    assert len(place.discarded) == 1
    world.source.refresh_from_db()
    assert world.source.lease_token is None


def test_it_can_be_cancelled(world):
    world.sync(*world.upserts("a"), COMPLETE)
    place = Place(world)
    with pytest.raises(Cancelled):
        run(world, place, should_stop=lambda: True)
    assert len(place.discarded) == 1


def test_a_store_whose_swap_breaks_is_never_discarded(world):
    world.sync(*world.upserts("a"), COMPLETE)
    place = Place(world)

    def fail():
        raise StoreError("Gone in the middle.")

    place.before_swap = fail
    with pytest.raises(StoreError):
        run(world, place)
    assert place.discarded == []
    world.source.refresh_from_db()
    assert world.source.lease_token is None
