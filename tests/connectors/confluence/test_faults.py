"""What goes wrong on the way: limits, errors, resets, half answers, kills.

FIELD rows C30, C53 and C54 as far as they're the connector's.
"""

import logging

import pytest

from connectors.base import Checkpoint, Notice, Upsert
from tests.connectors.confluence.worlds import Nothing, reasons

pytestmark = pytest.mark.integration


@pytest.fixture
def filled(site):
    """Return a site with pages, comments and files."""
    for number in range(5):
        page = site.state.add("HR", f"Page {number}", f"<p>Text {number}.</p>")
        site.state.comment(page, "<p>Sure?</p>")
        site.state.attach(page, f"file{number}.txt", b"file")
    return site


def test_a_limit_is_waited_out_and_told(filled):
    """C30: Retry-After is honoured, and shown."""
    filled.server.limit("", retry_after=17, after=3)
    run = filled.sync()
    assert run.state == "succeeded"
    assert len(filled.texts()) == 10
    assert [reason for reason, _ in reasons(run)] == ["waited"]
    [issue] = run.issues.all()
    assert "Waiting until" in issue.message
    # Slept in steps, between which the run keeps its lease.
    assert 17 <= sum(filled.pauses) <= 20


def test_a_long_limit_ends_the_run_and_says_until_when(filled):
    """C30: no sleep that looks like a hang; what was read is kept."""
    filled.server.limit(
        "/comment" if not filled.is_cloud else "-comments", retry_after=7200
    )
    run = filled.sync()
    assert run.state == "failed"
    assert "rate-limited until" in run.message
    assert filled.pauses == []
    assert filled.sync().state == "succeeded"
    assert len(filled.texts()) == 10


def test_what_was_read_before_a_failure_isnt_read_again(site):
    for number in range(60):
        site.state.add("HR", f"Page {number}", f"<p>Text {number}.</p>")
    bodies = "/pages" if site.is_cloud else "/rest/api/content/"
    asked = 2 if site.is_cloud else 40
    site.server.refuse(503, bodies, times=5, after=asked)
    run = site.sync()
    assert run.state == "failed"
    done = len(site.texts())
    assert 0 < done < 60
    embedded = site.embedder.embedded
    site.server.faults.clear()
    assert site.sync().state == "succeeded"
    assert len(site.texts()) == 60
    # One text a page, and one more each for what was embedded with its title.
    assert site.embedder.embedded - embedded == (60 - done) * embedded // done


@pytest.mark.parametrize("kind", ["reset", "half", "half_json"])
def test_every_kind_of_broken_answer_is_asked_again(filled, kind):
    for path in ("/space", "/search", "/restriction", "comment", "/attachment"):
        filled.server.fail(kind, path)
    assert filled.sync().state == "succeeded"
    assert len(filled.texts()) == 10


def test_a_wrong_key_pauses_the_source(site):
    site.state.add("HR", "Leave", "<p>x</p>")
    site.settings["token"] = "wrong-s3cret"
    run = site.sync()
    site.source.refresh_from_db()
    assert (run.state, site.source.state) == ("failed", "paused")
    assert "Make a new token" in site.source.reason
    assert "wrong-s3cret" not in site.source.reason


def test_one_file_that_cant_be_fetched_is_named(filled):
    broken = next(i for i in filled.state.items.values() if i.type == "attachment")
    filled.server.refuse(404, broken.id, times=9)
    run = filled.sync()
    assert run.state == "succeeded"
    assert len(filled.texts()) == 9
    [issue] = [i for i in run.issues.all() if i.reason == "not_downloaded"]
    assert (issue.external_id, broken.title in issue.message) == (broken.id, True)


def test_comments_that_are_refused_are_told_and_the_page_is_read(filled):
    refused = "footer-comments" if filled.is_cloud else "/child/comment"
    filled.server.refuse(403, refused)
    run = filled.sync()
    assert run.state == "succeeded"
    assert len(filled.texts()) == 10
    assert [reason for reason, _ in reasons(run)] == ["comments_unread"]


def test_an_empty_page_is_a_warning(site):
    """C54: no text isn't counted as read without a word."""
    page = site.state.add("HR", "Empty", "<p> </p>")
    run = site.sync()
    assert ("no_text", page.id) in reasons(run)


def test_a_page_that_goes_while_it_is_read_is_gone(site):
    page = site.state.add("HR", "Leave", "<p>x</p>")
    other = site.state.add("HR", "Travel", "<p>x</p>")
    seen = []
    for change in site.connector().changes(None, Nothing()):
        if not seen:
            site.state.trash(page)
        seen.append(change)
    read = [c.document.external_id for c in seen if isinstance(c, Upsert)]
    assert read == [other.id]


def test_a_body_that_cant_be_read_as_xml_is_read_as_far_as_it_goes(site):
    site.state.add("HR", "Broken", "<p>Begins <b>here</p><p>and ends.</p>")
    run = site.sync()
    assert "Begins here" in site.texts()["Broken"]
    assert [reason for reason, _ in reasons(run)] == ["damaged_markup"]


def test_nothing_secret_and_no_text_comes_into_logs(filled, caplog):
    caplog.set_level(logging.DEBUG)
    filled.server.limit("")
    filled.server.refuse(403, "comment")
    filled.sync()
    for hidden in (filled.state.token, "Text 1.", "secret of the body", "Basic "):
        assert hidden not in caplog.text


def test_pauses_can_be_watched_while_they_last(filled):
    """Whoever runs a sync sets these to show them and to keep its lease."""
    connector = filled.connector()
    order = []
    connector.patience.on_wait = lambda waiting: order.append(waiting.message)
    connector.patience.sleep = lambda seconds: order.append("slept")
    filled.server.limit("", retry_after=5)
    changes = list(connector.changes(None, Nothing()))
    assert order[0].startswith("Confluence limits")
    assert order[1] == "slept"
    assert [c.reason for c in changes if isinstance(c, Notice)][:1] == ["waited"]


@pytest.mark.parametrize("after", range(1, 30, 4))
def test_a_run_that_is_killed_anywhere_is_completed_by_the_next(filled, after):
    """The run dies between two changes; the next one ends where an undisturbed would."""
    done = []

    def stop():
        done.append(1)
        return len(done) > after // 4

    filled.server.most = 2
    changes = filled.connector().changes(None, Nothing())
    for _, change in zip(range(after), changes, strict=False):
        assert not isinstance(change, Checkpoint) or after > 10
    changes.close()
    filled.sync(should_stop=stop)
    filled.sync()
    filled.sync()
    assert len(filled.texts()) == 10
    assert set(filled.states().values()) == {"indexed"}


def test_a_converter_that_breaks_fails_its_document_alone(filled, monkeypatch):
    def broken(*_args, **_kwargs):
        raise RuntimeError("no text of a document")

    monkeypatch.setattr("connectors.confluence.pages.convert", broken)
    run = filled.sync()
    assert run.state == "succeeded"
    assert sorted(set(filled.states().values())) == ["failed", "indexed"]
    assert all("no text" not in issue.message for issue in run.issues.all())
