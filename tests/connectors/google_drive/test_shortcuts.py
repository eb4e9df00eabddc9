"""Shortcuts: what they lead to is read once, as what it is and for its own readers."""

import pytest

from tests.connectors.google_drive.worlds import readers
from tests.vendors.google.state import Grant

pytestmark = pytest.mark.integration

ADA, BOB = "ada@example.com", "bob@example.com"


@pytest.fixture
def chosen(drive, team):
    """Return a folder, the only one that is read."""
    made = drive.space.folder("Chosen", drive=team)
    drive.extra["folders"] = [made.id]
    return made


def test_a_shortcut_to_a_file_that_is_read_anyway_makes_no_second_document(drive, team):
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.space.shortcut(item, drive=team)
    drive.sync()
    assert drive.ids() == {item.id}
    assert set(drive.connector().listing()) == {item.id}


def test_a_shortcut_leads_to_a_file_elsewhere_for_its_own_readers(drive, team, chosen):
    elsewhere = drive.space.add("B.txt", owner=ADA, data="Elsewhere.")
    drive.space.shortcut(elsewhere, parent=chosen)
    drive.sync()
    assert drive.ids() == {elsewhere.id}
    assert readers(drive, drive.row(elsewhere.id).rule.as_value()) == {"ada"}
    assert set(drive.connector().listing()) == {elsewhere.id}
    assert [id_ for id_, _ in drive.connector().access()] == [elsewhere.id]
    again = drive.sync_whole()
    assert again.counts.get("indexed", 0) == 0


def test_what_a_shortcut_leads_to_goes_on_being_read_when_it_changes(drive, chosen):
    elsewhere = drive.space.add("B.txt", owner=ADA, data="Elsewhere.")
    shortcut = drive.space.shortcut(elsewhere, parent=chosen)
    drive.sync()
    drive.space.pass_time(60)
    drive.space.edit(elsewhere, data="Newer.")
    drive.sync()
    assert "Newer" in drive.text(elsewhere)
    # Once the shortcut is gone, the next change finds that out; the listing does, too.
    drive.space.trash(shortcut)
    drive.space.edit(elsewhere, data="Newest.")
    drive.sync()
    assert drive.ids() == set()
    assert set(drive.connector().listing()) == set()


def test_a_shortcut_that_is_made_later_leads_there_at_the_next_run(drive, chosen):
    elsewhere = drive.space.add("B.txt", owner=ADA, data="Elsewhere.")
    drive.sync()
    assert drive.ids() == set()
    drive.space.shortcut(elsewhere, parent=chosen)
    drive.sync()
    assert drive.ids() == {elsewhere.id}


@pytest.mark.parametrize("made", ["before", "after"])
def test_a_shortcut_to_a_folder_leads_to_all_below(drive, chosen, made):
    folder = drive.space.folder("Far", owner=ADA)
    inner = drive.space.folder("Inner", parent=folder)
    item = drive.space.add("B.txt", parent=inner, data="Elsewhere.")
    if made == "after":
        drive.sync()
    drive.space.shortcut(folder, parent=chosen)
    drive.sync()
    assert drive.ids() == {item.id}
    drive.space.pass_time(60)
    drive.space.edit(item, data="Newer.")
    drive.sync()
    assert "Newer" in drive.text(item)
    assert set(drive.connector().listing()) == {item.id}


def test_shortcuts_in_circles_and_to_nothing_end(drive, chosen):
    folder = drive.space.folder("Far", owner=ADA)
    item = drive.space.add("B.txt", parent=folder, data="Elsewhere.")
    drive.space.shortcut(folder, parent=folder)
    drive.space.shortcut(folder, parent=chosen)
    gone = drive.space.add("C.txt", owner=ADA, data="Gone.")
    drive.space.shortcut(gone, parent=chosen)
    drive.space.delete(gone)
    assert drive.sync().state == "succeeded"
    assert drive.ids() == {item.id}


def test_shortcuts_into_drives_and_folders_that_are_left_out_lead_nowhere(
    drive, team, chosen
):
    other = drive.space.add_drive("Other", Grant("user", ADA, "organizer"))
    drive.extra["shared_drives"] = [team.id]
    left_out = drive.space.folder("Left out", drive=team)
    drive.extra["exclude_folders"] = [left_out.id]
    for item in (
        drive.space.add("A.txt", drive=other, data="Other drive."),
        drive.space.add("B.txt", parent=left_out, data="Left out."),
        drive.space.add("C.txt", owner=BOB, data="Not seen."),
    ):
        drive.space.shortcut(item, parent=chosen)
    drive.sync()
    assert drive.ids() == set()


def test_a_file_that_moves_to_where_it_is_read_needs_its_shortcut_no_more(
    drive, chosen
):
    elsewhere = drive.space.add("B.txt", owner=ADA, data="Elsewhere.")
    shortcut = drive.space.shortcut(elsewhere, parent=chosen)
    drive.sync()
    drive.space.move(elsewhere, chosen)
    drive.space.delete(shortcut)
    drive.sync()
    drive.space.edit(elsewhere, data="Newer.")
    drive.sync()
    assert "Newer" in drive.text(elsewhere)
