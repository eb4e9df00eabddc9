"""The guard against deleting what only seems to be gone."""

from uuid import UUID

import pytest

from connectors.base import Unchanged
from connectors.models import Document, Source, SyncRun
from connectors.syncing_known import KnownDocument
from connectors.syncing_prune import hold
from tests.connectors.worlds import COMPLETE, issues

State = Document.State


def names(count):
    return [f"d{number:03}" for number in range(count)]


def keep(world, kept, **control):
    """Sync with only these documents left at the source."""
    return world.sync(*(Unchanged(name, "1") for name in kept), COMPLETE, **control)


def test_a_few_deletions_are_done_at_once(world):
    world.sync(*world.upserts(*names(20)), COMPLETE)
    run = keep(world, [])
    assert run.state == SyncRun.State.SUCCEEDED
    assert set(world.states().values()) == {State.REMOVED}
    assert world.store.held == {}
    # One commit of the store, as each of a large folder's would take its time.
    assert world.store.did("delete_many") == 1


def test_many_deletions_of_a_large_source_are_done_at_once(world):
    world.sync(*world.upserts(*names(100)), COMPLETE)
    run = keep(world, names(100)[30:])
    assert run.counts["deleted"] == 30


@pytest.fixture
def held(world):
    world.sync(*world.upserts(*names(60)), COMPLETE)
    run = keep(world, names(60)[40:])
    return world, run


def test_too_many_deletions_are_held_and_go_on_answering(held):
    world, run = held
    assert run.state == SyncRun.State.HELD
    assert "40 of 60" in run.message
    assert "--approve-deletions" in run.message
    assert run.counts["held"] == 40
    assert list(world.states().values()).count(State.HELD) == 40
    assert len(world.store.held) == 60
    assert world.source.state == Source.State.HELD
    assert world.source.reason == run.message
    assert world.row("d000").content is not None
    assert ("warning", "", "run_held") in issues(run)


def test_a_held_source_that_is_whole_again_goes_on_by_itself(held):
    world, _ = held
    run = keep(world, names(60))
    assert run.state == SyncRun.State.SUCCEEDED
    assert set(world.states().values()) == {State.INDEXED}
    assert world.row("d000").reason == ""
    assert (world.source.state, world.source.reason) == (Source.State.ACTIVE, "")


def test_what_is_held_waits_however_small_its_share_becomes(held):
    world, _ = held
    more = [f"e{number:03}" for number in range(200)]
    world.sync(*world.upserts(*names(60)[40:], *more), COMPLETE)
    run = keep(world, [*names(60)[40:], *more])
    assert run.state == SyncRun.State.HELD
    assert list(world.states().values()).count(State.HELD) == 40
    assert world.source.state == Source.State.HELD


def test_approved_deletions_are_done(held):
    world, _ = held
    run = keep(world, names(60)[40:], approve_deletions=True)
    assert run.state == SyncRun.State.SUCCEEDED
    assert run.counts["deleted"] == 40
    assert len(world.store.held) == 20
    assert world.source.state == Source.State.ACTIVE


def test_an_approval_covers_no_more_than_what_was_held(held):
    world, _ = held
    world.sync(*world.upserts(*(f"e{n}" for n in range(30))))
    run = keep(world, [], approve_deletions=True)
    assert run.state == SyncRun.State.HELD
    assert run.counts["deleted"] == 40
    assert len(world.store.held) == 50


def test_documents_that_never_answered_do_not_hold_a_run(world):
    from connectors.base import Skipped

    skips = [Skipped(name, "", "unsupported", "No.") for name in names(50)]
    world.sync(*world.upserts("a"), *skips, COMPLETE)
    run = keep(world, ["a"])
    assert run.state == SyncRun.State.SUCCEEDED
    assert run.counts["deleted"] == 50


@pytest.mark.django_db
def test_a_hundred_thousand_documents_can_be_held(world):
    world.sync(*world.upserts("a"), COMPLETE)
    row = world.row("a")
    many = [
        KnownDocument(UUID(int=n), str(n), State.INDEXED, "", "", "", None)
        for n in range(100_000)
    ]
    many.append(KnownDocument(row.id, "a", State.INDEXED, "", "", "", None))
    hold(many)
    assert world.states() == {"a": State.HELD}
