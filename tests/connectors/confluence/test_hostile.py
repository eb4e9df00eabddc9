"""What's broken or hostile at the source: one document's failure, never the run's.

FIELD row C54: each failure names its document and link. An answer that holds the broken
thing is spoilt for ever, whatever else it holds.
"""

import pytest

from connectors.base import Failed
from connectors.http import session
from tests.connectors.confluence.worlds import Nothing, reasons
from tests.vendors.loopback import Fault, Reply
from tests.vendors.poison import KINDS, PAGE

pytestmark = pytest.mark.integration


@pytest.fixture
def filled(site):
    """Return a site with six pages, of which the third is poisonous."""
    for number in range(6):
        poison = "POISON ~ here." if number == 2 else ""
        site.state.add("HR", f"Page {number}", f"<p>Text {number}. {poison}</p>")
    return site


GOOD = [f"Page {number}" for number in (0, 1, 3, 4, 5)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", ["sync", "sync_recent"])
def test_a_page_that_spoils_every_answer_fails_alone(filled, kind, way):
    filled.sync()
    broken = next(i for i in filled.state.items.values() if i.title == "Page 2")
    for item in filled.state.current("page"):
        filled.state.edit(item)
    filled.server.poison["POISON"] = KINDS[kind]
    run = getattr(filled, way)()
    assert run.state == "succeeded"
    assert sorted(filled.texts()) == GOOD
    [issue] = [item for item in run.issues.all() if item.severity == "error"]
    assert (issue.reason, issue.external_id) == ("unread", broken.id)
    assert broken.id in issue.url
    assert "secret of the body" not in issue.message
    filled.server.poison.clear()
    filled.sync()
    assert "POISON" in filled.texts()["Page 2"]


def test_bytes_that_are_no_characters_are_read_as_such(filled):
    filled.server.poison["POISON"] = Fault("bad_utf8")
    run = filled.sync()
    assert run.state == "succeeded"
    assert "POISON \ufffd\ufffd here." in filled.texts()["Page 2"]
    broken = next(i for i in filled.state.items.values() if i.title == "Page 2")
    assert reasons(run) == [("damaged_characters", broken.id)]


def test_a_page_larger_than_any_answer_fails_alone(filled, monkeypatch):
    monkeypatch.setattr(session, "MAX_JSON_BYTES", 20_000)
    broken = next(i for i in filled.state.items.values() if i.title == "Page 2")
    broken.body = f"<p>{'word ' * 5_000}</p>"
    run = filled.sync()
    assert run.state == "succeeded"
    assert sorted(filled.texts()) == GOOD
    assert ("unread", broken.id) in reasons(run)


def test_a_page_of_fifty_megabytes_fails_alone(filled):
    broken = next(i for i in filled.state.items.values() if i.title == "Page 2")
    broken.body = "<p>x</p>" * 6_300_000
    run = filled.sync()
    assert run.state == "succeeded"
    assert sorted(filled.texts()) == GOOD
    assert ("too_large", broken.id) in reasons(run)


@pytest.mark.parametrize("kind", ["html", "500", "half"])
def test_a_site_that_is_broken_as_a_whole_hides_nothing(filled, kind):
    filled.sync()
    for item in filled.state.current("page"):
        filled.state.edit(item)
    filled.server.poison["Text"] = KINDS[kind]
    assert filled.sync().state == "failed"
    assert len(filled.texts()) == 6
    filled.server.poison.clear()
    assert filled.sync().state == "succeeded"


@pytest.mark.parametrize("kind", ["html", "500", "half", "a length that lies"])
def test_comments_that_cant_be_read_are_told_and_the_page_is_read(filled, kind):
    page = next(i for i in filled.state.items.values() if i.title == "Page 1")
    filled.state.comment(page, "<p>CURSED</p>")
    filled.server.poison["CURSED"] = KINDS[kind]
    run = filled.sync()
    assert run.state == "succeeded"
    assert len(filled.texts()) == 6
    assert ("comments_unread", page.id) in reasons(run)


FILES = {
    "a page instead": PAGE,
    "500": Reply(b"", 500),
    "410": Reply(b"", 410),
    "another host": Reply(b"", 302, {"Location": "https://files.example.com/x"}),
    "metadata": Reply(b"", 302, {"Location": "http://169.254.169.254/latest/"}),
    "another scheme": Reply(b"", 302, {"Location": "file:///etc/passwd"}),
    "a ring": Reply(b"", 302, {"Location": "?"}),
}


@pytest.mark.parametrize("kind", [*FILES, "half", "a length that lies"])
def test_a_file_that_cant_be_had_fails_alone(site, kind):
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    bad = site.state.attach(page, "bad.txt", b"CURSED")
    good = site.state.attach(page, "good.txt", b"Good.")
    answer = Fault("reply", reply=FILES[kind]) if kind in FILES else KINDS[kind]
    site.server.poison["CURSED"] = answer
    run = site.sync()
    assert run.state == "succeeded"
    assert site.states() == {
        page.id: "indexed",
        bad.id: "failed",
        good.id: "indexed",
    }
    [issue] = [i for i in run.issues.all() if i.external_id == bad.id]
    assert issue.reason == "not_downloaded"
    assert "bad.txt" in issue.message
    assert page.id in issue.url


def test_a_file_that_is_a_page_may_be_one(site):
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.state.attach(page, "rules.html", b"<p>CURSED</p>")
    body = Reply(b"<p>Two weeks ahead.</p>", 200, {"Content-Type": "text/html"})
    site.server.poison["CURSED"] = Fault("reply", reply=body)
    site.sync()
    assert "Two weeks ahead." in site.texts()["rules.html (Leave)"]


def test_a_file_shorter_than_it_says_is_read_as_far_as_it_came(site):
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.state.attach(page, "a.txt", b"CURSED " * 2)
    site.server.poison["CURSED"] = Fault("too_short")
    run = site.sync()
    assert run.state == "succeeded"
    assert len(site.texts()) == 2


@pytest.mark.parametrize("kind", ["html", "500", "half"])
def test_files_that_cant_be_listed_leave_their_page_readable(site, kind):
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.state.attach(page, "a.txt", b"File.")
    site.sync()
    site.state.edit(page, "<p>Thirty-two days.</p>")
    listing = "/attachments" if site.is_cloud else "/child/attachment"
    answer = KINDS[kind]
    site.server.fail(answer.kind, listing, reply=answer.reply, times=9)
    run = site.sync_recent()
    assert run.state == "succeeded"
    assert "Thirty-two days." in site.texts()["Leave"]
    [told] = [i for i in run.issues.all() if i.reason == "attachments_unread"]
    assert page.id in told.message


def test_a_list_that_is_a_page_deletes_nothing(filled):
    filled.sync()
    listing = "/pages" if filled.is_cloud else "/rest/api/content"
    filled.server.fail("reply", listing, reply=PAGE, times=99)
    assert filled.sync().state == "failed"
    assert len(filled.texts()) == 6


def test_labels_that_cant_be_read_fail_their_page_alone(site):
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    other = site.state.add("HR", "Travel", "<p>By train.</p>")
    site.sync()
    for item in (page, other):
        site.state.edit(item)
    path = f"{page.id}/labels" if site.is_cloud else f"/content/{page.id}"
    after = 0 if site.is_cloud else 2
    site.server.refuse(500, path, times=99, after=after)
    run = site.sync_recent()
    assert run.state == "succeeded"
    assert list(site.texts()) == ["Travel"]
    assert ("unread", page.id) in reasons(run)


def test_a_name_that_cant_be_had_is_the_accounts_id(site):
    site.state.add("HR", "Leave", "<p>Thirty days.</p>", author="u-odd")
    site.server.fail("reply", "/rest/api/user", reply=PAGE, after=0, times=99)
    connector = site.connector()
    changes = list(connector.changes(None, Nothing()))
    assert not any(isinstance(c, Failed) for c in changes)
