"""Whole runs: the server's state changes, a sync follows, and the index is asked."""

import pytest

from connectors.errors import OptionError
from tests.connectors.confluence.worlds import reasons

pytestmark = pytest.mark.integration


def test_pages_become_documents(site):
    state = site.state
    page = state.add("HR", "Leave", "<h1>Days</h1><p>Thirty days.</p>", labels={"law"})
    state.add("HR", "News", "<p>We moved.</p>", type="blogpost")
    run = site.sync()
    assert (run.state, run.message) == ("succeeded", "")
    assert "Thirty days." in site.texts()["Leave"]
    assert "We moved." in site.texts()["News"]
    row = site.source.documents.get(external_id=page.id)
    assert (row.title, row.kind, row.author, row.version) == (
        "Leave",
        "page",
        "Ada Lovelace",
        "1",
    )
    assert row.url.startswith(site.options().base_url)
    assert page.id in row.url
    assert row.updated_at == page.changed_at
    assert "Labels: law" in site.texts()["Leave"]
    assert "Space: People" in site.texts()["Leave"]


@pytest.mark.parametrize("way", ["sync", "sync_recent"])
def test_an_edit_is_read_and_nothing_else(site, way):
    first = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.state.add("HR", "Travel", "<p>By train.</p>")
    site.sync()
    site.state.edit(first, "<p>Thirty-two days.</p>")
    embedded = site.embedder.embedded
    run = getattr(site, way)()
    assert "Thirty-two days." in site.texts()["Leave"]
    assert run.counts["indexed"] == 1
    assert run.counts["unchanged"] == 1
    assert site.embedder.embedded > embedded


def test_an_unchanged_site_costs_no_text(site):
    for number in range(3):
        site.state.add("HR", f"Page {number}", "<p>Words.</p>")
    site.sync()
    site.server.asked.clear()
    run = site.sync()
    assert run.counts["unchanged"] == 3
    assert not any(
        "body-format" in asked.query or "body.storage" in asked.query.get("expand", "")
        for asked in site.server.asked
    )


@pytest.mark.parametrize("change", ["archive", "trash", "delete"])
def test_what_leaves_the_site_leaves_the_answers_at_the_next_whole_run(site, change):
    """C24: archiving removes, and so do trashing and deleting."""
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.state.attach(page, "days.txt", b"Thirty days, in a file.")
    site.state.add("HR", "Travel", "<p>By train.</p>")
    site.sync()
    assert len(site.texts()) == 3
    if change == "delete":
        for item in list(site.state.items.values()):
            if item.container == page.id:
                site.state.delete(item)
    getattr(site.state, change)(page)
    run = site.sync()
    assert list(site.texts()) == ["Travel"]
    assert run.counts["deleted"] == 2


def test_drafts_archived_and_trashed_pages_are_never_read(site):
    """C24: what is current, and nothing else."""
    for status in ("draft", "archived", "trashed"):
        site.state.add("HR", f"Of {status}", "<p>Old.</p>", status=status)
    site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.sync()
    assert list(site.texts()) == ["Leave"]
    assert len(list(site.connector().listing())) == 1


def test_a_restored_page_answers_again(site):
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.sync()
    site.state.archive(page)
    site.sync()
    page.status = "current"
    site.sync()
    assert "Thirty days." in site.texts()["Leave"]


def test_comments_are_a_section_of_their_page(site):
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    first = site.state.comment(page, "<p>Does that hold for interns?</p>")
    site.state.comment(page, "<p>It does, <em>all</em>.</p>", answers=first.id)
    site.state.comment(
        page, "<p>Thirty-two now.</p>", inline=True, selection="Thirty", resolved=True
    )
    site.sync()
    text = site.texts()["Leave"]
    assert "## Comments" in text
    assert text.index("Ada Lovelace, 2026-06-01:") < text.index("for interns?")
    assert "Ada Lovelace to Ada Lovelace, 2026-06-01:\n\nIt does, all." in text
    assert "on “Thirty” (resolved):\n\nThirty-two now." in text


@pytest.mark.parametrize("way", ["sync", "sync_recent"])
def test_a_new_comment_is_read_though_its_page_is_as_it_was(site, way):
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.state.add("HR", "Other", "<p>Words.</p>")
    site.sync()
    site.state.comment(page, "<p>For interns too.</p>")
    run = getattr(site, way)()
    assert "For interns too." in site.texts()["Leave"]
    assert run.counts["indexed"] == 1


def test_a_deleted_comment_is_gone_at_the_next_whole_run(site):
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    comment = site.state.comment(page, "<p>Wrong.</p>")
    site.sync()
    site.state.delete(comment)
    site.sync()
    assert "Wrong." not in site.texts()["Leave"]


@pytest.mark.parametrize("way", ["sync", "sync_recent"])
def test_an_edited_comment_is_read(site, way):
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    comment = site.state.comment(page, "<p>Wrong.</p>")
    site.sync()
    site.state.edit(comment, "<p>Right.</p>")
    getattr(site, way)()
    assert "Right." in site.texts()["Leave"]


def test_new_labels_are_read(site):
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.sync()
    page.labels.add("holiday")
    site.sync()
    assert "Labels: holiday" in site.texts()["Leave"]


def test_attachments_are_documents_that_link_to_their_page(site):
    """C26: files are documents of their own."""
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    file = site.state.attach(page, "rules.md", b"# Rules\n\nAsk two weeks ahead.")
    run = site.sync()
    assert run.counts["indexed"] == 2
    row = site.source.documents.get(external_id=file.id)
    assert (row.title, row.kind) == ("rules.md (Leave)", "attachment")
    assert page.id in row.url
    assert "Ask two weeks ahead." in site.texts()["rules.md (Leave)"]
    assert site.rules()[file.id] == site.rules()[page.id]


@pytest.mark.parametrize("way", ["sync", "sync_recent"])
def test_a_new_version_of_an_attachment_is_read(site, way):
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    file = site.state.attach(page, "rules.txt", b"Two weeks ahead.")
    site.sync()
    site.state.edit(file, data=b"Three weeks ahead.")
    getattr(site, way)()
    assert "Three weeks ahead." in site.texts()["rules.txt (Leave)"]


def test_an_attachment_that_isnt_read_is_listed_with_its_reason(site):
    """C26: no file is left out without a word."""
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    film = site.state.attach(page, "film.mp4", b"\0\1\2")
    big = site.state.attach(page, "big.txt", b"x" * 3_000)
    broken = site.state.attach(page, "broken.pdf", b"%PDF-1.4 broken")
    site.settings["max_file_mb"] = 0.002
    run = site.sync()
    assert ("unsupported", film.id) in reasons(run)
    assert ("too_large", big.id) in reasons(run)
    assert site.states()[broken.id] == "failed"
    named = [item.message for item in run.issues.all()]
    assert any("film.mp4" in message for message in named)
    assert any("max_file_mb" in message for message in named)
    assert not site.server.paths(film.id)
    assert not site.server.paths(big.id)
    assert reasons(site.sync()) == [
        (reason, id_) for reason, id_ in reasons(run) if id_ == broken.id
    ]


def test_attachments_and_comments_can_be_left_out(site):
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.state.attach(page, "rules.txt", b"Two weeks ahead.")
    site.state.comment(page, "<p>Really?</p>")
    site.settings |= {"attachments": False, "comments": False}
    site.sync()
    assert list(site.texts()) == ["Leave"]
    assert "Really?" not in site.texts()["Leave"]


def test_spaces_are_chosen_by_their_keys(site):
    site.state.add_space("IT")
    site.state.add_space("~ada")
    for key in ("HR", "IT", "~ada"):
        page = site.state.add(key, f"Page of {key}", "<p>Words.</p>")
        site.state.attach(page, f"{key.strip('~')}.txt", b"File of it.")
    site.settings["exclude_spaces"] = ["~*"]
    site.sync()
    assert {"Page of HR", "Page of IT"} == {
        title for title in site.texts() if title.startswith("Page")
    }
    site.settings["spaces"] = ["IT"]
    site.sync()
    assert sorted(site.texts()) == ["IT.txt (Page of IT)", "Page of IT"]


def test_changes_in_spaces_that_arent_read_cost_no_text(site):
    site.state.add_space("IT")
    site.settings["spaces"] = ["HR"]
    site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.sync()
    other = site.state.add("IT", "Printers", "<p>Secret of IT.</p>")
    site.state.comment(other, "<p>Sure?</p>")
    site.server.asked.clear()
    site.sync_recent()
    asked = [a for a in site.server.asked if other.id in str(a.query) + a.path]
    assert asked == []
    assert list(site.texts()) == ["Leave"]


def test_the_files_of_a_few_spaces_are_searched_for_and_not_all_listed(cloud):
    cloud.state.add_space("IT")
    for key in ("HR", "IT"):
        page = cloud.state.add(key, f"Page of {key}", "<p>Words.</p>")
        cloud.state.attach(page, f"{key}.txt", f"File of {key}.".encode())
    cloud.settings["spaces"] = ["IT"]
    cloud.sync()
    assert cloud.texts()["IT.txt (Page of IT)"] == "File of IT."
    assert not cloud.server.paths("/api/v2/attachments")
    cloud.settings["spaces"] = []
    run = cloud.sync()
    assert "HR.txt (Page of HR)" in cloud.texts()
    assert cloud.server.paths("/api/v2/attachments")
    # Both ways know the same file by the same mark.
    assert run.counts["indexed"] == 2


def test_a_space_that_isnt_there_is_told(site):
    site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.settings["spaces"] = ["HR", "NOPE"]
    run = site.sync()
    assert reasons(run) == [("missing_space", "")]


def test_an_archived_space_leaves_the_answers(site):
    site.state.add_space("OLD")
    site.state.add("OLD", "Old page", "<p>Words.</p>")
    site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.sync()
    site.state.spaces["OLD"].status = "archived"
    site.sync()
    assert list(site.texts()) == ["Leave"]


def test_a_page_that_moves_into_a_space_that_isnt_read_is_gone(site):
    site.state.add_space("IT")
    page = site.state.add("HR", "Leave", "<p>Thirty days.</p>")
    site.state.add("HR", "Other", "<p>Words.</p>")
    site.settings["spaces"] = ["HR"]
    site.sync()
    site.state.move(page, None, "IT")
    site.state.edit(page)
    site.sync_recent()
    assert list(site.texts()) == ["Other"]
    assert site.states()[page.id] == "removed"


def test_a_listing_that_lost_most_pages_deletes_nothing_unasked(site):
    """C52: permissions that are lost look like an empty site."""
    pages = [site.state.add("HR", f"Page {n}", "<p>Words.</p>") for n in range(30)]
    site.sync()
    site.state.hidden.update(page.id for page in pages[:25])
    run = site.sync()
    assert run.state == "held"
    assert len(site.texts()) == 30
    site.state.hidden.clear()
    assert site.sync().state == "succeeded"


def test_macros_that_cant_be_shown_are_counted_and_told(site):
    """C25: unknown macros are counted by page, and told."""
    body = '<p>Text.</p><ac:structured-macro ac:name="chart" />' * 2
    page = site.state.add("HR", "Figures", body)
    run = site.sync()
    [issue] = run.issues.all()
    assert issue.reason == "not_shown"
    assert "1 pages hold" in issue.message
    assert "macro chart (2)" in issue.message
    row = site.source.documents.get(external_id=page.id)
    assert row.content["unhandled"] == {"macro chart": 2}


def test_people_are_named_and_else_shown_by_their_id(site):
    kind = "account-id" if site.is_cloud else "userkey"
    body = "".join(
        f'<p>Ask <ac:link><ri:user ri:{kind}="{who}"/></ac:link>.</p>'
        for who in ("u-ada", "u-gone")
    )
    site.state.add("HR", "Contacts", body)
    site.sync()
    assert "Ask @Ada Lovelace.\n\nAsk @u-gone." in site.texts()["Contacts"]


def test_links_lead_to_pages_files_and_issues(site):
    body = (
        '<p><ac:link><ri:page ri:content-title="Travel rules" ri:space-key="IT"/>'
        "</ac:link> <ac:link><ri:attachment ri:filename='a b.pdf'/></ac:link> "
        '<ac:structured-macro ac:name="jira"><ac:parameter ac:name="key">IT-7'
        "</ac:parameter></ac:structured-macro></p>"
    )
    page = site.state.add("HR", "Links", body)
    site.sync()
    row = site.source.documents.get(external_id=page.id)
    base = f"{site.server.url}/{'wiki' if site.is_cloud else 'confluence'}"
    links = {url for _, _, url in row.content["links"]}
    assert f"{base}/display/IT/Travel+rules" in links
    assert f"{base}/download/attachments/{page.id}/a%20b.pdf" in links
    assert (f"{site.server.url}/browse/IT-7" in links) == site.is_cloud
    assert "Travel rules a b.pdf IT-7" in site.texts()["Links"]


def test_a_token_with_scopes_goes_to_the_gateway_alone(cloud):
    from tests.vendors.confluence.cloud import Gateway

    page = cloud.state.add("HR", "Leave", "<p>Thirty days.</p>")
    cloud.state.attach(page, "rules.txt", b"Two weeks ahead.")
    for number in range(3):
        cloud.state.add("HR", f"Page {number}", "<p>Words.</p>")
    cloud.server.most = 2
    with Gateway(cloud.server) as gateway:
        cloud.settings["scoped_token"] = True
        cloud.gateway = gateway.url
        run = cloud.sync()
        assert run.state == "succeeded"
        assert len(cloud.texts()) == 5
        assert all("authorization" in asked.headers for asked in gateway.asked)
    [asked] = cloud.server.asked
    assert asked.path == "/_edge/tenant_info"
    assert "authorization" not in asked.headers
    assert cloud.source.documents.get(external_id=page.id).url.startswith(
        cloud.server.url
    )


def test_a_download_from_the_media_host_goes_without_the_key(cloud):
    from tests.vendors.confluence.cloud import MediaHost

    page = cloud.state.add("HR", "Leave", "<p>Thirty days.</p>")
    file = cloud.state.attach(page, "rules.txt", b"Two weeks ahead.")
    with MediaHost() as media:
        cloud.server.media = media
        run = cloud.sync()
        assert cloud.states()[file.id] == "failed"
        assert media.asked == []
        assert any("away from the source" in i.message for i in run.issues.all())
        cloud.also = (media.url,)
        cloud.sync()
        assert "Two weeks ahead." in cloud.texts()["rules.txt (Leave)"]
        assert all("authorization" not in asked.headers for asked in media.asked)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("deployment", "server"),
        ("base_url", "example.atlassian.net"),
        ("base_url", "http://169.254.169.254"),
        ("token", "two\nlines"),
        ("anonymous", "everybody"),
        ("max_file_mb", 0),
        ("spaces", 7),
    ],
)
def test_an_option_that_cant_be_is_refused_by_name(cloud, name, value):
    cloud.settings[name] = value
    with pytest.raises(OptionError) as refused:
        cloud.options()
    assert "two" not in str(refused.value)


def test_cloud_needs_the_accounts_address(cloud):
    cloud.settings["email"] = ""
    with pytest.raises(OptionError, match="email"):
        cloud.options()


def test_the_address_of_a_page_will_do(cloud):
    cloud.settings["base_url"] = f"{cloud.server.url}/wiki/spaces/HR/overview"
    assert cloud.options().base_url == cloud.server.url
