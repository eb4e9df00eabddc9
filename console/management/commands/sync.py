"""`./manage.py sync [NAME] [--all]`: sync sources now, and tell what happened."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from connectors.errors import AlreadySyncing, OptionError
from connectors.models import Source, SyncRun
from connectors.registry import connector_for
from connectors.syncing import Control, run_sync, runtime_index
from console.management.named import source_named
from console.management.sync_progress import summary, watcher

State = SyncRun.State


class Command(BaseCommand):
    """Exit with 1 when a run failed, is held or was cancelled."""

    help = "Sync one source, or all that aren't paused."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take a source's name, or all."""
        parser.add_argument("name", nargs="?", help="a source's name")
        parser.add_argument("--all", action="store_true", help="every source")
        parser.add_argument(
            "--approve-deletions",
            action="store_true",
            help="delete the documents that an earlier run of this source holds",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Sync one source after the other."""
        failed = False
        with ended_as_by_ctrl_c():
            for source in self._sources(options):
                run = self._run(source, approve=options["approve_deletions"])
                failed = failed or run is None or run.state != State.SUCCEEDED
                if run is not None and run.state == State.CANCELLED:
                    break
        if failed:
            sys.exit(1)

    def _sources(self, options: dict[str, Any]) -> list[Source]:
        named = options["name"] is not None
        if named and options["all"]:
            raise CommandError("Name a source or write --all, not both.")
        if named:
            return [source_named(options["name"])]
        sources = list(Source.objects.all())
        if not sources:
            raise CommandError("There are no sources; ./manage.py add_source adds one.")
        if options["approve_deletions"] or not (options["all"] or len(sources) == 1):
            names = ", ".join(source.name for source in sources)
            raise CommandError(f"Name a source. There are: {names}.")
        return [item for item in sources if item.state != Source.State.PAUSED]

    def _run(self, source: Source, *, approve: bool) -> SyncRun | None:
        """Sync a source and print its summary; None when it could not start."""
        try:
            connector = connector_for(source)
            index = runtime_index()
            with watcher(source.name, sys.stderr) as show:
                control = Control(on_progress=show, approve_deletions=approve)
                run = run_sync(source, connector, index, control)
        except (AlreadySyncing, OptionError) as error:
            self.stderr.write(f"{source.name}: {error}")
            return None
        for line in summary(run):
            self.stdout.write(line)
        return run


@contextmanager
def ended_as_by_ctrl_c() -> Iterator[None]:
    """Take SIGTERM as Ctrl-C, so that a stopped container leaves a finished run."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
