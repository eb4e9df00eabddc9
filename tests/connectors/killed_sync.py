"""A process that syncs an HTTP source in children of its own, for a test to kill.

Arguments: the store's folder, the source's kind, its options as JSON, and which passes
Confluence makes ("whole" or "recent"). ATTEST_HOME has the database. Each line on
standard input starts a sync; on standard output stand the child's id, then what became
of it.
"""

from __future__ import annotations

import json
import math
import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path
from uuid import UUID

ROOT = Path(__file__).resolve().parents[2]


class KilledSource:
    """An installation that reads one server, and dies when that's asked for it."""

    def __init__(self, base, server, kind, options, passes="whole"):
        self.home, self.store, self.server = base / "home", base / "store", server
        base.mkdir(exist_ok=True)
        environment = {
            **{k: v for k, v in os.environ.items() if not k.startswith("ATTEST_")},
            "ATTEST_HOME": str(self.home),
            "ATTEST_ENV_FILE": os.devnull,
            "PYTHONWARNINGS": "ignore",
        }
        arguments = [self.store, kind, json.dumps(options), passes]
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tests.connectors.killed_sync",
                *map(str, arguments),
            ],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        assert self._told() == {"state": "ready"}
        return self

    def __exit__(self, *_error):
        self.server.on_request = lambda _: None
        self.process.communicate(timeout=300)

    def sync(self, killed_at=0):
        """Sync; the process is killed as its request of this number (from 1) comes.

        Return how many came, and what became of it.
        """
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        child, came = self._told()["pid"], []

        def watch(asked):
            came.append(asked)
            if len(came) == killed_at:
                os.kill(child, signal.SIGKILL)

        self.server.on_request = watch
        self._say("go")
        return self._told()["state"], len(came)

    def _say(self, word):
        self.process.stdin.write(f"{word}\n")
        self.process.stdin.flush()

    def _told(self):
        return json.loads(self.process.stdout.readline())

    def rows(self):
        with sqlite3.connect(self.home / "attest.sqlite3") as database:
            return set(
                database.execute(
                    "select external_id, state, title, content_hash, chunk_count, "
                    "needs_repair, mark, rule_id from connectors_document "
                    "where state != 'removed'"
                )
            )

    def run_states(self):
        with sqlite3.connect(self.home / "attest.sqlite3") as database:
            found = database.execute("select state from connectors_syncrun")
            return [row[0] for row in found]

    def texts(self):
        from tests.connectors.worlds import FolderStore

        return FolderStore(self.store).texts()


def killed_anywhere(tmp_path, server, source, change, *, shares):
    """Kill a sync at each share of its requests; each time something changed before.

    The first two are killed in what would be the first sync, the others in one that
    reads changes; another installation tells how many requests that takes. `source` is (kind, options, passes). After one more, what is there
    must be what an installation has that was never disturbed.
    """
    with (
        KilledSource(tmp_path / "undisturbed", server, *source) as other,
        KilledSource(tmp_path / "hit", server, *source) as hit,
    ):
        requests = 0
        for turn, share in enumerate(shares):
            if turn > 1:
                assert hit.sync()[0] == "succeeded"
            change(turn)
            state, count = other.sync()
            assert state == "succeeded"
            # The first sync of the one that is hit reads all, as the other's first did.
            requests = count if turn != 1 else requests
            state, _ = hit.sync(killed_at=math.ceil(share * requests))
            assert state == "killed"
        assert hit.sync()[0] == other.sync()[0] == "succeeded"
        assert hit.rows() == other.rows()
        assert hit.texts() == other.texts()
        assert not any("running" in state for state in hit.run_states())


def main(store_folder, kind, options, passes):
    import django
    from django.conf import settings

    os.environ["DJANGO_SETTINGS_MODULE"] = "console.settings"
    django.setup()
    from console.preparation import prepare_home

    prepare_home(settings.ATTEST_HOME)
    from django.db import connections

    from connectors.confluence import cursors
    from connectors.models import Source
    from connectors.registry import connector_for
    from memory.tokens import count_tokens

    cursors.WHOLE_SHARE = float("inf") if passes == "whole" else 1e-9
    source, _ = Source.objects.get_or_create(
        id=UUID(int=1),
        defaults={"kind": kind, "name": "Site", "options": json.loads(options)},
    )
    connector_for(source)
    count_tokens("Load the tokenizer.")
    connections.close_all()
    tell({"state": "ready"})
    while sys.stdin.readline():
        begins, begin = os.pipe()
        child = os.fork()
        if not child:
            os.read(begins, 1)
            sync(source, store_folder)
            os._exit(0)
        tell({"pid": child})
        sys.stdin.readline()
        os.write(begin, b"x")
        _, status = os.waitpid(child, 0)
        if os.WIFSIGNALED(status):
            tell({"state": "killed"})


def sync(source, store_folder):
    from connectors import syncing_batch
    from connectors.registry import connector_for
    from connectors.syncing import run_sync
    from tests.connectors.worlds import FolderStore, index_of

    # What is written late hides what is written too early.
    syncing_batch.BATCH_DOCUMENTS = 1
    run = run_sync(source, connector_for(source), index_of(FolderStore(store_folder)))
    tell({"state": run.state, "message": run.message})


def tell(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
