"""A worker that is killed at any step of reading a Confluence (FIELD row C53)."""

import pytest

from tests.connectors.killed_sync import killed_anywhere
from tests.vendors.confluence import CloudServer, DataCenterServer

pytestmark = pytest.mark.integration

SHARES = (0.02, 0.3, 0.55, 0.8, 0.98)


def source_of(server, passes):
    is_cloud = isinstance(server, CloudServer)
    options = {
        "deployment": "cloud" if is_cloud else "data_center",
        "base_url": server.url if is_cloud else f"{server.url}/confluence",
        "email": server.state.email if is_cloud else "",
        "token": server.state.token,
    }
    return "confluence", options, passes


def fill(state):
    state.add_group("g-staff", "u-ada")
    state.add_group("g-hr", "u-ada")
    state.add_space("HR", "People")
    for number in range(9):
        page = state.add("HR", f"Page {number}", f"<p>Text {number}.</p>")
        state.comment(page, "<p>Sure?</p>")
        if number % 2:
            state.attach(page, f"file{number}.txt", b"file")


def change(state, turn, *, deletes):
    """Do what people do between two runs."""
    pages = state.current("page")
    state.edit(pages[turn], f"<p>Edited in turn {turn}.</p>")
    state.comment(pages[turn + 1], f"<p>Said in turn {turn}.</p>")
    new = state.add("HR", f"New {turn}", "<p>New.</p>")
    state.attach(new, "new.txt", b"new file")
    state.restrict(pages[turn + 2], groups=["g-hr"])
    state.edit(pages[turn + 2])
    if deletes:
        state.trash(pages[-1])
    # Another edit, long after: no overlap of windows makes up for what was skipped.
    state.tick(hours=2)
    state.edit(pages[turn + 3])


def killed(server, tmp_path, shares, passes):
    fill(server.state)
    server.most = 4
    killed_anywhere(
        tmp_path,
        server,
        source_of(server, passes),
        lambda turn: change(server.state, turn % 4, deletes=passes == "whole"),
        shares=shares,
    )


def test_a_worker_that_is_killed_at_a_step_leaves_what_a_clean_run_makes(tmp_path):
    with CloudServer() as server:
        killed(server, tmp_path, SHARES, "recent")


@pytest.mark.long
@pytest.mark.parametrize("passes", ["whole", "recent"])
@pytest.mark.parametrize("kind", [CloudServer, DataCenterServer])
@pytest.mark.parametrize("first", range(5))
def test_a_worker_that_is_killed_at_every_step_leaves_what_a_clean_run_makes(
    tmp_path, kind, passes, first
):
    shares = [(first + 5 * turn + 0.5) / 25 for turn in range(5)]
    with kind() as server:
        killed(server, tmp_path, shares, passes)
