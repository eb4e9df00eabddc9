"""Lists of three pages and more, short and empty ones, stale and repeated tokens (C38)."""

import pytest

from connectors.errors import IncompleteListing
from connectors.google_drive import files_api
from tests.connectors.google_drive.worlds import readers
from tests.connectors.worlds import issues
from tests.vendors.google.state import Grant

pytestmark = pytest.mark.integration

ADA = "ada@example.com"


def filled(drive, team, count=10):
    return [
        drive.space.add(f"{n}.txt", drive=team, data=f"Text {n}.") for n in range(count)
    ]


def ids(items):
    return {item.id for item in items}


def test_more_than_three_pages_are_read_to_their_end(drive, team):
    items = filled(drive, team)
    drive.server.largest_page = 3
    drive.sync()
    assert drive.ids() == ids(items)
    assert set(drive.connector().listing()) == ids(items)
    assert {id_ for id_, _ in drive.connector().access()} == ids(items)


def test_short_and_empty_pages_are_not_the_end(drive, team):
    items = filled(drive, team)
    drive.server.short_pages = [100, 2, 0, 1, 0, 3]
    drive.sync()
    assert drive.ids() == ids(items)


def test_all_shared_drives_are_seen_however_many_a_page_has(drive):
    """C38: without nextPageToken in the mask, ten drives are all there are."""
    drives = [
        drive.space.add_drive(f"D{n}", Grant("user", ADA, "organizer"))
        for n in range(25)
    ]
    items = [drive.space.add("A.txt", drive=d, data=d.name) for d in drives]
    drive.server.largest_page = 10
    drive.sync()
    assert drive.ids() == ids(items)


def test_every_mask_of_a_list_asks_for_the_token_of_the_next_page(drive, team):
    """C38: the server leaves out whatever a mask doesn't name, as Google does."""
    filled(drive, team)
    drive.space.add_group("g", ADA)
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.space.share(item, Grant("group", "g@example.com"))
    drive.sync()
    drive.space.edit(item, data="Newer.")
    drive.sync()
    list(drive.connector().memberships())
    lists = [
        asked
        for asked in drive.server.asked
        if asked.path.endswith(
            ("/files", "/drives", "/permissions", "/changes", "/members", "/users")
        )
    ]
    assert len({asked.path.rpartition("/")[2] for asked in lists}) == 6
    for asked in lists:
        assert "nextPageToken" in asked.query["fields"], asked.path


def test_changes_of_more_than_three_pages_are_read_to_their_end(drive, team):
    items = filled(drive, team)
    drive.sync()
    drive.server.largest_page = 3
    drive.space.pass_time(60)
    for number, item in enumerate(items):
        drive.space.edit(item, data=f"Newer {number}.")
    drive.sync()
    assert all("Newer" in drive.text(item) for item in items)
    asked = [a for a in drive.server.asked if a.path.endswith("/v3/changes")]
    assert len(asked) > 4


def test_a_run_that_was_stopped_goes_on_from_the_page_it_was_at(drive, team):
    items = filled(drive, team)
    drive.sync()
    drive.server.largest_page = 3
    for number, item in enumerate(items):
        drive.space.edit(item, data=f"Newer {number}.")
    drive.server.refuse(503, "/v3/changes", times=99, after=3)
    assert drive.sync().state == "failed"
    drive.server.faults.clear()
    drive.server.asked.clear()
    assert drive.sync().state == "succeeded"
    assert all("Newer" in drive.text(item) for item in items)
    tokens = [
        a.query["pageToken"]
        for a in drive.server.asked
        if a.path.endswith("/v3/changes")
    ]
    # The first token of the shared drive's log is behind.
    assert "11" not in tokens


def test_permissions_and_members_of_many_pages_are_read_to_their_end(drive, team):
    people = [drive.space.add_person(f"p{n}").email for n in range(9)]
    team.members += [Grant("user", person) for person in people[:5]]
    drive.space.add_group("g", *people[5:])
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.space.share(item, Grant("group", "g@example.com"))
    drive.server.largest_page = 2
    drive.sync()
    found = readers(drive, drive.row(item.id).rule.as_value())
    assert found == {"ada", "bob", *(f"p{n}" for n in range(9))}


def test_a_list_s_token_that_is_forgotten_begins_the_list_anew(drive, team):
    items = filled(drive, team)
    drive.server.largest_page = 3
    drive.server.forgets_tokens = 2
    drive.sync()
    assert drive.ids() == ids(items)


def test_tokens_that_are_always_forgotten_delete_nothing(drive, team):
    items = filled(drive, team)
    drive.sync()
    drive.server.largest_page = 3
    drive.server.forgets_tokens = 999
    with pytest.raises(IncompleteListing):
        list(drive.connector().listing())
    assert drive.sync_whole().state == "failed"
    assert drive.ids() == ids(items)


def test_a_token_that_comes_again_is_an_error_and_not_a_loop(drive, team):
    items = filled(drive, team)
    drive.sync()
    drive.server.largest_page = 2
    drive.server.repeats_tokens = True
    with pytest.raises(IncompleteListing):
        list(drive.connector().listing())
    for item in items:
        drive.space.edit(item, data="Newer.")
    assert drive.sync().state == "failed"
    assert drive.ids() == ids(items)


def test_a_search_that_google_did_not_finish_deletes_nothing(drive, team):
    items = filled(drive, team)
    drive.sync()
    drive.server.searches_incompletely = True
    with pytest.raises(IncompleteListing):
        list(drive.connector().listing())
    with pytest.raises(IncompleteListing):
        list(drive.connector().access())
    assert drive.sync_whole().state == "failed"
    assert drive.ids() == ids(items)


def test_a_change_log_that_forgot_its_place_is_followed_by_a_whole_pass(drive, team):
    items = filled(drive, team)
    drive.sync()
    drive.space.pass_time(60)
    drive.space.edit(items[0], data="Newer.")
    drive.space.delete(items[1])
    drive.source.cursor["tokens"][f"drive:{team.id}"] = "999999"
    drive.source.save()
    run = drive.sync()
    assert run.state == "succeeded"
    assert "Newer" in drive.text(items[0])
    assert items[1].id not in drive.ids()
    assert run.counts["unchanged"] == 8
    again = drive.sync()
    assert again.counts.get("seen", 0) == 0


@pytest.mark.parametrize(
    "cursor", [{}, {"tokens": 3}, {"folders": "!!", "tokens": {}}, {"again": "x"}]
)
def test_a_cursor_that_cannot_be_read_is_like_none(drive, team, cursor):
    items = filled(drive, team, 3)
    drive.sync()
    drive.source.cursor = cursor
    drive.source.save()
    run = drive.sync()
    assert run.counts["unchanged"] == 3
    assert drive.ids() == ids(items)


def test_many_folders_are_walked_through_in_several_requests(drive, team, monkeypatch):
    monkeypatch.setattr(files_api, "FOLDERS_AT_ONCE", 2)
    outer = drive.space.folder("Outer", drive=team)
    items = []
    for number in range(7):
        inner = drive.space.folder(f"F{number}", parent=outer)
        items.append(drive.space.add("A.txt", parent=inner, data=f"{number}"))
    drive.sync()
    drive.space.trash(outer)
    drive.sync()
    assert drive.ids() == set()
    drive.space.restore(outer)
    drive.sync()
    assert drive.ids() == ids(items)


def test_an_empty_answer_deletes_nothing_without_a_word(drive, team):
    """C52: rights that are lost look like a drive without files."""
    items = filled(drive, team, 30)
    drive.sync()
    space_items, drive.space.items = drive.space.items, {}
    run = drive.sync_whole()
    assert run.state == "held"
    assert "30 of 30 documents are missing" in run.message
    assert drive.ids() == ids(items)
    drive.space.items = space_items
    assert drive.sync_whole().state == "succeeded"
    assert issues(drive.sync()) == []


def test_a_walk_that_begins_anew_judges_each_file_once_more_and_no_more(drive, team):
    outer = drive.space.folder("Outer", drive=team)
    items = [drive.space.add(f"{n}.txt", parent=outer, data=f"{n}") for n in range(6)]
    drive.sync()
    drive.server.largest_page = 4
    drive.server.forgets_tokens = 0
    drive.space.trash(outer)
    drive.sync()
    assert drive.ids() == set()
    drive.space.restore(outer)
    drive.sync()
    assert drive.ids() == ids(items)
