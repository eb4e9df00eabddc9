"""`./manage.py remove_source NAME`: forget a source and what was read of it."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from connectors.errors import AlreadySyncing
from console.management.named import source_named
from console.removal import remove_source
from memory.errors import AttestError


class Command(BaseCommand):
    """Exit with 1 when it's unknown, or syncing right now."""

    help = "Remove a source with all that was read of it; its files stay untouched."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the source's name."""
        parser.add_argument("name", help="the source's name")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Remove it and say how much that was."""
        from memory.runtime import runtime

        source = source_named(options["name"])
        try:
            count = remove_source(source, runtime().store)
        except (AlreadySyncing, AttestError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Removed “{options['name']}” with {count} documents.")
