"""Whatever the account's, the server's or our clock says, no edit is missed.

FIELD rows C20 and C21: CQL reads times in a zone that it doesn't tell, by the minute.
"""

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest

from connectors.base import Checkpoint
from connectors.confluence.cursors import Position
from tests.connectors.confluence.worlds import KnownMarks, Nothing

pytestmark = pytest.mark.integration

ZONES = [
    timezone(timedelta(hours=9)),
    timezone(timedelta(hours=-5)),
    timezone(timedelta(hours=14)),
    timezone(timedelta(hours=-12)),
    ZoneInfo("Europe/Berlin"),
]


def cursor_of(site):
    return site.source.cursor


@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_an_edit_right_after_a_run_is_read_in_every_zone(site, zone):
    """C20: CQL reads times in a zone that nobody tells."""
    site.state.zone = zone
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.sync()
    site.state.edit(page, "<p>Thirty-two days.</p>")
    site.sync_recent()
    assert "Thirty-two days." in site.texts()["Leave"]


@pytest.mark.parametrize(
    "moment",
    [
        # Berlin's clocks: forward on 29 March, back on 25 October 2026.
        datetime(2026, 3, 29, 0, 30, tzinfo=UTC),
        datetime(2026, 10, 25, 0, 30, tzinfo=UTC),
        datetime(2026, 10, 25, 1, 30, tzinfo=UTC),
    ],
)
def test_a_change_of_daylight_saving_in_the_window_loses_nothing(site, moment):
    site.state.zone = ZoneInfo("Europe/Berlin")
    site.state.now = moment - timedelta(minutes=20)
    page = site.state.add("HR", "Leave", "<p>Version 0.</p>")
    site.sync()
    for version in range(1, 5):
        site.state.tick(minutes=20)
        site.state.edit(page, f"<p>Version {version}.</p>")
        site.sync_recent()
        assert f"Version {version}." in site.texts()["Leave"]


@pytest.mark.parametrize(
    "moment",
    [
        # New York's clocks: forward on 8 March, back on 1 November 2026.
        datetime(2026, 3, 8, 6, 30, tzinfo=UTC),
        datetime(2026, 11, 1, 5, 30, tzinfo=UTC),
    ],
)
def test_account_and_server_live_far_apart_while_the_clocks_change(site, moment):
    """C20: the account's zone is UTC+9, the server tells times in UTC−5."""
    site.state.zone = timezone(timedelta(hours=9))
    site.state.told_zone = ZoneInfo("America/New_York")
    site.state.now = moment - timedelta(minutes=50)
    page = site.state.add("HR", "Leave", "<p>Version 0.</p>")
    site.sync()
    for version in range(1, 7):
        site.state.tick(minutes=20)
        site.state.edit(page, f"<p>Version {version}.</p>")
        site.sync_recent()
        assert f"Version {version}." in site.texts()["Leave"]
        row = site.source.documents.get(external_id=page.id)
        assert row.updated_at == page.changed_at


def test_the_accounts_zone_may_be_changed_between_runs(site):
    site.state.zone = timezone(timedelta(hours=14))
    page = site.state.add("HR", "Leave", "<p>Version 0.</p>")
    site.sync()
    for version, hours in enumerate((-12, 9, -5, 14)):
        site.state.zone = timezone(timedelta(hours=hours))
        site.state.edit(page, f"<p>Version {version}.</p>")
        site.sync_recent()
        assert f"Version {version}." in site.texts()["Leave"]


@pytest.mark.parametrize("hours", [-30, 30])
def test_our_own_clock_may_be_wrong(site, hours):
    site.now += timedelta(hours=hours)
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.sync()
    site.state.edit(page, "<p>Thirty-two days.</p>")
    site.sync_recent()
    assert "Thirty-two days." in site.texts()["Leave"]


def test_a_clock_that_was_set_back_leads_to_a_whole_run(site):
    site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.sync()
    page = site.state.items[min(site.state.items)]
    site.state.archive(page)
    site.now -= timedelta(days=2)
    site.sync_recent()
    assert site.texts() == {}


def test_the_window_is_the_same_for_all_of_its_pages(site):
    """C21: the query is frozen; a cursor never meets another one."""
    site.server.most = 2
    pages = [site.state.add("HR", f"Page {n}", "<p>x</p>") for n in range(7)]
    site.sync()
    for page in pages:
        site.state.edit(page, "<p>Edited.</p>")
    site.server.asked.clear()
    site.sync_recent()
    queries = {
        asked.query["cql"]
        for asked in site.server.asked
        if "lastmodified" in asked.query.get("cql", "")
    }
    assert len(queries) == 1


@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_an_edit_that_the_index_shows_late_is_read(site, zone):
    """C20: the window overlaps, and versions tell what is new."""
    site.state.zone = zone
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    other = site.state.add("HR", "Travel", "<p>By train.</p>")
    site.sync()
    site.state.edit(page, "<p>Thirty-two days.</p>")
    site.state.unindexed.add(page.id)
    site.state.tick(minutes=5)
    site.state.edit(other, "<p>By bus.</p>")
    site.sync_recent()
    assert "By bus." in site.texts()["Travel"]
    site.state.unindexed.clear()
    site.sync_recent()
    assert "Thirty-two days." in site.texts()["Leave"]


def test_two_edits_in_one_minute_are_both_read(site):
    first = site.state.add("HR", "Leave", "<p>x</p>")
    second = site.state.add("HR", "Travel", "<p>x</p>")
    site.sync()
    site.state.edit(first, "<p>First.</p>")
    site.sync_recent()
    site.state.edit(second, "<p>Second.</p>")
    site.sync_recent()
    assert "First." in site.texts()["Leave"]
    assert "Second." in site.texts()["Travel"]


def test_what_is_listed_again_costs_no_embedding(site):
    for number in range(4):
        site.state.add("HR", f"Page {number}", "<p>x</p>")
    site.sync()
    embedded = site.embedder.embedded
    run = site.sync_recent()
    assert run.counts["unchanged"] == 4
    assert site.embedder.embedded == embedded


@pytest.mark.parametrize("zone", ZONES, ids=str)
def test_of_what_is_listed_again_only_the_last_half_hour_is_looked_at(site, zone):
    site.state.zone = zone
    old = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.state.tick(minutes=40)
    site.state.add("HR", "Travel", "<p>By train.</p>")
    site.sync()
    site.server.asked.clear()
    run = site.sync_recent()
    assert run.counts["unchanged"] == 1
    asked = [a for a in site.server.asked if old.id in str(a.query) + a.path]
    assert asked == []


def test_the_position_is_saved_with_every_group(site):
    pages = [site.state.add("HR", f"Page {n}", "<p>x</p>") for n in range(60)]
    site.sync()
    for page in pages:
        site.state.tick(minutes=1)
        site.state.edit(page, "<p>Edited.</p>")
    cursor = {**cursor_of(site), "whole_s": 9999.0}
    known = KnownMarks(site.source)
    changes = site.connector().changes(cursor, known)
    marks = [
        Position.of(change.cursor).since
        for change in changes
        if isinstance(change, Checkpoint)
    ]
    assert len(marks) == 3
    assert marks == sorted(marks)
    assert marks[-1] == pages[-1].changed_at
    # From the middle one, the rest is found and the first part isn't needed.
    resumed = site.connector().changes(
        {**cursor, "since": marks[1].isoformat()}, Nothing()
    )
    assert len(list(resumed)) > 10


@pytest.mark.parametrize(
    "cursor", [{}, {"since": "never"}, {"since": 7, "whole_at": []}]
)
def test_a_cursor_that_cant_be_read_leads_to_a_whole_run(site, cursor):
    site.state.add("HR", "Leave", "<p>x</p>")
    found = list(site.connector().changes(cursor, Nothing()))
    assert isinstance(found[-1], Checkpoint)


def test_other_options_lead_to_a_whole_run(site):
    site.state.add_space("IT")
    site.state.add("IT", "Printers", "<p>x</p>")
    site.settings["spaces"] = ["HR"]
    site.state.add("HR", "Leave", "<p>x</p>")
    site.sync()
    site.settings["spaces"] = ["HR", "IT"]
    site.sync_recent()
    assert sorted(site.texts()) == ["Leave", "Printers"]
