"""What's synced of My Drives and shared drives, and how changes travel (C42)."""

import pytest

pytestmark = pytest.mark.integration

ADA, BOB, CY = "ada@example.com", "bob@example.com", "cy@example.com"


def test_files_of_my_drive_and_of_shared_drives_are_read(drive, team):
    mine = drive.space.add("Plan.txt", owner=ADA, data="The plan is blue.")
    ours = drive.space.add("Rule.txt", drive=team, data="The rule is red.")
    folder = drive.space.folder("Deep", drive=team)
    deep = drive.space.add("Deep.txt", parent=folder, data="Deep down it's green.")
    drive.space.add("Other.txt", owner=BOB, data="Bob's own.")
    run = drive.sync()
    assert run.message == ""
    assert (run.state, run.message) == ("succeeded", "")
    assert drive.ids() == {mine.id, ours.id, deep.id}
    assert "green" in drive.text(deep)
    row = drive.row(mine.id)
    assert (row.title, row.owner) == ("Plan", "Ada")
    assert row.url == f"https://drive.google.com/file/d/{mine.id}/view"
    again = drive.sync()
    assert again.state == "succeeded"
    assert again.counts.get("indexed", 0) == 0
