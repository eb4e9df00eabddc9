"""`./manage.py rebuild`: build the store again from the text that the database keeps."""

from __future__ import annotations

import fcntl
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from connectors.errors import AlreadySyncing
from connectors.models import Document, Source, SyncRun
from connectors.rebuilding import rebuild
from connectors.syncing import Control, run_sync, runtime_index
from connectors.syncing_index import DocumentBuilder
from connectors.syncing_run import Cancelled
from console.management.commands.sync import ended_as_by_ctrl_c
from console.management.named import source_named
from console.management.showing import printable
from console.management.sync_progress import summary, watcher
from memory.errors import AttestError
from memory.stores.base import MemoryStore

SHOWN = 10
STOPPED = "Stopped. Nothing was changed: the index that was there goes on answering."


class Command(BaseCommand):
    """Exit with 1 when a document could not be built, or it was stopped."""

    help = "Build the index again from the texts in the database; no source is asked."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take a source's name; without one, all are built, beside the old index."""
        parser.add_argument("name", nargs="?", help="only this source, in its place")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Build, and tell what could not be built."""
        with ended_as_by_ctrl_c(), alone():
            if options["name"] is not None:
                complete = self._source(source_named(options["name"]))
            else:
                complete = self._whole()
        if not complete:
            sys.exit(1)

    def _whole(self) -> bool:
        from memory.runtime import runtime

        try:
            with watcher("index", sys.stderr) as show:
                control = Control(on_progress=show)
                done = rebuild(runtime().store_place, builder_for, control)
        except (Cancelled, KeyboardInterrupt):
            self.stderr.write(STOPPED)
            return False
        except AttestError as error:
            raise CommandError(str(error)) from error
        counts = done.counts
        self.stdout.write(
            f"Built {Document.objects.filter(state__in=Document.ANSWERING).count():,} "
            f"documents: {counts['chunks_embedded']:,} chunks, "
            f"{counts['memories_embedded']:,} memories. The new index answers now."
        )
        for id_, message in [*done.failed.items()][:SHOWN]:
            name = Document.objects.values_list("external_id", flat=True).get(id=id_)
            self.stdout.write(f"  not built: {printable(name)}: {printable(message)}")
        if done.failed:
            self.stdout.write(
                f"{len(done.failed):,} documents could not be built; the next sync of "
                "their source tries again."
            )
        return not done.failed

    def _source(self, source: Source) -> bool:
        """Write one source's documents into the index that answers."""
        answering = source.documents.filter(state__in=Document.ANSWERING)
        answering.update(needs_repair=True)
        try:
            with watcher(source.name, sys.stderr) as show:
                run = run_sync(source, None, runtime_index(), Control(on_progress=show))
        except (AlreadySyncing, AttestError) as error:
            raise CommandError(str(error)) from error
        for line in summary(run):
            self.stdout.write(line)
        return run.state == SyncRun.State.SUCCEEDED


def builder_for(store: MemoryStore) -> DocumentBuilder:
    """Return the product's builder over another store than the one that answers."""
    from memory.building import Builder
    from memory.runtime import runtime
    from memory.systems import default_chunker

    parts = runtime()
    return Builder(default_chunker(), parts.extractor, parts.embedder, store)


@contextmanager
def alone() -> Iterator[None]:
    """Let one rebuild of this home run at a time; a killed one's lock is let go."""
    with (settings.ATTEST_HOME / "rebuild.lock").open("w", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise CommandError("Another rebuild is running; wait for it.") from error
        yield
