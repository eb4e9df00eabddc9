"""`./manage.py demo`, called by `make demo`: from nothing to a first answer."""

from __future__ import annotations

import socket
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from connectors.models import SyncRun
from console.background import background_work
from console.demonstration import (
    KIND,
    QUESTIONS,
    Folder,
    own_folder,
    sample_folders,
)
from console.serving import PortTaken, listen, origin_of, serve

HOST = "127.0.0.1"
#: Ports that are tried, from the first on, when it's busy.
TRIES = 50


class Command(BaseCommand):
    """Add folders, sync them, ask, and serve. A second run uses what the first made."""

    help = "Show Attest on a sample workspace, or on a folder of your own."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the folder, and whether and where to serve."""
        parser.add_argument(
            "--docs", default="", help="a folder of yours instead of the sample"
        )
        parser.add_argument(
            "--no-serve", action="store_true", help="stop before serving the pages"
        )
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Run the steps one after the other."""
        listener = None if options["no_serve"] else self._listen(options["port"])
        self._load(self._folders(options["docs"]))
        if not options["docs"]:
            self._ask()
        if listener is None:
            self._leave()
        else:
            self._serve(listener)

    def _folders(self, docs: str) -> Sequence[Folder]:
        if not docs:
            return sample_folders()
        folder = own_folder(Path(docs))
        if not folder.path.is_dir():
            raise CommandError(f"{folder.path} is no folder: name one with documents.")
        for sample in sample_folders():
            if source := sample.source():
                call_command("remove_source", source.name, stdout=self.stdout)
        return [folder]

    def _load(self, folders: Sequence[Folder]) -> None:
        for folder in folders:
            self._title(f"Source: {folder.name} ({folder.path})")
            source = folder.source()
            if source is None:
                arguments = ["--name", folder.name, "--set", f"path={folder.path}"]
                call_command("add_source", KIND, *arguments, stdout=StringIO())
            self._sync(source.name if source else folder.name)

    def _sync(self, name: str) -> None:
        try:
            call_command("sync", name, stdout=self.stdout, stderr=self.stderr)
        except SystemExit as error:
            run = SyncRun.objects.filter(source__name=name).first()
            if run and run.state == SyncRun.State.CANCELLED:
                raise CommandError(
                    "Stopped. The next run goes on from there."
                ) from error
            self.stderr.write("This source is not complete; the demo goes on without.")

    def _ask(self) -> None:
        for question in QUESTIONS:
            self._title(f"Question: {question}")
            call_command("ask", question, stdout=self.stdout, stderr=self.stderr)

    def _leave(self) -> None:
        self._title("Not serving, as asked")
        self.stdout.write(
            'Ask on the terminal:   ./manage.py ask "…"\n'
            "Serve the pages:       ./manage.py serve\n"
            "Make a sign-in link:   ./manage.py sign_in_link"
        )

    def _listen(self, port: int) -> socket.socket:
        """Take a port before anything is printed: links name the one that's used."""
        try:
            listener = listen(HOST, port, tries=TRIES)
        except PortTaken as error:
            raise CommandError(str(error)) from error
        if listener.getsockname()[1] != port:
            self.stdout.write(f"Port {port} is taken, so another one is used.")
            settings.ATTEST_BASE_URL = origin_of(listener)
        return listener

    def _serve(self, listener: socket.socket) -> None:
        origin = origin_of(listener)
        self._title(f"Attest is on {origin}/ and its console on {origin}/console/")
        self.stdout.write("Sign in with this link (once, within 30 minutes):")
        call_command("sign_in_link", base_url=origin, stdout=self.stdout)
        self.stdout.write('Or ask on another terminal: ./manage.py ask "…"')
        self.stdout.write(
            f"Another link, later: ./manage.py sign_in_link --base-url {origin}"
        )
        self._until_stopped(listener)

    def _until_stopped(self, listener: socket.socket) -> None:
        def ready() -> None:
            self.stdout.write("Ready. Ctrl-C stops it.")
            self.stdout.flush()

        serve(listener, ready=ready, background=background_work())
        self.stdout.write("Stopped.")

    def _title(self, text: str) -> None:
        self.stdout.write(f"\n{self.style.MIGRATE_HEADING(text)}")
        self.stdout.flush()
