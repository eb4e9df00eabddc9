"""What goes wrong on the way: limits, errors, resets, half answers (C30, C52–C54)."""

import pytest

from connectors.base import Failed
from connectors.errors import IncompleteListing
from connectors.models import Document
from tests.connectors.jira.test_paging import filled, ids, read
from tests.connectors.jira.worlds import adf
from tests.vendors.jira.server import JiraServer

pytestmark = pytest.mark.integration

State = Document.State


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch):
    monkeypatch.setattr(JiraServer, "most_at_once", 4)


def searched(world):
    return "/search/jql" if world.server.is_cloud else "/rest/api/2/search"


def test_a_limit_is_waited_for_and_told(jira, ops):
    """C30: Retry-After is honoured, and shown."""
    issues = filled(jira, ops)
    jira.server.limit(searched(jira), retry_after=7, after=1)
    assert read(jira.changes()) == ids(issues)
    [wait] = jira.waits
    assert wait.seconds >= 7
    assert "Waiting until" in wait.message


def test_a_long_limit_ends_the_run_which_goes_on_later(jira, ops):
    """C30: no sleep that looks like a hang; the checkpoint is saved."""
    issues = filled(jira, ops)
    jira.server.limit(searched(jira), retry_after=3600, after=2)
    run = jira.sync()
    assert run.state == "failed"
    assert "rate-limited until" in run.message
    # Data Center's pages overlap by one.
    assert len(jira.store.texts()) in (7, 8)
    searches = len(jira.server.paths(searched(jira)))
    run = jira.sync()
    assert run.state == "succeeded"
    assert set(jira.store.texts()) == set(ids(issues))
    # Two pages were there: the rest took two more, and not four.
    assert len(jira.server.paths(searched(jira))) - searches <= 3


@pytest.mark.parametrize("kind", ["reset", "half", "half_json"])
def test_a_broken_answer_is_asked_for_again(jira, ops, kind):
    issues = filled(jira, ops)
    jira.server.fail(kind, searched(jira), after=1)
    assert read(jira.changes()) == ids(issues)


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_server_error_is_asked_for_again(jira, ops, status):
    issues = filled(jira, ops)
    jira.server.refuse(status, searched(jira), after=2, times=2)
    assert read(jira.changes()) == ids(issues)


def test_a_site_that_is_down_ends_the_run_and_keeps_what_was_read(jira, ops):
    issues = filled(jira, ops)
    jira.server.refuse(503, searched(jira), after=2, times=99)
    run = jira.sync()
    assert run.state == "failed"
    assert "secret of the body" not in run.message
    assert len(jira.store.texts()) in (7, 8)
    jira.server.faults.clear()
    assert jira.sync().state == "succeeded"
    assert set(jira.store.texts()) == set(ids(issues))


@pytest.mark.parametrize("after", range(5))
def test_a_listing_that_breaks_off_deletes_nothing(jira, ops, after):
    """C52: a listing is complete only if its end was seen."""
    filled(jira, ops)
    jira.sync()
    held = set(jira.store.texts())
    jira.server.refuse(500, searched(jira), after=after, times=99)
    if after < 4:
        with pytest.raises(IncompleteListing):
            list(jira.connector().listing())
        assert jira.sync_whole().state == "failed"
    assert set(jira.store.texts()) == held


def test_an_empty_answer_deletes_nothing_without_a_word(jira, ops):
    """C52: permissions that are lost look like a site without issues."""
    filled(jira, ops, count=30)
    jira.sync()
    held = set(jira.store.texts())
    ops.is_hidden = True
    run = jira.sync_whole()
    assert run.state == "held"
    assert "30 of 30 documents are missing" in run.message
    assert set(jira.store.texts()) == held


def test_a_wrong_key_pauses_the_source(jira, ops):
    jira.extra["token"] = "another"
    run = jira.sync()
    assert run.state == "failed"
    assert jira.source.state == "paused"
    assert "Make a new token" in run.message
    assert "another" not in run.message


def test_a_run_that_is_stopped_anywhere_ends_as_if_undisturbed(jira, ops):
    """Each run is stopped a little later; the last one ends in the same state."""
    issues = filled(jira, ops, count=9)
    jira.site.attach(issues[0], "a.txt", b"A file.")
    jira.site.comment(issues[1], jira.body("A word."), "ada")
    for breath in range(12):
        left = iter([False] * breath)
        jira.sync(should_stop=lambda left=left: next(left, True))
    assert jira.sync().state == "succeeded"
    texts = jira.store.texts()
    assert set(ids(issues)) <= set(texts)
    assert len(texts) == 10
    assert set(jira.states().values()) == {State.INDEXED}


def test_an_issue_whose_comments_cannot_be_read_fails_and_is_read_again(jira, ops):
    jira.server.payloads.embedded_comments = 1
    issue = jira.site.create(ops, "It")
    for number in range(3):
        jira.site.comment(issue, jira.body(f"Word {number}."), "ada")
    good = jira.site.create(ops, "Good")
    jira.server.refuse(500, "/comment", times=99)
    # Long ago: no window of a later run holds it.
    jira.site.pass_time(86_400)
    run = jira.sync()
    assert run.state == "succeeded"
    assert jira.row(f"issue/{issue.id}").url.endswith("/browse/OPS-1")
    assert jira.states() == {
        f"issue/{issue.id}": "failed",
        f"issue/{good.id}": "indexed",
    }
    jira.server.faults.clear()
    jira.site.pass_time(86_400)
    jira.sync()
    assert jira.states()[f"issue/{issue.id}"] == "indexed"
    assert jira.source.cursor["again"] == []


def test_an_attachment_that_cannot_be_read_fails_and_is_read_again(jira, ops):
    issue = jira.site.create(ops, "It")
    file = jira.site.attach(issue, "a.txt", b"A file.")
    path = (
        f"/attachment/content/{file.id}"
        if jira.server.is_cloud
        else "/secure/attachment"
    )
    jira.server.refuse(500, path, times=99)
    jira.site.pass_time(86_400)
    run = jira.sync()
    assert run.state == "succeeded"
    name = f"issue/{issue.id}/attachment/{file.id}"
    row = jira.row(name)
    assert (row.state, row.reason) == ("failed", "unreadable")
    # Every error names the document and its link (C54).
    [told] = [item for item in run.issues.all() if item.external_id == name]
    assert told.url.endswith("a.txt")
    jira.server.faults.clear()
    jira.site.pass_time(86_400)
    jira.sync()
    assert jira.row(name).state == "indexed"


def test_an_issue_that_goes_away_before_it_is_read_again_is_forgotten(jira, ops):
    issue = jira.site.create(ops, "It")
    jira.site.attach(issue, "a.txt", b"A file.")
    jira.server.refuse(500, "/attachment/", times=99)
    jira.sync()
    assert jira.source.cursor["again"] == [issue.id]
    jira.site.pass_time(86_400)
    jira.site.delete(issue)
    assert jira.sync().state == "succeeded"
    assert jira.source.cursor["again"] == []


def test_a_redirect_away_from_the_vendor_is_not_followed(cloud, ops):
    issue = cloud.site.create(ops, "It")
    file = cloud.site.attach(issue, "a.txt", b"A file.")
    from tests.vendors.loopback import Reply

    away = Reply(b"", 303, {"Location": "https://evil.example.com/x"})
    cloud.server.fail("reply", f"/content/{file.id}", reply=away, times=9)
    failed = [c for c in cloud.changes() if isinstance(c, Failed)]
    assert [f.external_id for f in failed] == [f"issue/{issue.id}/attachment/{file.id}"]
    assert "not followed" in failed[0].message


def test_files_come_from_the_vendor_s_host_without_the_key(cloud, ops):
    issue = cloud.site.create(ops, "It")
    cloud.site.attach(issue, "a.txt", b"A file.")
    cloud.sync()
    assert "A file." in str(cloud.store.texts())
    assert cloud.server.media.asked
    assert all("authorization" not in a.headers for a in cloud.server.media.asked)


def test_a_file_larger_than_it_said_is_not_read_whole(jira, ops, monkeypatch):
    from tests.vendors.jira.payloads import Payloads

    jira.extra["max_file_mb"] = 0.001
    issue = jira.site.create(ops, "It")
    file = jira.site.attach(issue, "a.txt", b"x" * 5000)
    real = Payloads.attachment
    monkeypatch.setattr(
        Payloads, "attachment", lambda self, item: {**real(self, item), "size": 10}
    )
    jira.sync()
    assert jira.reasons()[f"issue/{issue.id}/attachment/{file.id}"] == "too_large"


def test_a_text_that_nests_too_deep_fails_alone(cloud, ops):
    """Python reads JSON about a thousand levels deep; a hostile text may go deeper."""
    issues = filled(cloud, ops)
    opened = '{"type": "blockquote", "content": ['
    cloud.server.splices["DEEP"] = opened * 900 + "]}" * 900
    cloud.site.edit(issues[5], description="DEEP")
    run = cloud.sync()
    assert run.state == "succeeded"
    states = cloud.states()
    assert states.pop(f"issue/{issues[5].id}") == "failed"
    assert set(states.values()) == {State.INDEXED}
    assert len(states) == len(issues) - 1
    # Neither a listing nor access reads descriptions.
    assert set(cloud.connector().listing()) == set(ids(issues))
    cloud.site.edit(issues[5], description=adf("mended"))
    cloud.sync()
    assert "mended" in cloud.text(issues[5])
