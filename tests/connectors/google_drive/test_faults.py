"""What goes wrong on the way: limits, 403s by reason, errors, resets, half answers.

FIELD rows C30, C41, C53 and C54 as far as they're the connector's.
"""

import logging

import pytest

from connectors.models import Document
from tests.connectors.google_drive.test_paging import filled, ids
from tests.connectors.google_drive.worlds import readers, told
from tests.connectors.worlds import issues
from tests.vendors.google.editors import text_document
from tests.vendors.google.errors import api_error, drive_error, limit_error
from tests.vendors.google.state import DOC, Grant
from tests.vendors.loopback import Reply

pytestmark = pytest.mark.integration

State = Document.State
ADA = "ada@example.com"

LIMITS = [
    limit_error("userRateLimitExceeded"),
    limit_error("rateLimitExceeded"),
    limit_error("rateLimitExceeded", status=429),
    api_error(429, "Quota exceeded for quota metric 'Read requests'"),
    api_error(403, "Quota exceeded", reason="RATE_LIMIT_EXCEEDED"),
]


@pytest.mark.parametrize("reply", LIMITS, ids=range(len(LIMITS)))
@pytest.mark.parametrize(
    "path", ["/v3/files", "alt=media", "/v3/changes", "/permissions"]
)
def test_every_limit_is_waited_for_and_told(drive, team, reply, path):
    """C30, C41: a limit comes as 403 as well as 429, and is never lost access."""
    items = filled(drive, team, 4)
    if path == "/v3/changes":
        drive.sync()
        drive.space.edit(items[0], data="Newer.")
    part = items[0].id if path == "alt=media" else path
    drive.server.fail("reply", part, reply=reply)
    run = drive.sync()
    assert run.state == "succeeded"
    assert drive.ids() == ids(items)
    [message] = told(run, "waited")
    assert "Google limits how often it's asked. Waiting until" in message
    assert sum(drive.slept) > 0


def test_retry_after_is_honoured(drive, team):
    """C30."""
    filled(drive, team, 3)
    drive.server.fail(
        "reply",
        "/v3/files",
        reply=limit_error("userRateLimitExceeded", retry_after="17"),
    )
    drive.sync()
    assert 17 <= sum(drive.slept) <= 20


def test_a_long_limit_ends_the_run_which_goes_on_later(drive, team):
    """C30, C41: what was read is kept, and nothing is taken for deleted."""
    items = filled(drive, team, 40)
    reply = limit_error("userRateLimitExceeded", retry_after="3600")
    drive.server.fail("reply", items[35].id, reply=reply)
    run = drive.sync()
    assert run.state == "failed"
    assert "rate-limited until" in run.message
    drive.source.refresh_from_db()
    assert drive.source.state == "active"
    kept = drive.ids()
    assert len(kept) >= 32
    drive.server.asked.clear()
    assert drive.sync().state == "succeeded"
    assert drive.ids() == ids(items)
    fetched = [a for a in drive.server.asked if a.query.get("alt") == "media"]
    assert len(fetched) == 40 - len(kept)


def test_a_limit_while_rights_are_read_withdraws_none(drive, team):
    """C41."""
    items = filled(drive, team, 3)
    drive.space.share(items[0], Grant("user", "cy@example.com"))
    drive.sync()
    drive.server.fail(
        "reply", "/permissions", reply=limit_error("userRateLimitExceeded"), times=99
    )
    for item in items:
        drive.space.edit(item, data="Newer.")
    assert drive.sync().state == "failed"
    assert drive.ids() == ids(items)
    drive.server.faults.clear()
    assert readers(drive, drive.row(items[0].id).rule.as_value()) == {
        "ada",
        "bob",
        "cy",
    }
    drive.sync()
    assert readers(drive, drive.row(items[0].id).rule.as_value()) == {
        "ada",
        "bob",
        "cy",
    }


ABOUT_ONE = {
    "cannotDownloadFile": ("skipped", "cannot_download"),
    "cannotDownloadAbusiveFile": ("skipped", "cannot_download"),
    "fileNotDownloadable": ("skipped", "cannot_download"),
    "appNotAuthorizedToFile": ("failed", "unreadable"),
    "insufficientFilePermissions": ("failed", "unreadable"),
    "somethingNew": ("failed", "unreadable"),
}


@pytest.mark.parametrize("reason", ABOUT_ONE)
def test_a_refusal_of_one_file_is_its_own_and_says_why(drive, team, reason):
    items = filled(drive, team, 3)
    drive.server.fail("reply", items[1].id, reply=drive_error(403, reason), times=9)
    run = drive.sync()
    assert run.state == "succeeded"
    row = drive.row(items[1].id)
    assert (row.state, row.reason) == ABOUT_ONE[reason]
    assert "secret of the body" not in row.message
    assert drive.ids() == ids([items[0], items[2]])
    assert drive.slept == []
    # Every error names the document and its link (C54).
    [issue] = [i for i in run.issues.all() if i.external_id == items[1].id]
    assert issue.url.endswith(f"{items[1].id}/view")


MENDS = {
    "appNotAuthorizedToFile": "with the scope drive.readonly",
    "insufficientFilePermissions": "Share it with that account",
    "cannotDownloadFile": "as an editor",
}


@pytest.mark.parametrize("reason", MENDS)
def test_each_reason_has_its_own_mend(drive, team, reason):
    [item] = filled(drive, team, 1)
    drive.server.fail("reply", item.id, reply=drive_error(403, reason), times=9)
    drive.sync()
    assert MENDS[reason] in drive.row(item.id).message


def test_a_file_that_could_not_be_read_is_read_again_though_no_log_names_it(
    drive, team
):
    items = filled(drive, team, 2)
    drive.server.fail(
        "reply", items[0].id, reply=drive_error(403, "forbidden"), times=9
    )
    drive.sync()
    assert drive.source.cursor["again"] == [items[0].id]
    drive.server.faults.clear()
    drive.sync()
    assert drive.ids() == ids(items)
    assert drive.source.cursor["again"] == []


def test_a_file_that_goes_before_it_is_read_again_is_forgotten(drive, team):
    items = filled(drive, team, 2)
    drive.server.fail(
        "reply", items[0].id, reply=drive_error(403, "forbidden"), times=1
    )
    drive.sync()
    drive.space.delete(items[0])
    drive.sync()
    assert drive.source.cursor["again"] == []
    assert set(drive.states()) - {items[0].id} == {items[1].id}
    assert drive.states()[items[0].id] == "removed"


@pytest.mark.parametrize("kind", ["reset", "half", "half_json"])
def test_a_broken_answer_is_asked_for_again(drive, team, kind):
    items = filled(drive, team, 3)
    for path in ("/v3/files", "/v3/drives", "/permissions", "startPageToken"):
        drive.server.fail(kind, path)
    if kind != "half_json":
        drive.server.fail(kind, items[1].id)
    assert drive.sync().state == "succeeded"
    assert drive.ids() == ids(items)


@pytest.mark.parametrize("status", [500, 502, 503])
def test_a_server_error_is_asked_for_again(drive, team, status):
    items = filled(drive, team, 3)
    drive.server.refuse(status, "/v3/files", times=2)
    drive.server.refuse(status, "/token", times=1)
    assert drive.sync().state == "succeeded"
    assert drive.ids() == ids(items)


def test_google_being_down_ends_the_run_and_keeps_what_was_read(drive, team):
    items = filled(drive, team, 40)
    drive.server.refuse(503, items[38].id, times=99)
    run = drive.sync()
    assert run.state == "failed"
    assert "secret of the body" not in run.message
    assert len(drive.ids()) >= 32
    drive.server.faults.clear()
    assert drive.sync().state == "succeeded"
    assert drive.ids() == ids(items)


def test_three_broken_files_in_a_row_are_google_s_and_hide_nothing(drive, team):
    items = [
        drive.space.add(f"D{n}", mime=DOC, drive=team, content=text_document("Text."))
        for n in range(6)
    ]
    drive.sync()
    drive.space.pass_time(60)
    for item in items:
        drive.space.edit(item, content=text_document("Newer."))
    drive.server.refuse(500, "/v1/documents", times=999)
    run = drive.sync()
    assert run.state == "failed"
    drive.server.faults.clear()
    drive.sync()
    assert drive.ids() == ids(items)
    assert all("Newer" in drive.text(item) for item in items)


@pytest.mark.parametrize("after", range(4))
def test_a_listing_that_breaks_off_deletes_nothing(drive, team, after):
    items = filled(drive, team)
    drive.sync()
    drive.server.largest_page = 3
    drive.server.refuse(500, "/v3/files", after=after, times=99)
    assert drive.sync_whole().state == "failed"
    assert drive.ids() == ids(items)


def test_a_token_that_ended_early_is_renewed_once(drive, team):
    items = filled(drive, team, 3)
    drive.server.fail("reply", "/v3/files", reply=drive_error(401, "authError"))
    assert drive.sync().state == "succeeded"
    assert drive.ids() == ids(items)
    assert len(drive.server.paths("/token")) == 2


def test_tokens_that_end_while_a_run_goes_on_are_renewed(drive, team):
    items = filled(drive, team, 3)
    drive.server.tokens.lasts_s = 1
    assert drive.sync().state == "succeeded"
    assert drive.ids() == ids(items)
    assert len(drive.server.paths("/token")) > 3


def test_a_key_that_is_withdrawn_pauses_the_source(drive, team):
    items = filled(drive, team, 3)
    drive.sync()
    drive.server.tokens.keys.clear()
    run = drive.sync()
    drive.source.refresh_from_db()
    assert (run.state, drive.source.state) == ("failed", "paused")
    assert "Make a new key" in run.message
    assert drive.ids() == ids(items)


def test_a_run_that_is_stopped_anywhere_ends_as_if_undisturbed(drive, team):
    items = filled(drive, team, 9)
    folder = drive.space.folder("F", drive=team)
    items.append(drive.space.add("A.txt", parent=folder, data="Text."))
    for breath in range(8):
        left = iter([False] * breath)
        drive.sync(should_stop=lambda left=left: next(left, True))
    assert drive.sync().state == "succeeded"
    assert drive.ids() == ids(items)
    assert set(drive.states().values()) == {State.INDEXED}


def test_a_redirect_away_from_google_is_not_followed(drive, team):
    items = filled(drive, team, 2)
    away = Reply(b"", 303, {"Location": "https://evil.example.com/x"})
    drive.server.fail("reply", items[0].id, reply=away, times=9)
    assert drive.sync().state == "succeeded"
    assert drive.states()[items[0].id] == "failed"
    assert "not followed" in drive.row(items[0].id).message


def test_neither_keys_nor_tokens_nor_bodies_are_logged(drive, team, caplog, capsys):
    """C53."""
    caplog.set_level(logging.DEBUG)
    items = filled(drive, team, 2)
    drive.server.fail(
        "reply", items[0].id, reply=drive_error(403, "forbidden"), times=9
    )
    drive.server.fail("reply", "/v3/files", reply=limit_error("userRateLimitExceeded"))
    run = drive.sync()
    drive.server.tokens.keys.clear()
    failed = drive.sync()
    shown = capsys.readouterr()
    told_ = " ".join(str(issue) for r in (run, failed) for issue in r.issues.all())
    logged = caplog.text + shown.out + shown.err + told_ + failed.message
    for secret in ("PRIVATE KEY", "ya29.", "secret of the body", "Text 1."):
        assert secret not in logged


def test_a_proxy_s_page_in_the_place_of_data_ends_the_run_with_its_mend(drive, team):
    filled(drive, team, 2)
    page = Reply(b"<html>Sign in</html>", headers={"Content-Type": "text/html"})
    drive.server.fail("reply", "/v3/files", reply=page, times=9)
    run = drive.sync()
    assert run.state == "failed"
    assert "than" in run.message
    assert issues(run)
