"""What is due, and syncing it in process."""

from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.models import Source, SyncRun
from connectors.syncing import due_sources, next_run_at, run_due
from connectors.syncing_lease import acquire
from tests.connectors.worlds import DictStore, index_of


def make(folder, name, **fields):
    return Source.objects.create(
        kind="files", name=name, options={"path": str(folder)}, **fields
    )


def synced(source, minutes_ago, state=SyncRun.State.SUCCEEDED):
    run = SyncRun.objects.create(source=source, state=state)
    started = timezone.now() - timedelta(minutes=minutes_ago)
    SyncRun.objects.filter(pk=run.pk).update(started_at=started)


@pytest.fixture
def _no_closing(monkeypatch):
    # The test's transaction lives in the connection.
    monkeypatch.setattr(
        "connectors.syncing_schedule.close_old_connections", lambda: None
    )


def test_sources_are_due_after_their_minutes_longest_first(db, folder):
    make(folder, "new")
    synced(make(folder, "fresh"), 5)
    synced(make(folder, "old"), 60)
    synced(make(folder, "older"), 90)
    synced(make(folder, "rare", sync_every_minutes=600), 90)
    synced(make(folder, "failed"), 20, SyncRun.State.FAILED)
    make(folder, "paused", state=Source.State.PAUSED)
    synced(make(folder, "held", state=Source.State.HELD), 30, SyncRun.State.HELD)
    names = [source.name for source in due_sources()]
    assert names == ["older", "old", "held", "failed", "new"]


def test_a_source_that_is_being_synced_is_not_due(db, folder):
    acquire(make(folder, "busy"), timezone.now)
    assert due_sources(timezone.now() + timedelta(minutes=1)) == []


def test_the_next_run_is_told_unless_a_source_is_paused(db, folder):
    source = make(folder, "a")
    started = timezone.now()
    assert next_run_at(source, started) == started + timedelta(minutes=15)
    assert next_run_at(source, None) == source.created_at
    source.state = Source.State.HELD
    assert next_run_at(source, started) == started + timedelta(minutes=15)
    source.state = Source.State.PAUSED
    assert next_run_at(source, started) is None


@pytest.mark.usefixtures("_no_closing")
def test_due_sources_are_synced_and_a_broken_one_stops_no_other(db, folder):
    (folder / "a.md").write_text("Text.")
    make(folder, "1 unknown option")
    Source.objects.update(options={"path": str(folder), "x": 1})
    make(folder, "2 works")
    store = DictStore()
    runs = run_due(lambda: index_of(store))
    assert [(run.source.name, run.state) for run in runs] == [("2 works", "succeeded")]
    assert set(store.texts()) == {"a.md"}
    broken = Source.objects.get(name="1 unknown option")
    assert broken.state == Source.State.PAUSED
    assert "“x”" in broken.reason
    assert run_due(lambda: index_of(store)) == []


@pytest.mark.usefixtures("_no_closing")
def test_a_store_that_cannot_be_opened_stops_no_scheduler(db, folder):
    make(folder, "a")

    def broken():
        raise RuntimeError

    assert run_due(broken) == []


@pytest.mark.usefixtures("_no_closing")
def test_a_stopping_server_starts_no_sync(db, folder):
    make(folder, "a")
    assert run_due(lambda: index_of(DictStore()), lambda: True) == []
    assert not SyncRun.objects.exists()


@pytest.mark.usefixtures("_no_closing")
def test_a_source_whose_mount_comes_back_heals_by_itself(db, folder):
    for number in range(30):
        (folder / f"{number}.md").write_text(f"Text {number}.")
    source = make(folder, "share", sync_every_minutes=1)
    store = DictStore()

    def run_when_due():
        SyncRun.objects.update(started_at=timezone.now() - timedelta(minutes=2))
        [run] = run_due(lambda: index_of(store))
        source.refresh_from_db()
        return run.state

    run_when_due()
    # An unmounted share is an empty folder.
    away = folder.rename(folder.with_name("away"))
    folder.mkdir()
    assert run_when_due() == SyncRun.State.HELD
    assert run_when_due() == SyncRun.State.HELD
    assert source.state == Source.State.HELD
    assert len(store.held) == 30
    folder.rmdir()
    away.rename(folder)
    assert run_when_due() == SyncRun.State.SUCCEEDED
    assert (source.state, source.reason) == (Source.State.ACTIVE, "")
    assert set(source.documents.values_list("state", flat=True)) == {"indexed"}


@pytest.mark.usefixtures("_no_closing")
def test_a_source_that_was_synced_since_it_was_found_due_is_left(
    db, folder, monkeypatch
):
    source = make(folder, "a")

    def found(_now):
        SyncRun.objects.create(source=source, state="succeeded")
        return [source]

    monkeypatch.setattr("connectors.syncing_schedule.due_sources", found)
    assert run_due(lambda: index_of(DictStore())) == []
