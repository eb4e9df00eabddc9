"""kill -9 at any moment, in a real process: the next run goes on and nothing is half."""

import json
import os
import random
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.connectors.worlds import FolderStore

ROOT = Path(__file__).resolve().parents[2]


class Installation:
    """A home, a store and a folder, synced by children of a process of their own."""

    def __init__(self, base, folder):
        self.home, self.store = base / "home", base / "store"
        base.mkdir(exist_ok=True)
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("ATTEST_")},
            "ATTEST_HOME": str(self.home),
            "ATTEST_ENV_FILE": os.devnull,
            "PYTHONWARNINGS": "ignore",
        }
        arguments = ["-m", "tests.connectors.one_sync", self.store, folder]
        self.process = subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        assert self.told() == {"state": "ready"}
        return self

    def __exit__(self, *_error):
        self.process.communicate(timeout=300)

    def sync(self, killed_after_s=None):
        """Sync, maybe not to the end, and return what became of it."""
        self.ask(killed_after_s)
        return self.told()

    def ask(self, killed_after_s=None):
        self.process.stdin.write(json.dumps(killed_after_s) + "\n")
        self.process.stdin.flush()

    def told(self):
        return json.loads(self.process.stdout.readline())

    def rows(self):
        with sqlite3.connect(self.home / "attest.sqlite3") as database:
            return set(
                database.execute(
                    "select external_id, state, title, content_hash, chunk_count, "
                    "needs_repair from connectors_document where state != 'removed'"
                )
            )

    def runs(self):
        with sqlite3.connect(self.home / "attest.sqlite3") as database:
            return [
                row[0]
                for row in database.execute("select state from connectors_syncrun")
            ]

    def texts(self):
        return FolderStore(self.store).texts()


def edit(folder, chance, turn):
    """Write, change and delete some files."""
    for number in range(40):
        path = folder / f"part {number % 3}" / f"{number}.md"
        path.parent.mkdir(exist_ok=True)
        dice = chance.random()
        if not path.exists() or dice < 0.3:
            path.write_text(f"# Page {number}\n\n{f'Turn {turn}. ' * number}.\n")
        elif dice < 0.4:
            path.unlink()


def kills(seed, tmp_path, *, turns):
    """Edit and kill in turns; what's left must be what a clean sync makes."""
    chance = random.Random(seed)
    folder = tmp_path / "docs"
    folder.mkdir()
    with Installation(tmp_path / "hit", folder) as hit:
        killed = 0
        for turn in range(turns):
            edit(folder, chance, turn)
            killed += hit.sync(chance.uniform(0.05, 0.9))["state"] == "killed"
        assert killed >= turns // 3
        assert hit.sync()["state"] == "succeeded"
        again = hit.sync()
    with Installation(tmp_path / "clean", folder) as clean:
        clean.sync()
    assert hit.rows() == clean.rows()
    assert hit.texts() == clean.texts()
    assert not any(row[-1] for row in hit.rows())
    assert again["counts"]["unchanged"] == len(list(folder.rglob("*.md")))
    assert "running" not in hit.runs()
    return hit


def test_killed_syncs_recover_to_what_a_clean_one_makes(tmp_path):
    hit = kills(1, tmp_path, turns=12)
    assert hit.runs().count("interrupted") >= 4


def test_two_processes_that_sync_at_once_make_one_run(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    edit(folder, random.Random(0), 0)
    one = Installation(tmp_path / "shared", folder)
    with Installation(tmp_path / "shared", folder) as other, one:
        one.ask()
        other.ask()
        told = sorted([one.told()["state"], other.told()["state"]])
    assert told == ["refused", "succeeded"]
    assert one.runs() == ["succeeded"]
    assert len(one.texts()) == 40


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 22))
def test_many_killed_syncs_recover(seed, tmp_path):
    kills(seed, tmp_path, turns=20)
