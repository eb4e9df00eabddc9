"""Whole runs: the server's state changes, a sync follows, and the index is asked."""

import pytest

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
