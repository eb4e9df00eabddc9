"""Long searches: every issue once, whatever happens between two pages (C31–C33)."""

import itertools

import pytest

from connectors.base import Checkpoint, Complete, Upsert
from connectors.errors import ConnectorError, IncompleteListing
from connectors.http import session
from tests.connectors.jira.worlds import NoKnown
from tests.vendors.jira.server import JiraServer

pytestmark = pytest.mark.integration

PAGE = 4


@pytest.fixture(autouse=True)
def _small_pages(monkeypatch):
    monkeypatch.setattr(JiraServer, "most_at_once", PAGE)


def filled(world, project, count=15):
    return [world.site.create(project, f"Issue {n}") for n in range(count)]


def read(changes):
    return [c.document.external_id for c in changes if isinstance(c, Upsert)]


def ids(issues):
    return [f"issue/{issue.id}" for issue in issues]


def test_more_than_three_pages_are_read_to_their_end(jira, ops):
    """C31: by tokens to the end, not the first hundred."""
    issues = filled(jira, ops)
    changes = jira.changes()
    assert read(changes) == ids(issues)
    assert isinstance(changes[-1], Complete)
    assert list(jira.connector().listing()) == ids(issues)
    assert [name for name, _ in jira.connector().access()] == ids(issues)


def test_cloud_is_never_asked_by_the_search_that_is_gone(cloud, ops):
    """C31: the old search answers 410."""
    filled(cloud, ops)
    cloud.changes()
    list(cloud.connector().listing())
    searched = {asked.path for asked in cloud.server.asked if "search" in asked.path}
    assert searched == {"/rest/api/3/project/search", "/rest/api/3/search/jql"}


def test_fields_are_always_named(jira, ops):
    """C32: without names, Cloud tells ids alone."""
    filled(jira, ops)
    jira.changes()
    asked = [a.json() for a in jira.server.asked if a.method == "POST"]
    assert asked
    assert all({"summary", "description", "project"} <= set(a["fields"]) for a in asked)


def test_answers_of_ids_alone_are_looked_up(jira, ops):
    """C32: an id alone is no issue without fields."""
    issues = filled(jira, ops)
    jira.server.ids_only_pages = 2
    assert read(jira.changes()) == ids(issues)
    jira.server.ids_only_pages = 2
    assert list(jira.connector().listing()) == ids(issues)


def test_a_short_or_empty_page_in_the_middle_is_not_the_end(cloud, ops):
    """C33: the end is a page without a token."""
    issues = filled(cloud, ops)
    cloud.server.short_pages = [PAGE, 1, 0, PAGE]
    assert read(cloud.changes()) == ids(issues)


def test_a_server_that_gives_smaller_pages_than_asked_is_followed(data_center, ops):
    issues = filled(data_center, ops)
    data_center.server.largest_page = 3
    assert read(data_center.changes()) == ids(issues)
    data_center.server.short_pages = [4, 2, 3]
    assert list(data_center.connector().listing()) == ids(issues)


def test_the_same_token_again_ends_the_listing_as_incomplete(cloud, ops):
    """C33: no endless loop."""
    filled(cloud, ops)
    cloud.server.repeats_token = True
    with pytest.raises(IncompleteListing, match="twice"):
        list(cloud.connector().listing())
    with pytest.raises(IncompleteListing):
        list(cloud.connector().access())
    asked = len(cloud.server.asked)
    with pytest.raises(ConnectorError):
        cloud.changes()
    assert len(cloud.server.asked) - asked < 10


def test_the_same_token_with_empty_pages_ends_it_too(cloud, ops):
    filled(cloud, ops)
    cloud.server.repeats_token = True
    cloud.server.short_pages = [PAGE, *[0] * 200]
    with pytest.raises(IncompleteListing, match="twice"):
        list(cloud.connector().listing())
    assert len(cloud.server.paths("/search/jql")) < 10


def test_new_tokens_for_the_same_page_end_it_too(cloud, ops):
    filled(cloud, ops)
    cloud.server.goes_in_circles = True
    with pytest.raises(IncompleteListing, match="twice"):
        list(cloud.connector().listing())


def test_the_same_page_again_ends_the_listing_as_incomplete(data_center, ops):
    filled(data_center, ops)
    data_center.server.repeats_page = True
    with pytest.raises(IncompleteListing, match="twice"):
        list(data_center.connector().listing())


def test_a_search_that_goes_on_without_saying_where_is_incomplete(jira, ops):
    """C33, C52: the end was not seen."""
    filled(jira, ops)
    jira.server.hides_end = True
    with pytest.raises(IncompleteListing):
        list(jira.connector().listing())
    jira.server.hides_end = False
    jira.sync()
    held = set(jira.store.texts())
    jira.server.hides_end = True
    run = jira.sync_whole()
    assert run.state == "failed"
    assert set(jira.store.texts()) == held


def test_a_run_goes_on_from_each_of_its_checkpoints(jira, ops):
    issues = filled(jira, ops)
    changes = jira.changes()
    places = [n for n, c in enumerate(changes) if isinstance(c, Checkpoint)]
    for place in places[:-1]:
        since = changes[place].cursor
        later = jira.changes(since)
        assert not any(isinstance(c, Complete) for c in later)
        seen = set(read(changes[:place])) | set(read(later))
        assert seen == set(ids(issues))
        assert later[-1].cursor == changes[places[-1]].cursor
        # It went on, and didn't begin anew.
        assert len(read(later)) < len(issues)


def test_a_token_that_is_forgotten_begins_the_window_anew(cloud, ops):
    """C33: tokens expire."""
    issues = filled(cloud, ops)
    changes = cloud.changes()
    cursor = next(c.cursor for c in changes if isinstance(c, Checkpoint))
    cloud.server.forgets_tokens = 1
    assert read(cloud.changes(cursor)) == ids(issues)
    cloud.site.pass_time(8 * 86_400)
    assert read(cloud.changes(cursor)) == ids(issues)
    cloud.server.forgets_tokens = 1000
    with pytest.raises(IncompleteListing, match="three times"):
        cloud.changes()
    cloud.server.forgets_tokens = 1000
    with pytest.raises(IncompleteListing):
        list(cloud.connector().listing())


def test_a_project_that_comes_between_two_runs_changes_no_open_window(cloud, ops):
    issues = filled(cloud, ops)
    left_out = cloud.site.add_project("NO", *ops.scheme["BROWSE_PROJECTS"])
    cloud.extra["exclude_projects"] = ["NO"]
    changes = cloud.changes()
    cursor = next(c.cursor for c in changes if isinstance(c, Checkpoint))
    left_out.is_hidden = True
    assert set(ids(issues)) <= set(read(cloud.changes(cursor)))


def test_pages_that_lead_past_the_end_are_few(data_center, ops):
    """Nearly all was deleted between two pages: it isn't stepped back one by one."""
    issues = filled(data_center, ops, count=60)
    first = data_center.changes()
    cursor = [c for c in first if isinstance(c, Checkpoint)][15].cursor
    for issue in issues[3:]:
        data_center.site.delete(issue)
    data_center.server.asked.clear()
    assert set(ids(issues[:3])) <= set(read(data_center.changes(cursor)))
    assert len(data_center.server.paths("/search")) <= 6


class Between:
    """Does something to the site before a page, once for each page."""

    def __init__(self, *acts):
        self.acts = dict(enumerate(acts, start=1))

    def __call__(self, number):
        act = self.acts.pop(number, None)
        if act:
            act()


def test_an_issue_that_is_edited_or_created_meanwhile_hides_no_other(jira, ops):
    issues = filled(jira, ops)
    aaa = jira.site.add_project("AAA", *ops.scheme["BROWSE_PROJECTS"])
    jira.server.before_page = Between(
        None,
        lambda: jira.site.edit(issues[0], summary="Edited"),
        lambda: jira.site.create(aaa, "Before all others"),
        lambda: jira.site.create(ops, "At the end"),
    )
    assert set(ids(issues)) <= set(read(jira.changes()))


@pytest.mark.parametrize("page", [2, 3, 4])
@pytest.mark.parametrize("gone", [(0,), (3,), (0, 1, 2, 3), (3, 4, 7), (0, 7, 11)])
def test_an_issue_that_is_deleted_meanwhile_hides_no_other(jira, ops, page, gone):
    issues = filled(jira, ops)
    kept = [issue for number, issue in enumerate(issues) if number not in gone]

    def delete():
        for number in gone:
            jira.site.delete(issues[number])

    jira.server.before_page = Between(*[None] * (page - 1), delete)
    assert set(ids(kept)) <= set(jira.connector().listing())


@pytest.mark.parametrize("gone", [(3,), (0, 1, 2, 3), (2, 3, 4), range(10)])
def test_an_issue_that_is_deleted_between_runs_hides_no_other(jira, ops, gone):
    issues = filled(jira, ops)
    changes = jira.changes()
    places = [n for n, c in enumerate(changes) if isinstance(c, Checkpoint)]
    for number in gone:
        jira.site.delete(issues[number])
    later = jira.changes(changes[places[0]].cursor)
    kept = {f"issue/{i.id}" for n, i in enumerate(issues) if n not in gone}
    assert kept <= set(read(changes[: places[0]])) | set(read(later))


def test_comments_that_are_cut_off_in_the_issue_are_read_to_their_end(jira, ops):
    jira.server.payloads.embedded_comments = 3
    jira.server.largest_page = 2
    issue = jira.site.create(ops, "Talk")
    for number in range(7):
        jira.site.comment(issue, jira.body(f"Word number {number}."), "ada")
    jira.sync()
    for number in range(7):
        assert f"Word number {number}." in jira.text(issue)


def test_projects_groups_and_users_are_read_to_their_end(jira, ops):
    jira.server.largest_page = 2
    for number in range(5):
        jira.site.add_user(f"user{number}")
        project = jira.site.add_project(f"P{number}", *ops.scheme["BROWSE_PROJECTS"])
        jira.site.create(project, "It")
        jira.site.groups["staff"].members.add(f"user{number}")
        jira.site.add_group(f"team{number}", f"user{number}")
    connector = jira.connector()
    assert len(list(connector.listing())) == 5
    told = {m.group: m.members for m in connector.memberships()}
    staff = next(name for name in told if name.endswith(":group:staff"))
    assert len(told[staff]) == 7
    assert sum(":account:" in name for name in told) == 8
    assert sum(":group:team" in name for name in told) == 5


def test_a_checkpoint_follows_each_page(jira, ops):
    filled(jira, ops)
    kinds = [type(c).__name__ for c in jira.connector().changes(None, NoKnown())]
    runs = [
        len(list(group)) for kind, group in itertools.groupby(kinds) if kind == "Upsert"
    ]
    assert max(runs) <= PAGE


def test_a_page_that_is_too_large_is_asked_for_in_smaller_ones(jira, ops, monkeypatch):
    jira.server.largest_page = 16
    monkeypatch.setattr(session, "MAX_JSON_BYTES", 20_000)
    issues = filled(jira, ops)
    for issue in issues:
        issue.description = jira.body("word " * 500)
    assert read(jira.changes()) == ids(issues)


def test_a_page_that_takes_the_site_too_long_is_asked_for_in_smaller_ones(jira, ops):
    issues = filled(jira, ops)
    path = "/search/jql" if jira.server.is_cloud else "/rest/api/2/search"
    jira.server.refuse(504, path, after=1, times=3)
    assert read(jira.changes()) == ids(issues)
