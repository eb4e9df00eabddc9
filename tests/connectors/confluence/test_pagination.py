"""Lists: three pages and more, cursors that repeat or expire, short pages, ids alone.

FIELD rows C22 and C23, and C52's half that is the connector's.
"""

import pytest

from connectors.base import Complete
from connectors.confluence.client import Client
from connectors.errors import ConnectorError, IncompleteListing
from tests.connectors.confluence.worlds import Nothing, reasons

pytestmark = pytest.mark.integration


@pytest.fixture
def many(site):
    """Return a site whose lists give two items a page, with eleven pages."""
    site.server.most = 2
    for number in range(11):
        page = site.state.add("HR", f"Page {number}", f"<p>Text {number}.</p>")
        site.state.comment(page, f"<p>Comment {number}.</p>")
        if number % 3 == 0:
            site.state.attach(page, f"file{number}.txt", b"file")
    return site


def list_of_pages(site):
    """Return a part of the path of the list of pages."""
    return "/pages" if site.is_cloud else "/rest/api/content"


def test_every_list_is_followed_to_its_end(many):
    """C22: three pages and more, by what each answer says comes next."""
    run = many.sync()
    assert run.counts["indexed"] == 15
    texts = many.texts()
    for number in range(11):
        assert f"Text {number}." in texts[f"Page {number}"]
        assert f"Comment {number}." in texts[f"Page {number}"]
    assert len(set(many.connector().listing())) == 15
    assert len(dict(many.connector().access())) == 15


def test_recent_changes_are_followed_to_their_end(many):
    many.sync()
    for item in many.state.current("page"):
        many.state.edit(item, "<p>Edited.</p>")
    run = many.sync_recent()
    assert run.counts["indexed"] == 11


def test_a_short_page_in_the_middle_is_not_the_end(many):
    """C22: the end is a page without a link, however long it is."""
    many.server.most = 4
    many.server.short_pages_of = list_of_pages(many)
    assert len(list(many.connector().listing())) == 15


def test_a_repeated_cursor_ends_the_run_and_deletes_nothing(many):
    """C22, C52: a list that goes in circles has no end."""
    many.sync()
    many.server.repeat_cursor_of = list_of_pages(many)
    with pytest.raises(IncompleteListing, match="twice"):
        list(many.connector().listing())
    with pytest.raises(IncompleteListing):
        list(many.connector().access())
    run = many.sync()
    assert run.state == "failed"
    assert len(many.texts()) == 15


def test_a_refused_cursor_is_no_end(cloud):
    """C22, C52: a cursor that grew stale cuts the list off."""
    cloud.server.most = 2
    for number in range(5):
        cloud.state.add("HR", f"Page {number}", "<p>x</p>")
    cloud.sync()
    cloud.server.stale_cursor_of = "/pages"
    with pytest.raises(IncompleteListing, match="refused to continue"):
        list(cloud.connector().listing())
    assert cloud.sync().state == "failed"
    assert len(cloud.texts()) == 5
    cloud.server.stale_cursor_of = ""
    assert cloud.sync().state == "succeeded"


@pytest.mark.parametrize("kind", ["reset", "half", "half_json"])
def test_a_list_that_breaks_off_is_asked_again(many, kind):
    many.server.fail(kind, list_of_pages(many), after=2)
    run = many.sync()
    assert run.state == "succeeded"
    assert len(many.texts()) == 15
    assert reasons(run) == [("waited", "")]


def test_a_list_that_stays_broken_yields_no_end(many):
    many.server.refuse(500, list_of_pages(many), times=99, after=2)
    with pytest.raises(IncompleteListing, match="nothing is deleted"):
        list(many.connector().listing())
    seen = []
    with pytest.raises(ConnectorError):
        seen.extend(many.connector().changes(None, Nothing()))
    assert Complete() not in seen


def test_entries_without_content_are_an_error_and_no_empty_page(cloud):
    """C32's like at Confluence: ids alone."""
    cloud.state.add("HR", "Leave", "<p>Thirty days.</p>")
    cloud.sync()
    cloud.server.ids_only = True
    run = cloud.sync()
    # The bulk answer is useless, so each page was asked for by itself.
    assert run.state == "succeeded"
    assert "Thirty days." in cloud.texts()["Leave"]


def test_entries_without_content_end_a_data_center_run(data_center):
    data_center.state.add("HR", "Leave", "<p>Thirty days.</p>")
    data_center.sync()
    data_center.server.ids_only = True
    assert data_center.sync().state == "failed"
    assert "Thirty days." in data_center.texts()["Leave"]


def test_next_links_are_followed_whole(cloud):
    """C23: a cursor with padding comes back as it was sent."""
    cloud.server.most = 2
    for number in range(5):
        cloud.state.add("HR", f"Page {number}", "<p>x</p>")
    list(cloud.connector().listing())
    cursors = [a.query["cursor"] for a in cloud.server.asked if "cursor" in a.query]
    assert any(cursor.endswith("=") for cursor in cursors)


def test_a_cursor_that_ends_with_a_slash_keeps_it(cloud):
    cloud.server.most, cloud.server.slash_cursors = 2, True
    for number in range(5):
        cloud.state.add("HR", f"Page {number}", "<p>x</p>")
    assert len(list(cloud.connector().listing())) == 5


def test_a_next_link_to_another_place_isnt_followed(cloud):
    from tests.vendors.loopback import Reply, ScriptedServer

    cloud.state.add("HR", "Leave", "<p>x</p>")
    with ScriptedServer() as elsewhere:
        body = {"results": [], "_links": {"next": f"{elsewhere.url}/more"}}
        cloud.server.fail("reply", "/spaces", reply=Reply(body))
        with pytest.raises(IncompleteListing, match="away from the source"):
            list(cloud.connector().listing())
        assert elsewhere.asked == []


@pytest.mark.parametrize(
    ("base", "link", "url"),
    [
        (
            "https://a.atlassian.net",
            "/wiki/api/v2/x?cursor=a%3D",
            "/wiki/api/v2/x?cursor=a%3D",
        ),
        ("https://a.atlassian.net", "/rest/api/x?start=2", "/wiki/rest/api/x?start=2"),
        ("https://a.atlassian.net", "rest/api/x", "/wiki/rest/api/x"),
    ],
)
def test_links_of_cloud_are_resolved_against_the_site(cloud, base, link, url):
    cloud.settings["base_url"] = base
    assert Client(cloud.options()).absolute(link) == base + url


@pytest.mark.parametrize(
    "link", ["/rest/api/x?start=2", "/confluence/rest/api/x?start=2"]
)
def test_links_of_data_center_may_have_its_context_path_or_not(data_center, link):
    base = data_center.options().base_url
    assert base.endswith("/confluence")
    client = Client(data_center.options())
    assert client.absolute(link) == f"{base}/rest/api/x?start=2"
