"""A process that syncs in children of its own, and kills them when it's asked to.

Arguments: the store's folder, the folder to read. ATTEST_HOME has the database. Each
line on standard input is a JSON number, the seconds after which the sync is killed, or
null; each line on standard output is what became of it.
"""

import json
import os
import signal
import sys
import time
from uuid import UUID

import django
from django.conf import settings

os.environ["DJANGO_SETTINGS_MODULE"] = "console.settings"


def main(store_folder, folder):
    """Import everything once, then fork a child for every sync."""
    django.setup()
    from console.preparation import prepare_home

    prepare_home(settings.ATTEST_HOME)
    from django.db import connections

    from connectors.models import Source
    from connectors.registry import connector_for
    from memory.tokens import count_tokens

    source, _ = Source.objects.get_or_create(
        id=UUID(int=1),
        defaults={"kind": "files", "name": "Docs", "options": {"path": folder}},
    )
    connector_for(source)
    count_tokens("Load the tokenizer.")
    connections.close_all()
    tell({"state": "ready"})
    for line in sys.stdin:
        child = os.fork()
        if not child:
            sync(source, store_folder)
            os._exit(0)
        watch(child, json.loads(line))


def watch(child, after_s):
    """Kill the child in time, and say so if it had not ended by itself."""
    if after_s is not None:
        time.sleep(after_s)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        tell({"state": "killed"})


def sync(source, store_folder):
    """Sync once, slowly enough to be hit anywhere."""
    from connectors import syncing_batch
    from connectors.errors import AlreadySyncing
    from connectors.registry import connector_for
    from connectors.syncing import run_sync
    from tests.connectors.worlds import FolderStore, index_of

    class SlowStore(FolderStore):
        def replace_document(self, *arguments):
            time.sleep(0.01)
            super().replace_document(*arguments)
            time.sleep(0.01)

        def delete_document(self, document_id):
            time.sleep(0.01)
            super().delete_document(document_id)
            time.sleep(0.01)

    syncing_batch.BATCH_DOCUMENTS = 4
    try:
        run = run_sync(source, connector_for(source), index_of(SlowStore(store_folder)))
    except AlreadySyncing:
        tell({"state": "refused"})
    else:
        tell({"state": run.state, "counts": run.counts})


def tell(value):
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
