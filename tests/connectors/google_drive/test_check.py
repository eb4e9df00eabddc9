"""Each capability tried before a source is saved, each failure with its mend."""

import pytest

from tests.vendors.google.errors import drive_error
from tests.vendors.google.signing import DRIVE
from tests.vendors.google.state import Grant

pytestmark = pytest.mark.integration

ADA = "ada@example.com"


@pytest.fixture
def filled(drive, team):
    drive.space.add("A.txt", drive=team, data="Text.")
    return drive


def checks(drive):
    return {c.capability: c for c in drive.connector().check()}


def test_all_is_well_where_all_is_set_up(filled):
    found = checks(filled)
    assert list(found) == ["read", "access", "changes", "contents"]
    assert all(check.ok for check in found.values()), found
    assert "Reads as ada@example.com; 1 shared drives" in found["read"].message


def test_a_wrong_key_is_told_once_and_nothing_else_is_tried(filled):
    filled.server.tokens.keys.clear()
    found = checks(filled)
    assert not any(check.ok for check in found.values())
    assert "Make a new key" in found["read"].message
    assert found["changes"].message == "Not tried, as reading doesn't work."


def test_a_person_who_is_not_there_is_named(filled):
    filled.extra["subjects"] = [ADA, "gone@example.com"]
    assert "gone@example.com" in checks(filled)["read"].message


def test_a_drive_api_that_is_off_is_told(filled):
    filled.server.apis_off.add("drive")
    assert "Enable it" in checks(filled)["read"].message


def test_no_file_at_all_is_told(drive):
    assert "No file is seen" in checks(drive)["read"].message


def test_folders_and_drives_out_of_sight_are_named(filled):
    hidden = filled.space.folder("Hidden", owner="bob@example.com")
    filled.extra["folders"] = [hidden.id]
    assert hidden.id in checks(filled)["read"].message
    item = next(i for i in filled.space.items.values() if i.mime == "text/plain")
    filled.extra["folders"] = [item.id]
    assert "is no folder" in checks(filled)["read"].message
    filled.extra = {"shared_drives": ["0Aunknown"]}
    assert "0Aunknown" in checks(filled)["read"].message


def test_a_whole_shared_drive_may_be_a_folder(filled, team):
    filled.extra["folders"] = [team.id]
    assert checks(filled)["read"].ok
    filled.sync()
    assert len(filled.ids()) == 1


def test_groups_that_cannot_be_read_are_told_with_the_mend(filled):
    filled.server.administrators.clear()
    check = checks(filled)["access"]
    assert not check.ok
    assert "read groups and users" in check.message
    filled.server.administrators.add("root@example.com")
    filled.server.tokens.delegated = {DRIVE}
    assert "Delegate the scopes" in checks(filled)["access"].message
    filled.extra["directory_admin"] = ""
    check = checks(filled)["access"]
    assert check.ok
    assert "groups grant nobody" in check.message


def test_permissions_of_a_shared_drive_that_cannot_be_read_are_told(filled, team):
    reply = drive_error(403, "insufficientFilePermissions")
    filled.server.fail("reply", f"/files/{team.id}/permissions", reply=reply, times=9)
    check = checks(filled)["access"]
    assert not check.ok
    assert "Make ada@example.com a manager there" in check.message


def test_a_change_log_that_cannot_be_read_is_told(filled):
    filled.server.fail(
        "reply", "/v3/changes", reply=drive_error(403, "forbidden"), times=9
    )
    assert not checks(filled)["changes"].ok


def test_each_person_s_drive_is_looked_at_for_the_first_file(drive):
    drive.extra["subjects"] = [ADA, "bob@example.com"]
    drive.space.add("B.txt", owner="bob@example.com", data="Text.")
    assert checks(drive)["read"].ok


def test_a_member_who_only_reads_is_enough_to_read(drive):
    made = drive.space.add_drive("R", Grant("user", ADA, "reader"))
    drive.space.add("A.txt", drive=made, data="Text.")
    assert all(check.ok for check in checks(drive).values())
