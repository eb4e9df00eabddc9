"""A store that lost what SQL says is indexed: a run sees it and builds it again."""

from connectors.base import Unchanged
from connectors.models import SyncRun
from memory.errors import StoreError
from tests.connectors.worlds import COMPLETE, issues


def unchanged(*names):
    return [*(Unchanged(name, mark="1") for name in names), COMPLETE]


def test_a_deleted_store_is_built_again_from_the_texts_in_sql(world):
    world.sync(*world.upserts(*"abcdefgh"), COMPLETE)
    world.store.held.clear()
    run = world.sync(*unchanged(*"abcdefgh"))
    assert run.state == SyncRun.State.SUCCEEDED
    assert world.store.texts() == dict.fromkeys("abcdefgh", "Some text.")
    assert run.counts["repaired"] == 8
    assert "store_lost" in str(issues(run))
    again = world.sync(*unchanged(*"abcdefgh"))
    assert "store_lost" not in str(issues(again))
    assert "repaired" not in again.counts or again.counts["repaired"] == 0


def test_only_what_is_missing_is_built_again(world):
    world.sync(*world.upserts("a", "b"), COMPLETE)
    world.store.held.pop(world.row("a").id)
    run = world.sync(*unchanged("a", "b"))
    assert world.store.texts() == {"a": "Some text.", "b": "Some text."}
    assert run.counts["repaired"] == 1


def test_a_run_over_a_store_that_cannot_be_read_fails_with_its_reason(
    world, monkeypatch
):
    world.sync(*world.upserts("a"), COMPLETE)

    def refuse(_document_id):
        raise StoreError("The store refused.")

    monkeypatch.setattr(world.store, "embedded_hashes", refuse)
    run = world.sync(*unchanged("a"))
    assert (run.state, run.message) == (SyncRun.State.FAILED, "The store refused.")
