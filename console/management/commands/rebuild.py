"""`./manage.py rebuild`: build the store again from the text that the database keeps."""

from __future__ import annotations

import sys
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser

from connectors.models import Document, Source
from console.management.named import source_named


class Command(BaseCommand):
    """Exit with 1 when a source could not be built whole."""

    help = "Build the store again, without reading unchanged documents at their source."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take a source's name; without one, all are built."""
        parser.add_argument("name", nargs="?", help="only this source")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Mark every document for repair, and let a sync of its source carry it out.

        Cut short, the next sync goes on with what is left.
        """
        name = options["name"]
        sources = [source_named(name)] if name else list(Source.objects.all())
        complete = True
        for source in sources:
            source.documents.filter(state__in=Document.ANSWERING).update(
                needs_repair=True
            )
            complete = self._sync(source) and complete
        if not complete:
            sys.exit(1)

    def _sync(self, source: Source) -> bool:
        try:
            call_command("sync", source.name, stdout=self.stdout, stderr=self.stderr)
        except SystemExit:
            return False
        return True
