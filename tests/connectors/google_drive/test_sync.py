"""What's synced of My Drives and shared drives, and how changes travel (C42)."""

import pytest

from tests.connectors.google_drive.worlds import readers, told
from tests.connectors.worlds import issues
from tests.vendors.google.state import FORM, Grant

pytestmark = pytest.mark.integration

ADA, BOB, CY = "ada@example.com", "bob@example.com", "cy@example.com"


def counts(run, *names):
    return tuple(run.counts.get(name, 0) for name in names)


def downloads(drive):
    return [a.path for a in drive.server.asked if a.query.get("alt") == "media"]


def listings(drive):
    """Return the requests that list whole drives."""
    files = [a for a in drive.server.asked if a.path.endswith("/v3/files")]
    return [a for a in files if "in parents" not in a.query.get("q", "")]


def test_files_of_my_drive_and_of_shared_drives_are_read(drive, team):
    mine = drive.space.add("Plan.txt", owner=ADA, data="The plan is blue.")
    ours = drive.space.add("Rule.txt", drive=team, data="The rule is red.")
    folder = drive.space.folder("Deep", drive=team)
    deep = drive.space.add("Deep.txt", parent=folder, data="Deep down it's green.")
    drive.space.add("Other.txt", owner=BOB, data="Bob's own.")
    run = drive.sync()
    assert (run.state, run.message) == ("succeeded", "")
    assert drive.ids() == {mine.id, ours.id, deep.id}
    assert "green" in drive.text(deep)
    row = drive.row(mine.id)
    assert (row.title, row.owner) == ("Plan", "Ada")
    assert row.url == f"https://drive.google.com/file/d/{mine.id}/view"


def test_nothing_is_fetched_or_listed_again_when_nothing_changed(drive, team):
    for number in range(5):
        drive.space.add(f"{number}.txt", drive=team, data=f"Text {number}.")
    drive.sync()
    drive.server.asked.clear()
    run = drive.sync()
    assert counts(run, "indexed", "properties_only", "deleted") == (0, 0, 0)
    assert downloads(drive) == []
    assert listings(drive) == []
    # Read anew from the start, files that are as they were aren't fetched either.
    run = drive.sync_whole()
    assert counts(run, "indexed", "unchanged") == (0, 5)
    assert downloads(drive) == []


def test_new_edited_and_renamed_files_travel_by_the_change_log(drive, team):
    old = drive.space.add("Old.txt", drive=team, data="The old text.")
    drive.sync()
    drive.server.asked.clear()
    drive.space.pass_time(60)
    drive.space.edit(old, data="The new text.", name="Newer.txt")
    added = drive.space.add("Added.txt", owner=ADA, data="It was added.")
    drive.sync()
    assert "new text" in drive.text(old)
    assert drive.row(old.id).title == "Newer"
    assert "added" in drive.text(added)
    assert listings(drive) == []


@pytest.mark.parametrize("where", ["mine", "team"])
def test_a_trashed_file_goes_and_comes_back_when_it_is_restored(drive, team, where):
    """C42: none of these changes a file's time."""
    place = {"owner": ADA} if where == "mine" else {"drive": team}
    item = drive.space.add("A.txt", data="Text.", **place)
    kept = drive.space.add("B.txt", data="Text.", **place)
    drive.sync()
    modified = item.modified
    drive.space.pass_time(60)
    drive.space.trash(item)
    drive.sync()
    assert drive.ids() == {kept.id}
    drive.space.restore(item)
    drive.sync()
    assert drive.ids() == {item.id, kept.id}
    assert item.modified == modified


@pytest.mark.parametrize("where", ["mine", "team"])
def test_a_trashed_folder_takes_all_below_along_and_brings_it_back(drive, team, where):
    """C42: what lies in a folder has no entry of its own in the log."""
    place = {"owner": ADA} if where == "mine" else {"drive": team}
    outer = drive.space.folder("Outer", **place)
    inner = drive.space.folder("Inner", parent=outer)
    items = [drive.space.add(f"{n}.txt", parent=inner, data=f"{n}.") for n in range(3)]
    kept = drive.space.add("Kept.txt", data="Text.", **place)
    drive.sync()
    drive.space.trash(outer)
    drive.sync()
    assert drive.ids() == {kept.id}
    drive.space.restore(outer)
    drive.sync()
    assert drive.ids() == {kept.id, *(item.id for item in items)}


@pytest.mark.parametrize("where", ["mine", "team"])
def test_a_folder_that_is_deleted_for_good_takes_all_below_along(drive, team, where):
    place = {"owner": ADA} if where == "mine" else {"drive": team}
    outer = drive.space.folder("Outer", **place)
    inner = drive.space.folder("Inner", parent=outer)
    drive.space.add("A.txt", parent=inner, data="Text.")
    kept = drive.space.add("Kept.txt", data="Text.", **place)
    drive.sync()
    drive.space.delete(outer)
    drive.sync()
    assert drive.ids() == {kept.id}


def test_a_file_that_is_deleted_for_good_goes(drive, team):
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.sync()
    drive.space.delete(item)
    run = drive.sync()
    assert counts(run, "deleted") == (1,)
    assert drive.ids() == set()


def test_moves_into_and_out_of_the_chosen_folder_travel(drive, team):
    """C42: a move changes no time, and a moved folder's files aren't in the log."""
    chosen = drive.space.folder("Chosen", drive=team)
    aside = drive.space.folder("Aside", drive=team)
    drive.extra["folders"] = [f"https://drive.google.com/drive/folders/{chosen.id}"]
    inside = drive.space.add("In.txt", parent=chosen, data="In.")
    outside = drive.space.add("Out.txt", parent=aside, data="Out.")
    box = drive.space.folder("Box", parent=aside)
    boxed = drive.space.add("Boxed.txt", parent=box, data="Boxed.")
    drive.sync()
    assert drive.ids() == {inside.id}
    drive.space.move(outside, chosen)
    drive.space.move(box, chosen)
    drive.sync()
    assert drive.ids() == {inside.id, outside.id, boxed.id}
    drive.space.move(inside, aside)
    drive.space.move(box, aside)
    drive.sync()
    assert drive.ids() == {outside.id}


def test_a_file_that_moves_between_drives_stays_one_document(drive, team):
    other = drive.space.add_drive("Other", Grant("user", ADA, "organizer"))
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    folder = drive.space.folder("F", owner=ADA)
    inner = drive.space.add("B.txt", parent=folder, data="Inner.")
    drive.sync()
    drive.space.move(item, team)
    drive.space.move(folder, other)
    drive.sync()
    assert drive.ids() == {item.id, inner.id}
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada", "bob"}
    drive.space.move(item, other)
    drive.sync()
    assert drive.ids() == {item.id, inner.id}
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada"}


def test_a_move_into_a_drive_that_is_not_read_is_a_deletion(drive, team):
    away = drive.space.add_drive("Away", Grant("user", ADA, "organizer"))
    drive.extra["shared_drives"] = [team.id]
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.sync()
    drive.space.move(item, away)
    drive.sync()
    assert drive.ids() == set()


@pytest.mark.parametrize("where", ["mine", "team"])
def test_sharing_and_unsharing_travel_without_fetching_anything(drive, team, where):
    """C42: sharing changes no time."""
    place = {"owner": ADA} if where == "mine" else {"drive": team}
    item = drive.space.add("A.txt", data="Text.", **place)
    drive.sync()
    before = readers(drive, drive.row(item.id).rule.as_value())
    assert "cy" not in before
    drive.server.asked.clear()
    grant = drive.space.share(item, Grant("user", CY))
    run = drive.sync()
    assert counts(run, "properties_only", "indexed") == (1, 0)
    assert readers(drive, drive.row(item.id).rule.as_value()) == before | {"cy"}
    drive.space.unshare(item, grant)
    drive.sync()
    assert readers(drive, drive.row(item.id).rule.as_value()) == before
    assert downloads(drive) == []


@pytest.mark.parametrize("where", ["mine", "team"])
def test_a_shared_folder_shares_all_below_at_the_next_run(drive, team, where):
    place = {"owner": ADA} if where == "mine" else {"drive": team}
    outer = drive.space.folder("Outer", **place)
    inner = drive.space.folder("Inner", parent=outer)
    item = drive.space.add("A.txt", parent=inner, data="Text.")
    drive.sync()
    grant = drive.space.share(outer, Grant("user", CY))
    drive.sync()
    assert "cy" in readers(drive, drive.row(item.id).rule.as_value())
    # A second person, then one less: the folder has rights of its own all the while.
    more = drive.space.share(outer, Grant("user", "root@example.com"))
    drive.sync()
    assert "root" in readers(drive, drive.row(item.id).rule.as_value())
    drive.space.unshare(outer, grant)
    drive.sync()
    assert "cy" not in readers(drive, drive.row(item.id).rule.as_value())
    assert "root" in readers(drive, drive.row(item.id).rule.as_value())
    drive.space.unshare(outer, more)
    drive.sync()
    assert "root" not in readers(drive, drive.row(item.id).rule.as_value())


def test_new_members_of_a_shared_drive_may_read_at_the_next_run(drive, team):
    folder = drive.space.folder("F", drive=team)
    item = drive.space.add("A.txt", parent=folder, data="Text.")
    drive.sync()
    team.members.append(Grant("user", CY, "reader"))
    drive.server.asked.clear()
    drive.sync()
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada", "bob", "cy"}
    del team.members[1:]
    drive.sync()
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada"}
    assert downloads(drive) == []


def test_a_folder_that_gets_a_file_is_not_walked_through(drive, team):
    folder = drive.space.folder("F", drive=team)
    for number in range(3):
        drive.space.add(f"{number}.txt", parent=folder, data="Text.")
    drive.sync()
    drive.server.asked.clear()
    added = drive.space.add("New.txt", parent=folder, data="New.")
    drive.sync()
    assert added.id in drive.ids()
    queries = [a.query.get("q", "") for a in drive.server.asked]
    assert not [q for q in queries if "in parents" in q]


def test_a_new_shared_drive_is_read_whole_and_one_that_left_goes(drive, team):
    drive.space.add("A.txt", drive=team, data="Text.")
    drive.sync()
    other = drive.space.add_drive("Other", Grant("user", ADA, "organizer"))
    item = drive.space.add("B.txt", drive=other, data="Other.")
    drive.sync()
    assert item.id in drive.ids()
    other.members.clear()
    drive.sync()
    assert item.id not in drive.ids()


def test_a_shared_drive_that_is_named_and_out_of_sight_deletes_nothing(drive, team):
    drive.extra["shared_drives"] = [team.id]
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.sync()
    members, team.members = team.members, []
    run = drive.sync()
    assert ("warning", "", "out_of_sight") in issues(run)
    assert drive.ids() == {item.id}
    run = drive.sync_whole()
    assert drive.ids() == {item.id}
    team.members = members
    assert issues(drive.sync()) != []


def test_several_people_are_read_and_one_who_left_does_not_stop_the_others(drive):
    drive.extra["subjects"] = [ADA, BOB]
    ada = drive.space.add("A.txt", owner=ADA, data="Ada's.")
    bob = drive.space.add("B.txt", owner=BOB, data="Bob's.")
    drive.space.share(ada, Grant("user", BOB))
    assert drive.sync().state == "succeeded"
    assert drive.ids() == {ada.id, bob.id}
    drive.space.people[BOB].is_active = False
    drive.space.pass_time(60)
    drive.space.edit(ada, data="Ada's newer.")
    run = drive.sync()
    assert run.state == "succeeded"
    assert "bob@example.com" in told(run, "out_of_sight")[0]
    assert "newer" in drive.text(ada)
    # What can't be seen isn't gone.
    assert bob.id in drive.ids()
    drive.sync_whole()
    assert bob.id in drive.ids()


def test_a_file_that_changes_hands_stays(drive):
    drive.extra["subjects"] = [BOB, ADA]
    item = drive.space.add("A.txt", owner=ADA, data="Text.")
    drive.sync()
    logs = drive.space._logs(item)
    item.owner, item.parent = BOB, drive.space.root_of(BOB)
    drive.space._changed(item, logs)
    drive.sync()
    assert drive.ids() == {item.id}
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"bob"}


def test_what_others_shared_is_read_where_the_option_says(drive):
    item = drive.space.add("B.txt", owner=BOB, data="Bob's.")
    drive.space.share(item, Grant("user", ADA))
    drive.sync()
    assert drive.ids() == set()
    drive.extra["shared_with_me"] = True
    drive.sync()
    assert drive.ids() == {item.id}
    # Ada isn't told with whom else it's shared, so it's hers alone.
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada"}
    drive.space.pass_time(60)
    drive.space.edit(item, data="Bob's newer.")
    drive.sync()
    assert "newer" in drive.text(item)
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada"}
    drive.space.unshare(item, item.grants[0])
    drive.sync()
    assert drive.ids() == set()


def test_several_who_see_a_file_of_somebody_else_s_all_may_read_it(drive):
    drive.extra |= {"subjects": [ADA, BOB], "shared_with_me": True}
    item = drive.space.add("C.txt", owner=CY, data="Cy's.")
    drive.space.share(item, Grant("user", ADA))
    mine = drive.space.share(item, Grant("user", BOB))
    drive.sync()
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada", "bob"}
    drive.space.pass_time(60)
    drive.space.edit(item, data="Cy's newer.")
    drive.sync()
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada", "bob"}
    drive.space.unshare(item, mine)
    drive.sync()
    assert drive.ids() == {item.id}
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada"}


def test_options_leave_drives_and_folders_out(drive, team):
    mine = drive.space.add("M.txt", owner=ADA, data="Mine.")
    ours = drive.space.add("T.txt", drive=team, data="Ours.")
    secret = drive.space.folder("Secret", drive=team)
    hidden = drive.space.add("S.txt", parent=secret, data="Secret.")
    drive.sync()
    assert drive.ids() == {mine.id, ours.id, hidden.id}
    drive.extra = {"my_drives": False, "exclude_folders": [secret.id]}
    drive.sync()
    assert drive.ids() == {ours.id}
    drive.space.pass_time(60)
    drive.space.edit(hidden, data="Still secret.")
    drive.space.move(ours, secret)
    drive.sync()
    assert drive.ids() == set()
    drive.extra = {"read_shared_drives": False}
    drive.sync()
    assert drive.ids() == {mine.id}


def test_a_folder_of_somebody_else_s_may_be_chosen(drive):
    folder = drive.space.folder("Bob's", owner=BOB)
    item = drive.space.add("B.txt", parent=folder, data="Bob's.")
    drive.space.add("Other.txt", owner=ADA, data="Mine.")
    drive.space.share(folder, Grant("user", ADA, "writer"))
    drive.extra["folders"] = [folder.id]
    drive.sync()
    assert drive.ids() == {item.id}
    assert readers(drive, drive.row(item.id).rule.as_value()) == {"ada", "bob"}


def test_kinds_that_are_not_read_are_listed_with_the_reason(drive, team):
    form = drive.space.add("Survey", mime=FORM, drive=team)
    picture = drive.space.add("P.png", mime="image/png", drive=team, data="x")
    large = drive.space.add("L.txt", drive=team, data="x", size=60_000_000)
    run = drive.sync()
    assert drive.reasons() == {
        form.id: "unsupported",
        picture.id: "unsupported",
        large.id: "too_large",
    }
    assert "form" in drive.row(form.id).message
    assert counts(run, "skipped") == (3,)
    assert downloads(drive) == []


def test_a_file_larger_than_it_says_is_not_read_whole(drive, team):
    drive.extra["max_file_mb"] = 0.001
    item = drive.space.add("L.txt", drive=team, data="x" * 5000, size=10)
    drive.sync()
    assert drive.reasons() == {item.id: "too_large"}


def test_files_without_an_ending_are_known_by_what_drive_says(drive, team):
    item = drive.space.add(
        "Notes", mime="text/markdown", drive=team, data="# Head\n\nBody."
    )
    drive.sync()
    assert "Body." in drive.text(item)
    assert drive.row(item.id).kind == "markdown"


def test_other_options_read_all_of_what_they_choose(drive, team):
    item = drive.space.add("A.txt", drive=team, data="Text.")
    drive.sync()
    drive.extra["anyone_with_link"] = "workspace"
    drive.server.asked.clear()
    run = drive.sync()
    assert listings(drive) != []
    assert downloads(drive) == []
    assert counts(run, "unchanged") == (1,)
    assert drive.ids() == {item.id}


def test_what_was_listed_chosen_and_read_is_counted(drive, team):
    """C37: a run says how much there is and how much of it was read."""
    for number in range(4):
        drive.space.add(f"{number}.txt", drive=team, data="Text.")
    drive.space.add("P.png", mime="image/png", drive=team, data="x")
    run = drive.sync()
    [message] = told(run, "counted")
    assert message.startswith("5 files were listed, 4 of them are chosen")
    assert message.endswith("and 4 of those were read.")
    assert told(run, "large_gap") == []


def test_a_large_gap_between_listed_and_read_is_told(drive, team):
    """C37: “success” with a fraction of the files isn't silent."""
    for number in range(30):
        drive.space.add(f"{number}.txt", drive=team, data="Text.", is_locked=number > 5)
    team.members[0].role = "reader"
    run = drive.sync()
    assert run.state == "succeeded"
    assert ("warning", "", "large_gap") in issues(run)
    [message] = told(run, "large_gap")
    assert "Of 30 files in the shared drive “Team” 6 were read" in message
    assert "cannot_download (24)" in message
