"""kill -9 at any moment of a sync of a Drive: what's left is what a clean one makes."""

import json
import os
import random
import sqlite3
import subprocess
import sys

import pytest

from tests.connectors.google_drive.conftest import make_workspace
from tests.connectors.test_syncing_kills import ROOT, Installation
from tests.vendors.google.server import GoogleServer
from tests.vendors.google.signing import key_file
from tests.vendors.google.state import Grant

pytestmark = pytest.mark.integration

ADA = "ada@example.com"


class DriveInstallation(Installation):
    """A home and a store, synced from a Drive by children of a process of their own."""

    def __init__(self, base, server):
        self.home, self.store = base / "home", base / "store"
        base.mkdir(exist_ok=True)
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("ATTEST_")},
            "ATTEST_HOME": str(self.home),
            "ATTEST_ENV_FILE": os.devnull,
            "PYTHONWARNINGS": "ignore",
        }
        options = {
            "service_account_key": key_file(),
            "subjects": [ADA],
            "base_url": server.url,
        }
        module = "tests.connectors.google_drive.one_sync"
        self.process = subprocess.Popen(
            [sys.executable, "-m", module, str(self.store), json.dumps(options)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def rules(self):
        with sqlite3.connect(self.home / "attest.sqlite3") as database:
            return set(
                database.execute(
                    "select external_id, rule_id from connectors_document "
                    "where state = 'indexed'"
                )
            )

    def forget_place(self):
        """Make the next sync look at everything, as a listing does."""
        with sqlite3.connect(self.home / "attest.sqlite3") as database:
            database.execute("update connectors_source set cursor = null")
        database.close()


def change(space, chance):
    """Add, edit, trash, restore, move and share some files and folders."""
    [team] = space.drives.values()
    folders = [i for i in space.items.values() if i.mime.endswith("folder")]
    for _ in range(20):
        files = [i for i in space.items.values() if i.mime == "text/plain"]
        item, folder = chance.choice(files), chance.choice(folders)
        match chance.choice(
            ["add", "edit", "edit", "trash", "move", "share", "folder"]
        ):
            case "add":
                space.add("New.txt", parent=folder, data=f"New {chance.random()}.")
            case "edit":
                space.pass_time(1)
                space.edit(item, data=f"Turn {chance.random()}. " * 5)
            case "trash" if item.is_trashed or chance.random() < 0.5:
                (space.restore if item.is_trashed else space.trash)(item)
            case "move":
                space.move(item, chance.choice([folder, team]))
            case "share":
                space.share(item, Grant("user", chance.choice(list(space.people))))
            case "folder":
                toggle(space, folder, folders)


def toggle(space, folder, folders):
    """Trash a folder, one at a time: more at once is held for an administrator."""
    if folder.is_trashed:
        space.restore(folder)
    elif not any(other.is_trashed for other in folders):
        space.trash(folder)


def filled():
    space = make_workspace()
    team = space.add_drive("Team", Grant("user", ADA, "organizer"))
    for place in ({"owner": ADA}, {"drive": team}):
        for number in range(3):
            folder = space.folder(f"F{number}", **place)
            for name in range(6):
                space.add(f"{name}.txt", parent=folder, data=f"Page {name}. " * 8)
    return space


def kills(seed, tmp_path, *, turns):
    """Change and kill in turns; what's left must be what a clean sync makes."""
    chance = random.Random(seed)
    with (
        GoogleServer(filled()) as server,
        DriveInstallation(tmp_path / "hit", server) as hit,
    ):
        killed = 0
        for _ in range(turns):
            change(server.workspace, chance)
            killed += hit.sync(chance.uniform(0.05, 0.8))["state"] == "killed"
        assert killed >= turns // 3
        assert hit.sync()["state"] == "succeeded"
        again = hit.sync()
        with DriveInstallation(tmp_path / "clean", server) as clean:
            assert clean.sync()["state"] == "succeeded"
        # All that there is is right. What a run found gone, and was killed before it
        # deleted it, goes when everything is listed again.
        assert clean.rows() <= hit.rows()
        hit.forget_place()
        assert hit.sync()["state"] == "succeeded"
    assert hit.rows() == clean.rows()
    assert hit.texts() == clean.texts()
    assert hit.rules() == clean.rules()
    assert not any(row[-1] for row in hit.rows())
    assert again["counts"].get("indexed", 0) == 0
    assert "running" not in hit.runs()


def test_killed_syncs_of_a_drive_recover_to_what_a_clean_one_makes(tmp_path):
    kills(1, tmp_path, turns=5)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_many_killed_syncs_of_a_drive_recover(seed, tmp_path):
    kills(seed, tmp_path, turns=20)
