"""What's broken or hostile at the source: one document's failure, never the run's.

FIELD row C54: each failure names its document and link. An answer that holds the broken
thing is spoilt for ever, whatever else it holds.
"""

import pytest

from connectors.errors import IncompleteListing
from connectors.http import session
from memory.access import NOBODY_RULE
from tests.connectors.jira.test_paging import filled, ids
from tests.vendors.loopback import Fault, Reply
from tests.vendors.poison import KINDS, PAGE

pytestmark = pytest.mark.integration


@pytest.fixture
def broken(jira, ops):
    """Return the third of six issues, whose text is poisonous."""
    issues = filled(jira, ops, count=6)
    issues[2].description = jira.body("POISON ~ here.")
    return issues[2]


def others(world, broken):
    return {name for name in ids(world.site.issues.values()) if name != name_of(broken)}


def name_of(issue):
    return f"issue/{issue.id}"


@pytest.mark.parametrize("kind", KINDS)
def test_an_issue_that_spoils_every_answer_fails_alone(jira, broken, kind):
    jira.server.poison["POISON"] = KINDS[kind]
    run = jira.sync()
    assert run.state == "succeeded"
    assert set(jira.store.texts()) == others(jira, broken)
    [told] = [i for i in run.issues.all() if i.external_id == name_of(broken)]
    assert told.reason == "unreadable"
    assert "secret of the body" not in told.message
    # Neither a listing nor access reads descriptions.
    assert set(jira.connector().listing()) == set(ids(jira.site.issues.values()))
    assert len(dict(jira.connector().access())) == 6
    # It's asked for again, though it doesn't change.
    jira.server.poison.clear()
    jira.site.pass_time(86_400)
    jira.sync()
    assert "POISON" in jira.text(broken)


def test_bytes_that_are_no_characters_are_read_as_such(jira, broken):
    jira.server.poison["POISON"] = Fault("bad_utf8")
    run = jira.sync()
    assert run.state == "succeeded"
    assert "POISON \ufffd\ufffd here." in jira.text(broken)
    assert jira.row(name_of(broken)).warnings[0][0] == "damaged_characters"


def test_an_issue_larger_than_any_answer_fails_alone(jira, broken, monkeypatch):
    monkeypatch.setattr(session, "MAX_JSON_BYTES", 20_000)
    broken.description = jira.body("word " * 5_000)
    run = jira.sync()
    assert run.state == "succeeded"
    assert set(jira.store.texts()) == others(jira, broken)
    assert jira.row(name_of(broken)).reason == "unreadable"


def test_a_text_of_thirty_megabytes_fails_alone(jira, broken):
    broken.description = jira.body("word " * 6_000_000)
    run = jira.sync()
    assert run.state == "succeeded"
    assert set(jira.store.texts()) == others(jira, broken)
    assert jira.row(name_of(broken)).reason == "too_large"


@pytest.mark.parametrize("kind", ["html", "500", "half"])
def test_a_site_that_is_broken_as_a_whole_hides_nothing(jira, ops, monkeypatch, kind):
    issues = filled(jira, ops, count=6)
    jira.sync()
    jira.site.pass_time(3600)
    for issue in issues:
        jira.site.edit(issue, summary="Edited")
    jira.server.poison["Edited"] = KINDS[kind]
    assert jira.sync().state == "failed"
    assert sum(state == "indexed" for state in jira.states().values()) >= 4
    jira.server.poison.clear()
    assert jira.sync().state == "succeeded"
    assert set(jira.states().values()) == {"indexed"}


@pytest.mark.parametrize("kind", ["html", "500", "half", "a length that lies"])
def test_what_hangs_on_an_issue_that_cant_be_read_stays_and_is_denied(jira, ops, kind):
    """Its comments can't be read: nothing of it is deleted, and none is shown."""
    jira.server.payloads.embedded_comments = 1
    role = jira.site.add_role("Administrators")
    jira.site.put_in_role(ops, role, users=["bob"])
    issue, good = jira.site.create(ops, "It"), jira.site.create(ops, "Good")
    file = jira.site.attach(issue, "a.txt", b"A file.")
    secret = jira.site.comment(issue, jira.body("Secret."), role="Administrators")
    jira.site.comment(issue, jira.body("CURSED."))
    jira.sync()
    assert len(jira.store.texts()) == 4
    jira.server.payloads.embedded_comments = 0
    jira.server.poison["CURSED"] = KINDS[kind]
    with pytest.raises(IncompleteListing, match="OPS-1"):
        list(jira.connector().listing())
    rules = read_until_it_breaks(jira.connector().access(jira.known()))
    assert rules[jira.name(issue, "comment", secret.id)] == NOBODY_RULE
    assert rules[jira.name(issue, "attachment", file.id)].layers
    assert rules[name_of(good)].layers
    run = jira.sync_whole()
    assert run.state == "succeeded"
    assert jira.row(jira.name(issue, "attachment", file.id)).state == "indexed"
    assert jira.row(name_of(issue)).state == "failed"
    jira.server.poison.clear()
    jira.server.payloads.embedded_comments = 1
    jira.sync()
    assert len(jira.store.texts()) == 4


def read_until_it_breaks(items):
    found = {}
    try:
        for name, value in items:
            found[name] = value
    except IncompleteListing:
        return found
    raise AssertionError("it ended")


FILES = {
    "a page instead": PAGE,
    "500": Reply(b"", 500),
    "410": Reply(b"", 410),
    "another host": Reply(b"", 303, {"Location": "https://files.example.com/x"}),
    "metadata": Reply(b"", 303, {"Location": "http://169.254.169.254/latest/"}),
    "another scheme": Reply(b"", 303, {"Location": "file:///etc/passwd"}),
    "a ring": Reply(b"", 303, {"Location": "?"}),
}


@pytest.mark.parametrize("kind", [*FILES, "half", "a length that lies"])
def test_a_file_that_cant_be_had_fails_alone(jira, ops, kind):
    issue = jira.site.create(ops, "It")
    bad = jira.site.attach(issue, "bad.txt", b"CURSED")
    good = jira.site.attach(issue, "good.txt", b"Good.")
    server = jira.server.media or jira.server
    answer = Fault("reply", reply=FILES[kind]) if kind in FILES else KINDS[kind]
    server.poison["CURSED"] = answer
    run = jira.sync()
    assert run.state == "succeeded"
    name = jira.name(issue, "attachment", bad.id)
    assert jira.states() == {
        name_of(issue): "indexed",
        name: "failed",
        jira.name(issue, "attachment", good.id): "indexed",
    }
    [told] = [item for item in run.issues.all() if item.external_id == name]
    assert "bad.txt" in told.message
    assert told.url.endswith("bad.txt")


def test_custom_fields_that_cant_be_looked_up_grant_nobody(jira):
    from tests.vendors.jira.state import Grant

    project = jira.site.add_project("CF", Grant("userCustomField", "customfield_1"))
    issue = jira.site.create(project, "It", custom={"customfield_1": ["cy"]})
    cursor = jira.changes()[-2].cursor
    jira.server.fail("reply", f"/issue/{issue.id}", reply=PAGE, times=99)
    later = jira.changes({**cursor, "updated_from": 0})
    [upsert] = [c for c in later if getattr(c, "document", None)]
    assert not all(upsert.rule.layers)


def test_a_search_that_is_a_page_deletes_nothing(jira, ops):
    issues = filled(jira, ops, count=6)
    jira.sync()
    path = "/search/jql" if jira.server.is_cloud else "/rest/api/2/search"
    jira.server.fail("reply", path, reply=PAGE, times=99)
    assert jira.sync_whole().state == "failed"
    assert set(jira.store.texts()) == set(ids(issues))
