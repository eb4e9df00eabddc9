"""A run: what it indexes, rewrites, hides and deletes, and what it tells."""

from datetime import UTC, datetime

import pytest
from django.db import OperationalError

from connectors.base import (
    Checkpoint,
    Delete,
    Failed,
    Notice,
    Skipped,
    Total,
    Unchanged,
    Upsert,
)
from connectors.errors import (
    ConnectorError,
    IncompleteListing,
    PermanentError,
    SourceMissing,
)
from connectors.models import AccessRule, Document, Source, SyncRun
from memory.access import NOBODY_RULE, Principal, Status
from memory.access import AccessRule as Rule
from tests.connectors.worlds import (
    COMPLETE,
    Scripted,
    document,
    issues,
    upsert,
)

State = Document.State


def test_a_new_document_is_in_sql_and_in_the_store(world):
    run = world.sync(*world.upserts("a"))
    row = world.row("a")
    assert run.state == SyncRun.State.SUCCEEDED
    assert (row.state, row.needs_repair, row.chunk_count) == (State.INDEXED, False, 1)
    assert row.indexed_at is not None
    assert world.store.texts() == {"a": "Some text."}
    assert run.counts["indexed"] == run.counts["seen"] == 1
    assert run.counts["chunks_embedded"] == 1
    properties = world.store.held[row.id][0]
    assert (properties.access_rule, properties.source_name) == (row.rule_id, "Wiki")


def test_an_upsert_with_the_same_text_touches_no_store(world):
    world.sync(*world.upserts("a"))
    world.store.calls.clear()
    run = world.sync(*world.upserts("a", mark="2"))
    assert world.store.calls == []
    assert run.counts["unchanged"] == 1
    assert world.row("a").mark == "2"
    assert world.row("a").chunk_count == 1


def test_a_rule_that_changes_for_all_is_one_write_to_the_store(world):
    world.sync(*world.upserts("a", "b", "c"))
    world.store.calls.clear()
    run = world.sync(*world.upserts("a", "b", "c", rule=NOBODY_RULE))
    assert run.counts["properties_only"] == 3
    assert world.store.did("set_many") == 1
    assert world.store.did("replace") == 0
    rules = {held[0].access_rule for held in world.store.held.values()}
    assert rules == {NOBODY_RULE.id}


def test_a_document_whose_properties_are_refused_fails_alone(world):
    world.sync(*world.upserts("a", "b"))
    world.store.refused.add(world.row("a").id)
    run = world.sync(*world.upserts("a", "b", rule=NOBODY_RULE))
    assert run.state == SyncRun.State.SUCCEEDED
    assert world.states() == {"a": State.FAILED, "b": State.INDEXED}
    assert run.counts["properties_only"] == 1
    assert set(world.store.texts()) == {"b"}


def test_a_changed_text_is_built_again(world):
    world.sync(*world.upserts("a"))
    run = world.sync(*world.upserts("a", text="Other text."))
    assert world.store.texts() == {"a": "Other text."}
    assert run.counts["indexed"] == 1


@pytest.mark.parametrize(
    "fields",
    [
        {"rule": NOBODY_RULE},
        {"status": Status.ARCHIVED},
        {"url": "https://wiki.example/a"},
        {"updated_at": datetime(2026, 1, 2, tzinfo=UTC)},
    ],
)
def test_what_is_beside_the_text_is_rewritten_without_embedding(world, fields):
    world.sync(*world.upserts("a"))
    embedded = world.embedder.embedded
    run = world.sync(*world.upserts("a", **fields))
    assert world.embedder.embedded == embedded
    assert run.counts["properties_only"] == 1
    row = world.row("a")
    stored = world.store.held[row.id][0]
    assert (stored.access_rule, stored.status, stored.url, stored.updated_at) == (
        row.rule_id,
        row.status,
        row.url,
        row.updated_at,
    )
    assert not row.needs_repair


def test_another_title_is_embedded_again(world):
    world.sync(*world.upserts("a"))
    run = world.sync(*world.upserts("a", title="A better title"))
    assert run.counts["chunks_embedded"] == 1
    assert world.row("a").title == "A better title"


def test_an_unchanged_document_may_have_another_rule(world):
    world.sync(*world.upserts("a"))
    rule = Rule.of([Principal("group:x:1")])
    run = world.sync(Unchanged("a", "1", rule))
    row = world.row("a")
    assert row.rule_id == rule.id
    assert world.store.held[row.id][0].tokens == {"group:x:1"}
    assert run.counts["properties_only"] == 1
    assert row.content is not None
    assert AccessRule.objects.get(id=rule.id).as_value() == rule


def test_an_unchanged_document_with_a_new_mark_has_only_that_written(world):
    world.sync(*world.upserts("a"))
    world.store.calls.clear()
    run = world.sync(Unchanged("a", "2"))
    assert world.row("a").mark == "2"
    assert world.row("a").state == State.INDEXED
    assert run.counts["unchanged"] == 1
    assert world.store.calls == []


@pytest.mark.parametrize(
    ("change", "state"),
    [
        (Failed("a", "", "unreadable", "It can't be read."), State.FAILED),
        (Skipped("a", "", "too_large", "It's too large."), State.SKIPPED),
    ],
)
def test_what_fails_or_is_skipped_leaves_the_store_and_keeps_its_reason(
    world, change, state
):
    world.sync(*world.upserts("a"))
    world.sync(change)
    row = world.row("a")
    assert (row.state, row.reason, row.message) == (
        state,
        change.reason,
        change.message,
    )
    assert (row.content, row.mark, row.needs_repair) == (None, "", False)
    assert row.title == "a"
    assert world.store.held == {}


def test_a_failed_document_is_read_again_and_comes_back(world):
    world.sync(*world.upserts("a"))
    world.sync(Failed("a", "", "unreadable", "It can't be read."))
    run = world.sync(*world.upserts("a"))
    assert world.states() == {"a": State.INDEXED}
    assert world.store.texts() == {"a": "Some text."}
    assert (world.row("a").reason, run.counts["indexed"]) == ("", 1)


def test_a_deleted_document_leaves_and_its_row_says_so(world):
    world.sync(*world.upserts("a", "b"))
    run = world.sync(Delete("a"), Delete("never seen"))
    assert world.states() == {"a": State.REMOVED, "b": State.INDEXED}
    assert world.row("a").content is None
    assert set(world.store.texts()) == {"b"}
    assert run.counts["deleted"] == 1


def test_a_deleted_document_may_come_back(world):
    world.sync(*world.upserts("a"))
    world.sync(Delete("a"))
    world.sync(*world.upserts("a"))
    assert world.store.texts() == {"a": "Some text."}


def test_a_repeated_skip_is_told_once(world):
    skip = Skipped("a.png", "", "unsupported", "Pictures aren't read.")
    first, second = world.sync(skip), world.sync(skip)
    assert issues(first) == [("notice", "a.png", "unsupported")]
    assert issues(second) == []
    assert second.counts["skipped"] == 1
    other = Skipped("a.png", "", "too_large", "It's too large.")
    assert issues(world.sync(other)) == [("notice", "a.png", "too_large")]


def test_a_failure_is_told_by_every_run(world):
    failure = Failed("a", "https://x/a", "damaged", "It's damaged.")
    world.sync(failure)
    run = world.sync(failure)
    assert issues(run) == [("error", "a", "damaged")]
    assert run.issues.get().url == "https://x/a"


def test_warnings_and_empty_texts_are_told_with_the_name(world):
    change = Upsert(
        document(world.source, "a", ""), NOBODY_RULE, "1", [("odd", "Odd bytes.")]
    )
    run = world.sync(change)
    assert issues(run) == [("warning", "a", "odd"), ("warning", "a", "no_text")]
    assert world.row("a").warnings == [["odd", "Odd bytes."]]


def test_total_and_notices_are_on_the_run(world):
    run = world.sync(Total(7), Notice("Rate limited.", "slow"))
    assert run.total == 7
    assert issues(run) == [("notice", "", "slow")]


def test_the_cursor_is_saved_with_its_batch_and_handed_back(world):
    world.sync(*world.upserts("a"), Checkpoint({"at": 3}))
    assert world.source.cursor == {"at": 3}
    connector = Scripted(Checkpoint({"at": 4}))
    world.sync(connector=connector)
    assert connector.since == {"at": 3}
    assert world.source.cursor == {"at": 4}


def test_one_document_that_the_store_refuses_fails_alone(world):
    changes = world.upserts("a", "b", "c")
    world.store.refused.add(changes[1].document.id)
    run = world.sync(*changes)
    assert run.state == SyncRun.State.SUCCEEDED
    assert world.states() == {
        "a": State.INDEXED,
        "b": State.FAILED,
        "c": State.INDEXED,
    }
    assert ("error", "b", "not_indexed") in issues(run)
    assert world.row("b").message == "The store refused it."
    assert (run.counts["indexed"], run.counts["failed"]) == (2, 1)


def test_one_document_that_the_encoder_refuses_fails_alone(world):
    world.embedder.bad = "poison"
    poison = upsert(world.source, "b", "This is poison.")
    run = world.sync(*world.upserts("a"), poison, *world.upserts("c"))
    assert run.state == SyncRun.State.SUCCEEDED
    assert world.states()["b"] == State.FAILED
    assert set(world.store.texts()) == {"a", "c"}


def test_a_document_that_cannot_be_rebuilt_is_hidden(world):
    world.sync(*world.upserts("a"))
    world.embedder.bad = "poison"
    world.sync(upsert(world.source, "a", "This is poison."))
    assert world.store.held == {}
    row = world.row("a")
    assert (row.state, row.content, row.mark) == (State.FAILED, None, "")
    assert Document.objects.filter(content__isnull=True).count() == 1


@pytest.mark.parametrize("part", ["store", "embedder"])
def test_a_part_that_is_down_ends_the_run_and_the_next_one_repairs(world, part):
    world.sync(*world.upserts("a"))
    getattr(world, part).is_down = True
    run = world.sync(upsert(world.source, "a", "New text."), *world.upserts("b"))
    assert run.state == SyncRun.State.FAILED
    assert world.states() == {"a": State.INDEXED, "b": State.INDEXED}
    assert world.source.documents.filter(needs_repair=True).count() == 2
    assert world.store.texts() == {"a": "Some text."}
    getattr(world, part).is_down = False
    run = world.sync(Total(0))
    assert run.counts["repaired"] == 2
    assert world.store.texts() == {"a": "New text.", "b": "Some text."}
    assert not world.source.documents.filter(needs_repair=True).exists()


def test_what_was_read_before_a_connector_fails_is_kept(world):
    run = world.sync(*world.upserts("a"), ConnectorError("The wiki is down."))
    assert (run.state, run.message) == (SyncRun.State.FAILED, "The wiki is down.")
    assert world.store.texts() == {"a": "Some text."}
    assert world.source.state == Source.State.ACTIVE
    assert world.source.lease_token is None


def test_an_unexpected_error_ends_the_run_without_its_text_on_the_page(world):
    run = world.sync(RuntimeError("the secret"))
    assert run.state == SyncRun.State.FAILED
    assert "RuntimeError" in run.message
    assert "secret" not in run.message


def test_a_full_disk_ends_the_run_and_is_named(world):
    world.sync(*world.upserts("a"))
    run = world.sync(OperationalError("database or disk is full"))
    assert run.state == SyncRun.State.FAILED
    assert "database or disk is full" in run.message
    assert "doctor" in run.message
    assert world.store.texts() == {"a": "Some text."}


def test_a_permanent_error_pauses_the_source(world):
    run = world.sync(PermanentError("The token was withdrawn."))
    assert run.state == SyncRun.State.FAILED
    assert world.source.state == Source.State.PAUSED
    assert world.source.reason == "The token was withdrawn."


def test_a_missing_source_holds_the_run_and_deletes_nothing(world):
    world.sync(*world.upserts("a"))
    run = world.sync(SourceMissing("It's not there."))
    assert (run.state, run.message) == (SyncRun.State.HELD, "It's not there.")
    assert world.states() == {"a": State.INDEXED}
    assert world.source.reason == "It's not there."
    world.sync(Unchanged("a", "1"))
    assert (world.source.state, world.source.reason) == (Source.State.ACTIVE, "")


def test_a_first_run_is_pruned_by_the_listing_unless_its_end_was_missed(world):
    world.sync(*world.upserts("a", "b"))
    Source.objects.update(cursor=None)
    cut = Scripted(Unchanged("a", "1"), listing=["a", IncompleteListing("Cut short.")])
    run = world.sync(connector=cut)
    assert world.states() == {"a": State.INDEXED, "b": State.INDEXED}
    assert run.incomplete
    assert ("warning", "", "incomplete_listing") in issues(run)
    world.sync(connector=Scripted(Unchanged("a", "1"), listing=["a"]))
    assert world.states() == {"a": State.INDEXED, "b": State.REMOVED}


def test_an_incremental_run_deletes_nothing_that_it_did_not_see(world):
    world.sync(*world.upserts("a", "b"), Checkpoint({"at": 1}))
    world.sync(connector=Scripted(Unchanged("a", "1"), listing=["a"]))
    assert world.states() == {"a": State.INDEXED, "b": State.INDEXED}


def test_a_part_that_was_not_seen_is_not_deleted(world):
    world.sync(*world.upserts("a/1", "a/2", "b"))
    hidden = Notice("a is closed.", "closed", incomplete=True, external_prefix="a/")
    run = world.sync(hidden, COMPLETE)
    assert world.states() == {
        "a/1": State.INDEXED,
        "a/2": State.INDEXED,
        "b": State.REMOVED,
    }
    assert (run.state, run.incomplete) == (SyncRun.State.SUCCEEDED, True)
    assert "nothing there was deleted" in run.message


def test_a_document_of_two_changes_in_one_batch_has_the_last_one(world):
    world.sync(*world.upserts("a"), *world.upserts("a", text="Second."))
    assert world.store.texts() == {"a": "Second."}


def test_text_that_a_database_refuses_is_stored_all_the_same(world):
    world.sync(*world.upserts("n\x00", text="a\x00b \ud800"))
    assert world.store.texts() == {"n\ufffd": "a\ufffdb \ufffd"}
    run = world.sync(*world.upserts("n\x00", text="a\x00b \ud800"), COMPLETE)
    assert "deleted" not in run.counts


def test_progress_is_told_at_every_document(world):
    seen = []
    world.sync(
        Total(2),
        *world.upserts("a", "b"),
        on_progress=lambda at: seen.append((at.stage, at.seen, at.total)),
    )
    assert ("read", 1, 2) in seen
    assert ("read", 2, 2) in seen


def test_an_issue_s_address_is_storable(world):
    failed = Failed("a", "https://wiki.example/\x00\ud800", "odd", "It's \x00 odd.")
    [issue] = world.sync(failed).issues.all()
    assert issue.url == "https://wiki.example/\ufffd\ufffd"
    assert issue.message == "It's \ufffd odd."
