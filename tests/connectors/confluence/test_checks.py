"""What `check` says of each capability, with the mend."""

import pytest

from connectors.confluence.connector import OPTIONS, connect
from connectors.confluence.options import SCOPES
from connectors.errors import OptionError
from connectors.options import complete

pytestmark = pytest.mark.integration


def checks_of(site):
    return {check.capability: check for check in site.connector().check()}


def test_a_site_that_works_passes_every_check(site):
    page = site.state.add("HR", "Leave", "<p>x</p>")
    site.state.attach(page, "a.txt", b"file")
    checks = checks_of(site)
    assert [name for name, check in checks.items() if check.ok] == [
        "read",
        "access",
        "changes",
        "attachments",
    ]
    assert checks["read"].message == "Reader sees 1 spaces."
    assert checks["attachments"].message == "One was fetched."


def test_a_wrong_key_fails_reading_and_nothing_else_is_tried(site):
    site.settings["token"] = "wrong"
    checks = checks_of(site)
    assert not any(check.ok for check in checks.values())
    assert "Make a new token" in checks["read"].message
    assert len(site.server.asked) == 1


def test_a_space_that_isnt_seen_is_named(site):
    site.settings["spaces"] = ["HR", "NOPE"]
    message = checks_of(site)["read"].message
    assert "NOPE" in message
    assert "HR" not in message


def test_an_account_that_sees_nothing_is_told(site):
    site.state.spaces.clear()
    assert "sees no space" in checks_of(site)["read"].message


@pytest.mark.parametrize(
    ("capability", "part"),
    [
        ("access", "/permissions"),
        ("access", "/restriction"),
        ("access", "/group"),
        ("changes", "/search"),
        ("attachments", "/download"),
    ],
)
def test_a_missing_right_fails_its_own_capability(site, capability, part):
    page = site.state.add("HR", "Leave", "<p>x</p>")
    site.state.attach(page, "a.txt", b"file")
    site.server.refuse(403, part, times=99)
    checks = checks_of(site)
    assert checks["read"].ok
    assert not checks[capability].ok
    assert "the scopes that the option “token” names" in checks[capability].message


def test_another_address_says_what_to_check(cloud):
    from tests.vendors.loopback import Reply, ScriptedServer

    with ScriptedServer() as other:
        page = Reply(b"<html>Welcome</html>", 200, {"Content-Type": "text/html"})
        other.replies["/wiki/rest/api/user/current"] = page
        cloud.settings["base_url"] = other.url
        assert "Check the base URL" in checks_of(cloud)["read"].message


def test_checking_reads_little(site):
    for number in range(300):
        site.state.add("HR", f"Page {number}", "<p>x</p>")
    checks_of(site)
    assert len(site.server.asked) < 20


def test_every_option_says_where_to_make_the_key_and_its_scopes():
    help_of = {option.name: option.help for option in OPTIONS}
    assert "id.atlassian.com/manage-profile/security/api-tokens" in help_of["token"]
    assert "Personal Access Tokens" in help_of["token"]
    assert all(scope in help_of["token"] for scope in SCOPES)
    assert next(o.type for o in OPTIONS if o.name == "token") == "secret"


def test_connect_takes_what_the_forms_give(cloud):
    values = {"base_url": cloud.server.url, "email": "a@example.com", "token": "x"}
    connect(cloud.source, complete(values, OPTIONS))
    with pytest.raises(OptionError, match="base_url"):
        complete({"token": "x"}, OPTIONS)


def test_a_token_that_stands_for_nobody_is_told(data_center):
    from tests.vendors.loopback import Reply

    nobody = Reply({"type": "anonymous", "displayName": "Anonymous"})
    data_center.server.fail("reply", "/user/current", reply=nobody)
    assert "for nobody" in checks_of(data_center)["read"].message


def test_an_old_server_is_told_which_one_it_takes(data_center):
    data_center.state.add("HR", "Leave", "<p>x</p>")
    data_center.server.refuse(404, "/permissions")
    assert "from 9.1 on" in checks_of(data_center)["access"].message


def test_a_space_that_names_nobody_is_told_before_it_is_read(site):
    site.state.add_space("NONE", groups=set())
    site.state.add("HR", "Leave", "<p>x</p>")
    site.state.add("NONE", "Hidden", "<p>x</p>")
    check = checks_of(site)["access"]
    assert not check.ok
    assert "nobody who may view NONE, so" in check.message
