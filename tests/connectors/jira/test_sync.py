"""One source end to end: the site changes, a sync follows, the store is looked at."""

import pytest

from connectors.errors import IncompleteListing
from connectors.files.converting import PackageConverter
from connectors.models import Document
from tests.connectors.conversion.test_adf import MUST_KEEP
from tests.connectors.conversion.test_wiki_markup import NOTATIONS
from tests.connectors.worlds import issues as issues_of

pytestmark = pytest.mark.integration


def test_an_issue_is_one_document_with_all_that_it_says(jira, ops):
    site = jira.site
    issue = site.create(
        ops,
        "Router drops packets",
        description=jira.body("It drops every tenth packet.", "Only at night."),
        kind="Bug",
        priority="High",
        labels=["network", "night"],
        components=["Core"],
        assignee="ada",
        reporter="bob",
        links=[("blocks", "OPS-7")],
        parent="OPS-9",
    )
    site.pass_time(60)
    site.comment(issue, jira.body("Replaced the cable."), "ada")
    site.transition(issue, "Done", "Fixed")
    run = jira.sync()
    assert run.state == "succeeded"
    row = jira.row(f"issue/{issue.id}")
    assert row.title == "OPS-1: Router drops packets"
    assert row.url == f"{jira.server.url}{jira.server.context}/browse/OPS-1"
    assert (row.kind, row.author, row.owner) == ("issue", "Bob", "Ada")
    assert int(row.updated_at.timestamp() * 1000) == issue.updated
    text = jira.text(issue)
    for words in (
        *("Type: Bug", "Status: Done", "Resolution: Fixed", "Priority: High"),
        *(
            "Assignee: Ada",
            "Reporter: Bob",
            "Labels: network, night",
            "Components: Core",
        ),
        *("# Description", "It drops every tenth packet.", "Only at night."),
        *("# Links", "- is part of OPS-9", "- blocks OPS-7"),
        *("# Comments", "## Ada, 2026-03-02", "Replaced the cable."),
    ):
        assert words in text


def test_nothing_is_told_of_linked_issues_but_their_key(jira, ops):
    issue = jira.site.create(ops, "A", links=[("blocks", "SEC-1")], parent="SEC-2")
    jira.sync()
    assert "SEC-1" in jira.text(issue)
    assert "SECRET" not in str(jira.store.texts())


def test_a_second_sync_without_changes_writes_nothing(jira, ops):
    for number in range(3):
        jira.site.create(ops, f"Issue {number}")
    jira.sync()
    jira.store.calls.clear()
    run = jira.sync()
    assert run.state == "succeeded"
    assert not jira.store.did("replace")
    assert run.counts["unchanged"] == 3


def test_an_edit_travels(jira, ops):
    issue = jira.site.create(ops, "Before", description=jira.body("old words"))
    other = jira.site.create(ops, "Beside")
    jira.sync()
    jira.site.pass_time(3600)
    jira.site.edit(issue, summary="After", description=jira.body("new words"))
    run = jira.sync()
    assert "new words" in jira.text(issue)
    assert "old words" not in jira.text(issue)
    assert run.counts["indexed"] == 1
    assert jira.text(other)


def test_a_transition_travels(jira, ops):
    issue = jira.site.create(ops, "It")
    jira.sync()
    jira.site.pass_time(3600)
    jira.site.transition(issue, "Closed", "Won't do")
    jira.sync()
    assert "Status: Closed\nResolution: Won't do" in jira.text(issue)


def test_a_moved_issue_stays_the_same_document(jira, ops):
    new = jira.site.add_project("NEW", *ops.scheme["BROWSE_PROJECTS"])
    issue = jira.site.create(ops, "It")
    jira.sync()
    jira.site.pass_time(3600)
    jira.site.move(issue, new)
    jira.sync()
    assert jira.states() == {f"issue/{issue.id}": "indexed"}
    assert jira.row(f"issue/{issue.id}").title == "NEW-1: It"


def test_a_deleted_issue_goes_with_the_next_listing(jira, ops):
    gone = jira.site.create(ops, "Gone")
    kept = jira.site.create(ops, "Kept")
    jira.site.attach(gone, "a.txt", b"Some words.")
    jira.sync()
    jira.site.delete(gone)
    assert set(jira.connector().listing()) == {f"issue/{kept.id}"}
    jira.sync_whole()
    assert set(jira.store.texts()) == {f"issue/{kept.id}"}


def test_an_attachment_is_a_document_that_links_to_its_issue(jira, ops):
    issue = jira.site.create(ops, "With a file")
    jira.site.attach(issue, "plan of 2026.txt", b"The plan is simple.", "bob")
    jira.sync()
    file = issue.attachments[0]
    name = f"issue/{issue.id}/attachment/{file.id}"
    text = jira.store.texts()[name]
    assert text.startswith("Attached to OPS-1")
    assert "The plan is simple." in text
    row = jira.row(name)
    assert row.url.endswith(f"/secure/attachment/{file.id}/plan%20of%202026.txt")
    assert row.author == "Bob"
    assert row.rule_id == jira.row(f"issue/{issue.id}").rule_id
    link = row.content["links"][0]
    assert "/browse/OPS-1" in str(link)


def test_an_unchanged_attachment_is_not_fetched_again(jira, ops):
    issue = jira.site.create(ops, "With a file")
    jira.site.attach(issue, "plan.txt", b"The plan.")
    jira.sync()
    jira.site.pass_time(3600)
    jira.site.edit(issue, summary="New summary")
    before = len(jira.server.paths("attachment"))
    jira.sync()
    assert len(jira.server.paths("attachment")) == before
    assert "The plan." in str(jira.store.texts())


def test_a_removed_attachment_goes_with_its_issue_s_change(jira, ops):
    issue = jira.site.create(ops, "With a file")
    file = jira.site.attach(issue, "plan.txt", b"The plan.")
    jira.sync()
    jira.site.pass_time(3600)
    jira.site.detach(issue, file)
    jira.sync()
    assert "The plan." not in str(jira.store.texts())


def test_files_that_are_not_read_say_why(jira, ops):
    jira.extra["max_file_mb"] = 0.001
    issue = jira.site.create(ops, "Files")
    jira.site.attach(issue, "big.txt", b"x" * 2000)
    jira.site.attach(issue, "film.mp4", b"x")
    jira.site.attach(issue, "broken.pdf", b"%PDF-1.7 broken")
    jira.site.attach(issue, "README", b"x")
    jira.sync()
    reasons = {reason for reason in jira.reasons().values() if reason}
    assert {"too_large", "unsupported"} <= reasons
    assert len(reasons) >= 3


def test_options_leave_projects_comments_and_attachments_out(jira, ops):
    other = jira.site.add_project("HR", *ops.scheme["BROWSE_PROJECTS"])
    issue = jira.site.create(ops, "In")
    jira.site.comment(issue, jira.body("A comment."), "ada")
    jira.site.attach(issue, "a.txt", b"A file.")
    jira.site.create(other, "Out")
    jira.extra |= {"projects": ["ops"], "comments": False, "attachments": False}
    jira.sync()
    assert list(jira.store.texts()) == [f"issue/{issue.id}"]
    assert "A comment." not in jira.text(issue)
    jira.extra = {"exclude_projects": ["OPS"]}
    jira.sync_whole()
    assert "Out" in str(jira.row(f"issue/{list(jira.site.issues)[1]}").title)
    assert len(jira.store.texts()) == 1


def test_other_options_read_all_of_what_they_choose(jira, ops):
    other = jira.site.add_project("HR", *ops.scheme["BROWSE_PROJECTS"])
    jira.extra["projects"] = ["OPS"]
    first, second = jira.site.create(ops, "A"), jira.site.create(other, "B")
    jira.site.attach(first, "a.txt", b"A file.")
    jira.site.pass_time(30 * 86_400)
    jira.sync()
    assert f"issue/{second.id}" not in jira.states()
    jira.extra = {"projects": ["OPS", "HR"], "attachments": False}
    jira.sync()
    assert set(jira.store.texts()) == {f"issue/{first.id}", f"issue/{second.id}"}
    # The same options again read no more than what changed.
    jira.site.pass_time(86_400)
    run = jira.sync()
    assert run.counts.get("seen", 0) == 0


def test_another_converter_reads_all_anew_and_embeds_nothing_twice(jira, ops):
    issue = jira.site.create(ops, "A")
    jira.site.attach(issue, "a.txt", b"A file.")
    jira.site.pass_time(30 * 86_400)
    jira.sync()
    embedded = jira.embedder.embedded

    class Newer(PackageConverter):
        version = "another"

    connector = jira.connector()
    connector._converter = Newer()
    run = jira.sync(connector=connector)
    assert run.counts["seen"] == 2
    assert jira.embedder.embedded == embedded


def test_a_filter_narrows_what_is_read(jira, ops):
    jira.extra["filter"] = "issuetype != Epic"
    jira.site.create(ops, "A", kind="Epic")
    task = jira.site.create(ops, "B")
    jira.sync()
    assert list(jira.store.texts()) == [f"issue/{task.id}"]


def test_a_filter_that_the_site_refuses_pauses_the_source(jira, ops):
    jira.extra["filter"] = "colour = red"
    jira.site.create(ops, "A")
    run = jira.sync()
    assert run.state == "failed"
    assert "filter" in run.message
    assert jira.source.state == "paused"


def test_a_project_out_of_sight_deletes_nothing_and_is_told(jira, ops):
    hr = jira.site.add_project("HR", *ops.scheme["BROWSE_PROJECTS"])
    jira.extra["projects"] = ["OPS", "HR"]
    jira.site.create(ops, "A")
    issue = jira.site.create(hr, "B")
    jira.sync()
    hr.is_hidden = True
    with pytest.raises(IncompleteListing, match="HR"):
        list(jira.connector().listing())
    with pytest.raises(IncompleteListing, match="HR"):
        list(jira.connector().access())
    run = jira.sync_whole()
    assert run.incomplete
    assert ("warning", "", "hidden_project") in issues_of(run)
    assert jira.text(issue)


def test_an_issue_that_cannot_be_converted_fails_alone(jira, ops, monkeypatch):
    from connectors.jira import document

    bad = jira.site.create(ops, "Bad")
    good = jira.site.create(ops, "Good")
    real = document.title_of

    def failing(issue):
        if issue.id == bad.id:
            raise KeyError("boom")
        return real(issue)

    monkeypatch.setattr(document, "title_of", failing)
    run = jira.sync()
    assert run.state == "succeeded"
    assert jira.states() == {
        f"issue/{bad.id}": Document.State.FAILED,
        f"issue/{good.id}": Document.State.INDEXED,
    }


def test_what_cannot_be_shown_is_counted_and_told(cloud, ops):
    extension = {
        "type": "extension",
        "attrs": {"extensionKey": "gantt", "text": "Plan"},
    }
    body = {"type": "doc", "version": 1, "content": [extension]}
    issue = cloud.site.create(ops, "A", description=body)
    run = cloud.sync()
    [told] = [item for item in run.issues.all() if item.reason == "unhandled"]
    assert "extension gantt (1)" in told.message
    assert "Plan" in cloud.text(issue)


def test_a_token_with_scopes_goes_to_the_gateway(cloud, ops):
    cloud.server.is_scoped = True
    cloud.extra["scoped_token"] = True
    issue = cloud.site.create(ops, "A")
    cloud.site.attach(issue, "a.txt", b"A file.")
    assert cloud.sync().state == "succeeded"
    assert "A file." in str(cloud.store.texts())
    assert cloud.row(f"issue/{issue.id}").url == f"{cloud.server.url}/browse/OPS-1"


@pytest.mark.parametrize("name", MUST_KEEP)
def test_what_an_editor_offers_comes_through_a_sync(cloud, ops, name):
    """C36: a must-keep text for each node of the format."""
    made, expected = MUST_KEEP[name]
    body = {"type": "doc", "version": 1, "content": [made]}
    issue = cloud.site.create(ops, "A", description=body)
    cloud.site.comment(issue, body, "ada")
    cloud.sync()
    text = cloud.text(issue)
    assert text.count(expected.lstrip("# ")) >= 2


@pytest.mark.parametrize("markup", NOTATIONS)
def test_what_wiki_markup_offers_comes_through_a_sync(data_center, ops, markup):
    """C36's like at Data Center: each notation of the markup."""
    issue = data_center.site.create(ops, "A", description=markup)
    data_center.sync()
    assert NOTATIONS[markup].lstrip("# ") in data_center.text(issue)
