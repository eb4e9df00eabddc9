"""One worker a source: refusal, takeover, fencing, cancelling, Ctrl-C."""

import subprocess
import sys
import threading
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from connectors import syncing_batch, syncing_run
from connectors.base import Checkpoint
from connectors.errors import AlreadySyncing, LeaseLost
from connectors.models import Document, Source, SyncRun
from connectors.syncing_lease import LEASE, acquire, is_dead, this_process
from tests.connectors.worlds import Scripted, issues, upsert

State = SyncRun.State


def now():
    return timezone.now()


def take_over(world):
    """Do what another worker does that finds the lease expired."""
    later = timezone.now() + LEASE + timedelta(seconds=1)
    return acquire(world.source, lambda: later)


def test_a_second_worker_is_refused_and_told_since_when(world):
    _, run = acquire(world.source, now)
    with pytest.raises(
        AlreadySyncing, match=rf"already syncing since 20.*run {run.pk}"
    ):
        world.sync(*world.upserts("a"))
    assert SyncRun.objects.count() == 1
    assert world.states() == {}


def test_two_syncs_at_once_are_one_run_and_one_refusal(world):
    refused = []

    def second():
        with pytest.raises(AlreadySyncing) as caught:
            world.sync(*world.upserts("b"))
        refused.append(caught.value)

    run = world.sync(*world.upserts("a"), second)
    assert len(refused) == 1
    assert run.state == State.SUCCEEDED
    assert world.states() == {"a": "indexed"}


def test_a_finished_run_gives_the_lease_back(world):
    world.sync(*world.upserts("a"))
    assert world.source.lease_token is None
    assert world.source.lease_holder == ""
    assert world.sync(*world.upserts("b")).state == State.SUCCEEDED


def test_an_expired_lease_is_taken_over_and_its_run_marked(world):
    _, old = acquire(world.source, lambda: timezone.now() - 2 * LEASE)
    run = world.sync(*world.upserts("a"))
    old.refresh_from_db()
    assert (run.state, old.state) == (State.SUCCEEDED, State.INTERRUPTED)
    assert old.finished_at is not None


def test_a_dead_process_is_not_waited_for(world):
    code = "from connectors.syncing_lease import this_process; print(this_process())"
    setup = "import os, django; os.environ['DJANGO_SETTINGS_MODULE'] = 'tests.settings'; django.setup(); "
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", setup + code],
        capture_output=True,
        text=True,
        check=True,
    )
    holder = done.stdout.strip()
    acquire(world.source, now)
    with pytest.raises(AlreadySyncing):
        world.sync(*world.upserts("a"))
    Source.objects.update(lease_holder=holder)
    assert world.sync(*world.upserts("a")).state == State.SUCCEEDED


def test_only_a_certainly_dead_process_counts_as_dead():
    me = this_process()
    host, boot, namespace, pid, started = me.split("/")
    assert not is_dead(me)
    assert is_dead("/".join([host, boot, namespace, pid, "1"]))
    assert is_dead("/".join([host, "another-boot", namespace, pid, started]))
    assert not is_dead("/".join(["other-host", boot, namespace, pid, "1"]))
    assert not is_dead("/".join([host, boot, "pid:[1]", pid, "1"]))
    assert not is_dead("/".join([host, "?", namespace, pid, "1"]))


def test_a_worker_that_lost_its_lease_writes_nothing_more(world):
    other = []
    changes = [*world.upserts("a"), Checkpoint({"at": 9})]
    run = world.sync(
        *changes, lambda: other.append(take_over(world)), *world.upserts("b")
    )
    assert run.state == State.INTERRUPTED
    assert world.states() == {}
    assert world.store.held == {}
    assert world.source.cursor == {"at": 0}
    lease, new = other[0]
    assert world.source.lease_token == lease.token
    assert (new.state, issues(run)) == (State.RUNNING, [])


def test_a_worker_that_lost_its_lease_while_embedding_stops_before_the_store(
    world, monkeypatch
):
    monkeypatch.setattr("connectors.syncing_lease.RENEW_EVERY", timedelta(0))
    real = world.embedder.embed_documents

    def slow(texts, *, on_progress=None):
        take_over(world)
        return real(texts, on_progress=on_progress)

    world.embedder.embed_documents = slow
    run = world.sync(*world.upserts("a"))
    assert run.state == State.INTERRUPTED
    assert world.store.held == {}
    assert world.row("a").needs_repair


def test_a_store_write_after_the_lease_was_lost_is_repaired(world):
    real = world.store.replace_document

    def slow(*arguments):
        take_over(world)
        # The new worker wrote the same document, and said so.
        Document.objects.update(needs_repair=False)
        real(*arguments)

    world.store.replace_document = slow
    run = world.sync(*world.upserts("a"))
    assert run.state == State.INTERRUPTED
    assert world.row("a").needs_repair


def test_every_batch_renews_the_lease(world, monkeypatch):
    monkeypatch.setattr(syncing_batch, "BATCH_DOCUMENTS", 1)
    seen = []

    def look():
        seen.append(Source.objects.get(id=world.source.id).lease_until)

    world.sync(look, *world.upserts("a"), look, *world.upserts("b"), look)
    assert seen[0] < seen[1] < seen[2]


def test_a_fence_fails_for_any_other_token(world):
    lease, _ = acquire(world.source, now)
    lease.token = uuid.uuid4()
    with pytest.raises(LeaseLost), lease.transaction(reason="written"):
        pass
    world.source.refresh_from_db()
    assert world.source.reason == ""


def test_a_request_to_cancel_is_honoured_between_batches(world, monkeypatch):
    monkeypatch.setattr(syncing_batch, "BATCH_DOCUMENTS", 2)

    def ask():
        SyncRun.objects.update(cancel_requested=True)

    run = world.sync(*world.upserts("a"), ask, *world.upserts("b", "c", "d"))
    assert run.state == State.CANCELLED
    assert set(world.store.texts()) == {"a", "b"}
    assert world.states() == {"a": "indexed", "b": "indexed"}
    assert world.source.lease_token is None
    assert world.sync(*world.upserts("a", "b", "c", "d")).counts["unchanged"] == 2


def test_a_stopping_server_cancels_a_run_that_reads_only(world, monkeypatch):
    monkeypatch.setattr(syncing_run, "BREATHE_EVERY_S", 0)
    stop = threading.Event()
    run = world.sync(
        *world.upserts("a"), stop.set, *world.upserts("b"), should_stop=stop.is_set
    )
    assert run.state == State.CANCELLED


@pytest.mark.parametrize("where", ["reading", "embedding", "storing", "concluding"])
def test_ctrl_c_anywhere_leaves_a_cancelled_run_and_nothing_half(
    world, where, monkeypatch
):
    world.sync(*world.upserts("a"))

    def interrupt(*_arguments, **_more):
        raise KeyboardInterrupt

    changes = [upsert(world.source, "a", "New."), *world.upserts("b")]
    with monkeypatch.context() as patched:
        if where == "reading":
            changes.insert(1, interrupt)
        elif where == "embedding":
            patched.setattr(world.embedder, "embed_documents", interrupt)
        elif where == "storing":
            patched.setattr(world.store, "replace_documents", interrupt)
        else:
            patched.setattr(syncing_batch, "finish", interrupt)
        run = world.sync(*changes)
    assert run.state == State.CANCELLED
    assert world.source.lease_token is None
    again = [upsert(world.source, "a", "New."), *world.upserts("b")]
    assert world.sync(connector=Scripted(*again)).state == State.SUCCEEDED
    assert world.store.texts() == {"a": "New.", "b": "Some text."}
    assert not Document.objects.filter(needs_repair=True).exists()


def test_the_live_counts_are_saved_with_every_batch(world, monkeypatch):
    monkeypatch.setattr(syncing_batch, "BATCH_DOCUMENTS", 1)
    seen = []

    def look():
        run = SyncRun.objects.get()
        seen.append((run.counts.get("indexed", 0), run.stage))

    world.sync(*world.upserts("a"), look, *world.upserts("b"), look)
    assert seen == [(1, "read"), (2, "read")]


def test_old_runs_are_forgotten_with_their_issues(world, monkeypatch):
    monkeypatch.setattr(syncing_run, "KEEP_RUNS", 2)
    for _ in range(4):
        world.sync(Checkpoint({"at": 1}))
    assert world.source.runs.count() == 2


def test_an_unchanged_run_asks_as_few_questions_for_900_documents_as_for_9(
    world, django_assert_max_num_queries
):
    from connectors.base import Unchanged

    names = [f"d{number}" for number in range(900)]
    world.sync(*world.upserts(*names))
    with django_assert_max_num_queries(40):
        world.sync(*(Unchanged(name, "1") for name in names))


def test_a_wish_that_a_run_has_granted_since_gives_no_second_one(world):
    wanted = now()
    world.sync(*world.upserts("a"), wanted_since=wanted)
    with pytest.raises(AlreadySyncing, match="meanwhile"):
        world.sync(*world.upserts("a"), wanted_since=wanted)
    assert world.source.lease_token is None
    world.sync(*world.upserts("a"), wanted_since=now())
    assert SyncRun.objects.count() == 2
