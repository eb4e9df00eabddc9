"""`./manage.py verify [--mend]`: whether the database and the index agree."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from connectors.errors import AlreadySyncing
from connectors.models import Document, Source, SyncRun
from connectors.syncing import Control, run_sync, runtime_index
from connectors.verifying import Kind, Verdict, mend, verify
from console.management.commands.sync import ended_as_by_ctrl_c
from console.management.showing import printable
from console.management.sync_progress import watcher
from memory.errors import AttestError

EXAMPLES = 3


class Command(BaseCommand):
    """Exit with 1 when they differ, or still do after mending."""

    help = "Compare database and index: documents, counts, access, status."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take whether differences are mended."""
        parser.add_argument(
            "--mend",
            action="store_true",
            help="remove what isn't known, and write the rest again from its text",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the differences by kind, mend them if asked, and look again."""
        from memory.runtime import runtime

        try:
            with ended_as_by_ctrl_c():
                store = runtime().store
                verdict = verify(store)
                self._tell(verdict)
                if options["mend"] and verdict.differences:
                    self.stdout.write(f"Mending {mend(verdict, store):,} documents …")
                    self._repair()
                    verdict = verify(store)
                    self._tell(verdict)
        except AttestError as error:
            raise CommandError(str(error)) from error
        except KeyboardInterrupt as error:
            raise CommandError("Stopped. What was mended stays so.") from error
        if verdict.differences:
            if not options["mend"]:
                self.stdout.write("Mend them: ./manage.py verify --mend")
            sys.exit(1)

    def _tell(self, verdict: Verdict) -> None:
        self.stdout.write(
            f"Compared {verdict.documents:,} documents that answer with "
            f"{verdict.chunks:,} chunks and {verdict.memories:,} memories: "
            + (
                f"{len(verdict.differences):,} differences."
                if verdict.differences
                else "they agree."
            )
        )
        for kind in Kind:
            found = verdict.of(kind)
            if not found:
                continue
            self.stdout.write(f"{len(found):,} × {kind.value}")
            for item in found[:EXAMPLES]:
                detail = f" ({item.detail})" if item.detail else ""
                line = f"{item.source}: {item.name}{detail}"
                self.stdout.write(f"  {printable(line)}")
            if len(found) > EXAMPLES:
                self.stdout.write(f"  and {len(found) - EXAMPLES:,} more")

    def _repair(self) -> None:
        """Write what waits, source by source, from the texts that SQL keeps."""
        waiting = Document.objects.filter(needs_repair=True).values("source")
        for source in Source.objects.filter(id__in=waiting):
            try:
                with watcher(source.name, sys.stderr) as show:
                    control = Control(on_progress=show)
                    run = run_sync(source, None, runtime_index(), control)
            except AlreadySyncing as error:
                self.stderr.write(f"{error} Its next sync mends its documents.")
                continue
            if run.state == SyncRun.State.CANCELLED:
                raise KeyboardInterrupt
            if run.state != SyncRun.State.SUCCEEDED:
                self.stderr.write(f"{printable(source.name)}: {printable(run.message)}")
