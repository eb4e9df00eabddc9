"""Comments that not everybody may see: documents of their own, or left out."""

import pytest

from memory.access import NOBODY_RULE
from tests.vendors.jira.state import AGENT, Grant

pytestmark = pytest.mark.integration

SECRET = "The salary is 411."


def restricted(world, project, **more):
    issue = world.site.create(project, "It")
    world.site.comment(issue, world.body("An open word."), "ada")
    comment = world.site.comment(issue, world.body(SECRET), "bob", **more)
    return issue, comment


@pytest.fixture
def desk(jira):
    """Return a service desk whose agent is cy."""
    project = jira.site.add_project(
        "HELP", Grant("group", "staff"), kind="service_desk"
    )
    project.scheme[AGENT] = [Grant("user", "ada")]
    return project


def test_a_role_s_comment_is_a_document_with_two_layers(jira, ops):
    role = jira.site.add_role("Administrators")
    jira.site.put_in_role(ops, role, users=["bob"])
    issue, comment = restricted(jira, ops, role="Administrators")
    jira.sync()
    assert SECRET not in jira.text(issue)
    assert "An open word." in jira.text(issue)
    text = jira.text(issue, "comment", comment.id)
    assert text.startswith("Comment by Bob, 2026-03-02 on OPS-1")
    assert SECRET in text
    row = jira.row(jira.name(issue, "comment", comment.id))
    assert row.url.endswith(f"/browse/OPS-1?focusedCommentId={comment.id}")
    assert (row.kind, row.author) == ("comment", "Bob")
    layers = row.rule.as_value().layers
    own = jira.row(jira.name(issue)).rule.as_value().layers
    assert own < layers
    assert len(layers) == 2


def test_a_group_s_comment_is_a_document_with_two_layers(jira, ops):
    jira.site.add_group("hr", "cy")
    issue, comment = restricted(jira, ops, group="hr")
    jira.sync()
    layers = jira.row(jira.name(issue, "comment", comment.id)).rule.as_value().layers
    assert {name.rpartition(":")[2] for layer in layers for name in layer} == {
        "staff",
        "hr",
    }


def test_an_internal_comment_is_for_agents(jira, desk):
    issue, comment = restricted(jira, desk, is_public=False)
    jira.sync()
    assert SECRET not in jira.text(issue)
    rule = jira.row(jira.name(issue, "comment", comment.id)).rule.as_value()
    assert {name.rpartition(":")[2] for layer in rule.layers for name in layer} == {
        "staff",
        "ada",
    }


def test_a_public_comment_of_a_service_desk_is_part_of_its_issue(jira, desk):
    issue = jira.site.create(desk, "It")
    jira.site.comment(issue, jira.body("A public word."), "ada")
    jira.sync()
    assert "A public word." in jira.text(issue)


def left_out(world, issue):
    [warning] = world.row(world.name(issue)).warnings
    return warning


def test_a_comment_whose_visibility_is_not_told_is_left_out_and_counted(jira, desk):
    issue, comment = restricted(jira, desk, tells_nothing=True)
    run = jira.sync()
    assert SECRET not in str(jira.store.texts())
    reason, message = left_out(jira, issue)
    assert reason == "comments_left_out"
    assert message.startswith("1 of its comments is left out")
    assert run.counts["warnings"] == 1
    assert jira.name(issue, "comment", comment.id) not in jira.states()


def test_a_comment_for_a_role_that_is_not_there_is_left_out(jira, ops):
    issue, _ = restricted(jira, ops, role="No such role")
    jira.sync()
    assert SECRET not in str(jira.store.texts())
    assert left_out(jira, issue)[0] == "comments_left_out"


def test_an_internal_comment_without_agents_is_left_out(jira, desk):
    desk.scheme[AGENT] = []
    issue, _ = restricted(jira, desk, is_public=False)
    jira.sync()
    assert SECRET not in str(jira.store.texts())
    assert left_out(jira, issue)[0] == "comments_left_out"


def test_roles_that_cannot_be_read_leave_their_comments_out(jira, ops):
    jira.site.add_role("Administrators")
    issue, _ = restricted(jira, ops, role="Administrators")
    jira.server.is_admin = False
    ops.is_not_administered = True
    jira.sync()
    assert SECRET not in str(jira.store.texts())
    assert left_out(jira, issue)[0] == "comments_left_out"


def test_a_comment_that_is_restricted_later_leaves_its_issue_at_the_next_sync(
    jira, ops
):
    role = jira.site.add_role("Administrators")
    jira.site.put_in_role(ops, role, users=["bob"])
    issue, comment = restricted(jira, ops)
    jira.sync()
    assert SECRET in jira.text(issue)
    jira.site.pass_time(3600)
    jira.site.restrict(issue, comment, role="Administrators")
    jira.sync()
    assert SECRET not in jira.text(issue)
    assert SECRET in jira.text(issue, "comment", comment.id)


def test_a_comment_that_is_opened_or_deleted_loses_its_document(jira, ops):
    jira.site.add_group("hr", "cy")
    issue, comment = restricted(jira, ops, group="hr")
    second = jira.site.comment(issue, jira.body("Another secret."), "bob", group="hr")
    jira.sync()
    jira.site.pass_time(3600)
    jira.site.restrict(issue, comment, group="")
    jira.site.delete_comment(issue, second)
    jira.sync()
    assert SECRET in jira.text(issue)
    assert set(jira.store.texts()) == {jira.name(issue)}


def test_a_comment_whose_group_changes_changes_its_rule(jira, ops):
    for name in ("hr", "legal"):
        jira.site.add_group(name, "cy")
    issue, comment = restricted(jira, ops, group="hr")
    jira.sync()
    name = jira.name(issue, "comment", comment.id)
    before = jira.row(name).rule_id
    jira.site.pass_time(3600)
    jira.site.restrict(issue, comment, group="legal")
    run = jira.sync()
    assert jira.row(name).rule_id != before
    assert not run.counts.get("indexed")


def test_restricted_comments_hold_their_whole_body(jira, ops):
    jira.site.add_group("hr", "cy")
    issue = jira.site.create(ops, "It")
    comment = jira.site.comment(
        issue, jira.body("One.", "Two.", "Three."), "bob", group="hr"
    )
    jira.sync()
    text = jira.text(issue, "comment", comment.id)
    assert text.endswith("One.\n\nTwo.\n\nThree.")


def test_a_comment_that_cannot_be_read_any_more_is_denied_by_access(jira, desk):
    issue, comment = restricted(jira, desk, is_public=False)
    jira.sync()
    name = jira.name(issue, "comment", comment.id)
    assert dict(jira.connector().access())[name].layers
    comment.tells_nothing = True
    assert dict(jira.connector().access())[name] == NOBODY_RULE
    jira.site.pass_time(3600)
    jira.site.edit(issue, summary="Touched")
    jira.sync()
    assert SECRET not in str(jira.store.texts())
