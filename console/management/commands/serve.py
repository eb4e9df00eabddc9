"""`./manage.py serve`: the pages, and due syncs, in one process."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from console.background import background_work
from console.serving import PortTaken, listen, origin_of, serve


class Command(BaseCommand):
    """Serve until Ctrl-C or SIGTERM."""

    help = "Serve the pages and run due syncs in one process."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the address to listen on."""
        parser.add_argument("--host", default="127.0.0.1", help="default: this machine")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *_args: Any, **options: Any) -> None:
        """Bind the port first, so that a taken one is told at once."""
        try:
            listener = listen(options["host"], options["port"])
        except PortTaken as error:
            raise CommandError(str(error)) from error
        except OSError as error:
            raise CommandError(
                f"{options['host']} is no address of this machine ({error.strerror})."
            ) from error
        origin = origin_of(listener)

        def ready() -> None:
            self.stdout.write(
                f"Attest is on {origin}/ and its console on {origin}/console/. "
                "Ctrl-C stops it."
            )
            self.stdout.flush()

        if serve(listener, ready=ready, background=background_work()):
            self.stdout.write("Stopped.")
        else:
            self.stdout.write("Stopped; a sync was cut short and goes on next time.")
