"""A worker that is killed at any step of reading a Jira (FIELD row C53)."""

import pytest

from tests.connectors.jira.conftest import make_site
from tests.connectors.jira.worlds import adf
from tests.connectors.killed_sync import killed_anywhere
from tests.vendors.jira.server import EMAIL, TOKEN, JiraServer

pytestmark = pytest.mark.integration

SHARES = (0.02, 0.3, 0.55, 0.8, 0.98)


def source_of(server):
    options = {
        "deployment": "cloud" if server.is_cloud else "data_center",
        "base_url": server.url + server.context,
        "email": EMAIL if server.is_cloud else "",
        "token": TOKEN,
    }
    return "jira", options


def killed(tmp_path, shares, *, is_cloud):
    site = make_site()
    site.add_group("hr", "cy")
    ops = next(iter(site.projects.values()))
    with JiraServer(site, is_cloud=is_cloud, context="") as server:
        server.largest_page = 4
        server.payloads.embedded_comments = 1

        def body(words):
            return adf(words) if is_cloud else words

        for number in range(9):
            issue = site.create(ops, f"Issue {number}", description=body("Text."))
            site.comment(issue, body("Sure?"), "ada")
            if number % 2:
                site.attach(issue, f"file{number}.txt", b"file", "ada")

        def change(turn):
            """Do what people do between two runs."""
            site.pass_time(3600)
            issues = list(site.issues.values())
            site.edit(issues[turn], description=body(f"Edited in turn {turn}."))
            site.comment(issues[turn + 1], body(f"Said in turn {turn}."), "bob")
            site.comment(issues[turn + 1], body("Secret."), "bob", group="hr")
            new = site.create(ops, f"New {turn}")
            for at in range(3):
                site.attach(new, f"new{at}.txt", b"new file", "ada")
            if issues[turn].attachments:
                site.detach(issues[turn], issues[turn].attachments[0])
            # Long enough that no overlap of windows makes up for what was skipped.
            site.pass_time(3600)

        killed_anywhere(tmp_path, server, source_of(server), change, shares=shares)


def test_a_worker_that_is_killed_at_a_step_leaves_what_a_clean_run_makes(tmp_path):
    killed(tmp_path, SHARES, is_cloud=True)


@pytest.mark.long
@pytest.mark.parametrize("is_cloud", [True, False], ids=["cloud", "data_center"])
@pytest.mark.parametrize("first", range(5))
def test_a_worker_that_is_killed_at_every_step_leaves_what_a_clean_run_makes(
    tmp_path, is_cloud, first
):
    shares = [(first + 5 * turn + 0.5) / 25 for turn in range(5)]
    killed(tmp_path, shares, is_cloud=is_cloud)
