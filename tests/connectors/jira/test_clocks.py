"""Windows by the site's clock, whatever zone anybody lives in (C34, C35)."""

from datetime import UTC, datetime

import pytest

from connectors.base import Checkpoint, Upsert
from connectors.jira.cursor import OVERLAP_MS
from tests.vendors.jira.jql import parsed

pytestmark = pytest.mark.integration

ZONES = [
    ("UTC", "UTC"),
    ("Asia/Tokyo", "America/Bogota"),  # UTC+9 and UTC-5, neither with summer time
    ("America/New_York", "Europe/Berlin"),
    ("Pacific/Kiritimati", "Pacific/Pago_Pago"),
]


def at(*moment):
    return int(datetime(*moment, tzinfo=UTC).timestamp() * 1000)


def cursor_of(changes):
    return [c for c in changes if isinstance(c, Checkpoint)][-1].cursor


def read(changes):
    return {c.document.external_id for c in changes if isinstance(c, Upsert)}


@pytest.mark.parametrize(("account", "server"), ZONES)
def test_no_zone_hides_a_change(jira, ops, account, server):
    """C34: whatever zone the account and the server live in."""
    jira.server.set_zones(account=account, server=server)
    issue = jira.site.create(ops, "It", description=jira.body("version 0"))
    jira.sync()
    for version in range(1, 6):
        jira.site.pass_time(40 * 60)
        words = f"version {version}"
        jira.site.edit(issue, description=jira.body(words))
        jira.site.pass_time(60)
        jira.sync()
        assert words in jira.text(issue)
    row = jira.row(f"issue/{issue.id}")
    assert int(row.updated_at.timestamp() * 1000) == issue.updated


@pytest.mark.parametrize(
    "start",
    [
        at(2026, 3, 8, 5, 0),  # New York's clocks go forward at 7:00 UTC
        at(2026, 3, 29, 0, 30),  # Berlin's at 1:00
        at(2026, 10, 25, 0, 30),  # Berlin's go back at 1:00
        at(2026, 11, 1, 4, 30),  # New York's at 6:00
    ],
)
def test_a_change_of_clocks_in_the_window_hides_nothing(jira, ops, start):
    jira.server.set_zones(account="America/New_York", server="Europe/Berlin")
    jira.site.now = start
    issues = [jira.site.create(ops, f"Issue {n}") for n in range(3)]
    jira.sync()
    for step in range(10):
        jira.site.pass_time(30 * 60)
        issue = issues[step % 3]
        jira.site.edit(issue, description=jira.body(f"step {step}"))
        jira.sync()
        assert f"step {step}" in jira.text(issue)


def test_a_time_in_quotes_would_be_read_in_the_account_s_zone(cloud, ops):
    """Show that the server has the trap that the connector avoids."""
    cloud.server.set_zones(account="Asia/Tokyo", server="America/Bogota")
    issue = cloud.site.create(ops, "It")
    utc = datetime.fromtimestamp(cloud.site.now / 1000 - 60, UTC)
    zone = cloud.server.payloads.account_zone
    naive = parsed(f'updated >= "{utc:%Y-%m-%d %H:%M}"', cloud.site, zone)
    assert naive(issue)
    behind = cloud.server.payloads.server_zone
    assert not parsed(f'updated >= "{utc:%Y-%m-%d %H:%M}"', cloud.site, behind)(issue)
    cloud.changes()
    asked = [a.json()["jql"] for a in cloud.server.asked if a.method == "POST"]
    assert all('"' not in jql for jql in asked)


def test_the_window_is_in_epoch_milliseconds_and_has_no_end(jira, ops):
    """C34: no text that a zone could change, and no upper bound."""
    jira.site.create(ops, "It")
    cursor = cursor_of(jira.changes())
    assert cursor["updated_from"] == jira.site.now - OVERLAP_MS
    assert cursor["again"] == []
    jira.server.asked.clear()
    jira.changes(cursor)
    [asked] = [a.json()["jql"] for a in jira.server.asked if a.method == "POST"]
    assert asked == f"updated >= {cursor['updated_from']} ORDER BY key ASC"


def test_the_next_window_begins_before_the_run_not_after_it(jira, ops):
    """C21, C35: fixed before the first page."""
    jira.server.largest_page = 2
    issues = [jira.site.create(ops, f"Issue {n}") for n in range(6)]
    began = jira.site.now

    def later(number):
        jira.site.pass_time(3600)
        if number == 3:
            jira.site.edit(issues[0], summary="Edited meanwhile")

    jira.server.before_page = later
    cursor = cursor_of(jira.changes())
    assert cursor["updated_from"] == began - OVERLAP_MS
    jira.server.before_page = None
    assert f"issue/{issues[0].id}" in read(jira.changes(cursor))


def test_a_run_that_goes_on_keeps_its_window(jira, ops):
    """C21: a token never meets another window."""
    jira.server.largest_page = 2
    for number in range(6):
        jira.site.create(ops, f"Issue {number}")
    changes = jira.changes()
    middle = next(c.cursor for c in changes if isinstance(c, Checkpoint))
    jira.site.pass_time(86_400)
    assert cursor_of(jira.changes(middle)) == cursor_of(changes)


def test_a_search_that_lags_loses_nothing(jira, ops):
    """C35: the window overlaps by more than a search lags."""
    jira.site.search_lag_ms = 5 * 60 * 1000
    issue = jira.site.create(ops, "Late")
    jira.sync()
    assert not jira.store.texts()
    for _ in range(4):
        jira.site.pass_time(120)
        jira.sync()
    assert jira.text(issue)
    jira.site.edit(issue, description=jira.body("late words"))
    for _ in range(4):
        jira.site.pass_time(120)
        jira.sync()
    assert "late words" in jira.text(issue)


def test_our_own_clock_is_never_asked(jira, ops):
    jira.site.now = at(2031, 1, 1, 0, 0)
    issue = jira.site.create(ops, "From the future")
    jira.sync()
    jira.site.pass_time(1)
    jira.site.edit(issue, description=jira.body("more"))
    jira.sync()
    assert "more" in jira.text(issue)


def test_what_is_read_twice_is_embedded_once(jira, ops):
    """C35: reading twice changes nothing."""
    for number in range(4):
        jira.site.create(ops, f"Issue {number}")
    jira.sync()
    embedded = jira.embedder.embedded
    jira.sync()
    assert jira.embedder.embedded == embedded
