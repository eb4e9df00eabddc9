"""`./manage.py sources`: each source with its documents, last run and next one."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.db.models import Count

from connectors.models import Source
from connectors.syncing import next_run_at
from console.management.showing import moment, printable, table

HEAD = ("name", "kind", "state", "documents", "last run (UTC)", "next (UTC)")


class Command(BaseCommand):
    """Print a table, and below it why a source is paused or held."""

    help = "List the sources."

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Print it."""
        sources = list(Source.objects.all())
        if not sources:
            self.stdout.write(
                "There are none. Add one: ./manage.py add_source files --name NAME "
                "--set path=FOLDER"
            )
            return
        for line in table(HEAD, [row(source) for source in sources]):
            self.stdout.write(line)
        for source in sources:
            if source.reason:
                self.stdout.write(
                    f"\n{printable(source.name)}: {printable(source.reason)}"
                )


def row(source: Source) -> tuple[str, ...]:
    """Return a source's line."""
    run = source.runs.first()
    last = f"{run.state} {moment(run.started_at)}" if run else "never"
    return (
        printable(source.name),
        source.kind,
        source.state,
        documents(source),
        last,
        moment(next_run_at(source, run.started_at if run else None)),
    )


def documents(source: Source) -> str:
    """Count a source's documents by state, those that answer first."""
    rows = source.documents.order_by().values_list("state").annotate(n=Count("id"))
    counts = dict(rows)
    states = ("indexed", "held", "failed", "skipped")
    told = [f"{counts[state]} {state}" for state in states if counts.get(state)]
    return ", ".join(told) or "none"
