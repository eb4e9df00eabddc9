"""No clock and no zone hides a change: the change logs know places, not times."""

from datetime import UTC, datetime, timedelta

import pytest

from connectors.google_drive.values import file_of

pytestmark = pytest.mark.integration

ADA = "ada@example.com"

#: Long ago, in the hour that comes twice where clocks go back, and far ahead of ours.
TIMES = [
    datetime(2001, 1, 1, tzinfo=UTC),
    datetime(2026, 10, 25, 0, 59, 59, 999000, tzinfo=UTC),
    datetime(2099, 1, 1, tzinfo=UTC),
]


@pytest.mark.parametrize("now", TIMES, ids=[f"{t:%Y}" for t in TIMES])
def test_google_s_clock_may_be_any(drive, team, now):
    drive.space.now = now
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.sync()
    for number in range(3):
        drive.space.pass_time(1800)
        drive.space.edit(item, data=f"Newer {number}.")
        drive.sync()
        assert f"Newer {number}." in drive.text(item)
    assert drive.row(item.id).updated_at == item.modified


def test_two_changes_in_the_same_tick_are_both_seen(drive, team):
    items = [drive.space.add(f"{n}.txt", drive=team, data="Text.") for n in range(2)]
    drive.sync()
    for item in items:
        drive.space.edit(item, data="Newer.")
    drive.server.largest_page = 1
    drive.sync()
    assert all("Newer" in drive.text(item) for item in items)


def test_a_file_that_gets_older_is_read_again(drive, team):
    """An upload may keep the time that the file had on somebody's disk."""
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.sync()
    drive.space.edit(item, data="From the old disk.")
    item.modified -= timedelta(days=900)
    drive.sync()
    assert "old disk" in drive.text(item)


def test_content_that_changes_within_a_tick_of_the_last_reading_is_read_again(
    drive, team
):
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.sync()
    drive.space.edit(item, data="Newer.")
    assert drive.row(item.id).updated_at == item.modified
    drive.sync()
    assert "Newer" in drive.text(item)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-03-02T12:00:00.000Z", datetime(2026, 3, 2, 12, tzinfo=UTC)),
        ("2026-03-02T21:00:00.000+09:00", datetime(2026, 3, 2, 12, tzinfo=UTC)),
        ("2026-03-02T07:00:00-05:00", datetime(2026, 3, 2, 12, tzinfo=UTC)),
        ("", None),
        ("yesterday", None),
    ],
)
def test_times_are_read_with_their_zone(text, expected):
    assert file_of({"id": "x", "modifiedTime": text}).updated_at == expected
