"""Setup: each capability is tried, and each failure names its mend."""

import logging

import pytest

from connectors.errors import OptionError
from connectors.jira.connector import OPTIONS
from connectors.jira.options import SCOPES, JiraOptions
from connectors.options import complete, parse_settings
from tests.vendors.jira.server import TOKEN
from tests.vendors.jira.state import Grant


def checks(world):
    return {check.capability: check for check in world.connector().check()}


def options(**values):
    given = {
        "deployment": "cloud",
        "base_url": "https://example.atlassian.net",
        "email": "bot@example.com",
        "token": "t",
    }
    return JiraOptions.of(complete({**given, **values}, OPTIONS))


@pytest.mark.integration
def test_all_is_well_on_a_site_that_is_set_up(jira, ops):
    issue = jira.site.create(ops, "It")
    jira.site.attach(issue, "a.txt", b"A file.")
    found = checks(jira)
    assert set(found) == {"read", "access", "changes", "attachments"}
    assert all(check.ok for check in found.values()), found
    assert "Attest Bot" in found["read"].message


@pytest.mark.integration
def test_a_wrong_key_is_told_once_and_nothing_else_is_tried(jira, ops):
    jira.extra["token"] = "wrong-key"
    found = checks(jira)
    assert not any(check.ok for check in found.values())
    assert "Make a new token" in found["read"].message
    assert found["access"].message == "Not tried, as reading doesn't work."
    assert "wrong-key" not in str(found)
    assert len(jira.server.asked) == 1


@pytest.mark.integration
def test_an_account_that_sees_nothing_is_told_what_it_lacks(jira, ops):
    assert "sees no issue" in checks(jira)["read"].message
    jira.extra["projects"] = ["OPS", "NOPE"]
    assert "doesn't see the projects NOPE" in checks(jira)["read"].message


@pytest.mark.integration
def test_permissions_that_cannot_be_read_are_named(jira, ops):
    jira.site.create(ops, "It")
    jira.server.is_admin = False
    ops.is_not_administered = True
    found = checks(jira)
    assert found["read"].ok
    assert not found["access"].ok
    assert "OPS" in found["access"].message
    assert "Administer Projects" in found["access"].message


@pytest.mark.integration
def test_groups_that_cannot_be_read_are_told_with_the_mend(jira, ops):
    jira.site.create(ops, "It")
    jira.server.may_browse_users = False
    jira.server.is_admin = False
    message = checks(jira)["access"].message
    assert "Groups' members can't be read" in message


@pytest.mark.integration
def test_levels_that_cannot_be_read_are_told_though_the_rest_works(jira, ops):
    jira.site.create(ops, "It")
    jira.site.add_level(Grant("user", "ada"))
    if jira.server.is_cloud:
        jira.server.is_admin = False
    else:
        jira.server.may_browse_users = False
    check = checks(jira)["access"]
    assert check.ok
    assert "security level are shown to nobody" in check.message


@pytest.mark.integration
def test_an_attachment_that_cannot_be_fetched_is_told(jira, ops):
    issue = jira.site.create(ops, "It")
    jira.site.attach(issue, "a.txt", b"A file.")
    jira.server.refuse(403, "/attachment/1", times=9)
    jira.server.refuse(403, "/attachment/content", times=9)
    found = checks(jira)
    assert not found["attachments"].ok
    assert found["read"].ok


@pytest.mark.integration
def test_a_site_that_is_not_there_is_told(jira):
    jira.server.refuse(502, times=999)
    assert "it answered 502" in checks(jira)["read"].message


@pytest.mark.integration
def test_neither_key_nor_bodies_are_logged(jira, ops, caplog):
    caplog.set_level(logging.DEBUG)
    issue = jira.site.create(ops, "It", description=jira.body("The salary is 411."))
    jira.site.attach(issue, "a.txt", b"A file with a secret.")
    jira.sync()
    jira.connector().check()
    for secret in (TOKEN, "The salary is 411.", "A file with a secret."):
        assert secret not in caplog.text


def test_help_texts_name_scopes_and_where_to_make_the_key():
    token = next(option for option in OPTIONS if option.name == "token")
    assert token.type == "secret"
    assert "https://id.atlassian.com/manage-profile/security/api-tokens" in token.help
    assert all(scope in token.help for scope in SCOPES)
    assert "Personal Access Tokens" in token.help


def test_options_come_from_a_command_line():
    settings = ["deployment=data_center", "base_url=https://jira.example.com/jira/"]
    settings += ["token=abc", "projects=ops, hr", "attachments=no", "max_file_mb=2"]
    found = JiraOptions.of(complete(parse_settings(settings, OPTIONS), OPTIONS))
    assert found.base_url == "https://jira.example.com/jira"
    assert found.projects == {"OPS", "HR"}
    assert not found.attachments
    assert found.max_bytes == 2_000_000


def test_a_pasted_address_of_a_board_is_cut_to_the_site():
    board = "https://example.atlassian.net/jira/software/projects/OPS/boards/1"
    assert options(base_url=board).base_url == "https://example.atlassian.net"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(
            ("deployment", "server"),
            ("email", "bot"),
            ("token", "a\nb"),
            ("token", " "),
        ),
        *(("base_url", "example"), ("base_url", "http://169.254.169.254/")),
        *(
            ("base_url", "https://u:p@x.test"),
            ("projects", ["two words"]),
            ("projects", [1]),
        ),
        *(
            ("filter", "a = b ORDER BY key"),
            ("filter", "a = 1) OR (b = 2"),
            ("filter", '"a'),
        ),
        *(("filter", "(a = 1"), ("anonymous", "nobody"), ("max_file_mb", 0)),
    ],
)
def test_it_rejects_an_option_that_cannot_be_and_names_it(name, value):
    with pytest.raises(OptionError, match=name if name != "base_url" else "base URL"):
        options(**{name: value})


@pytest.mark.parametrize(
    "jql", ['summary ~ "order by"', "a in (1, 2)", "labels = ')'", ""]
)
def test_a_filter_may_hold_brackets_and_words_in_quotes(jql):
    assert options(filter=jql).filter == jql
