"""`./manage.py access EMAIL [--document URL_OR_PATH]`: what a person may see, and why."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from connectors.access import (
    documents_named,
    person_for,
    principals_of,
    scope_of,
)
from connectors.errors import AccessError
from connectors.models import AccessRule, Document, Group, Person, Source
from console.management.showing import printable, table
from memory.access import NOBODY_RULE, Principal, Scope, Status


class Command(BaseCommand):
    """Exit with 1 for an unknown person or document."""

    help = "Show what a person may see, and by which layer of which rule."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take an address, and maybe one document."""
        parser.add_argument("email", help="the person's address")
        parser.add_argument(
            "--document",
            metavar="URL_OR_PATH",
            help="a document's link, id, or path in its source",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the person, then sources or the document's layers."""
        try:
            person = person_for(options["email"])
            held = principals_of(person)
            self.stdout.write(f"{person}: {', '.join(map(named, sorted(held)))}")
            if options["document"] is None:
                self._sources(scope_of(person))
                return
            for document in documents_named(options["document"]):
                self._document(document, person, held)
        except AccessError as error:
            raise CommandError(printable(str(error))) from error

    def _sources(self, scope: Scope) -> None:
        """Print how many documents of each source the person may see."""
        readable = [
            row.id for row in AccessRule.objects.all() if scope.admits(row.as_value())
        ]
        rows = []
        for source in Source.objects.all():
            answering = source.documents.filter(state__in=Document.ANSWERING)
            total = answering.count()
            seen = answering.filter(rule_id__in=readable)
            current = seen.filter(status=Status.CURRENT).count()
            rows.append(
                (printable(source.name), str(seen.count()), str(current), str(total))
            )
        head = ("source", "may open", "of them answer", "indexed")
        for line in table(head, rows):
            self.stdout.write(line)

    def _document(
        self, document: Document, person: Person, held: frozenset[Principal]
    ) -> None:
        """Print a document's layers, each with what of it the person holds."""
        rule = document.rule.as_value() if document.rule else NOBODY_RULE
        allowed = rule.allows(held)
        name = printable(f"{document.source.name}: {document.external_id}")
        self.stdout.write(f"{name} ({document.state}, {document.status})")
        for number, layer in enumerate(sorted(map(sorted, rule.layers)), start=1):
            mine = [named(item) for item in layer if item in held]
            told = f"yes, as {', '.join(mine)}" if mine else "no"
            names = ", ".join(map(named, layer)) or "nobody"
            self.stdout.write(f"  layer {number}: {names}: {told}")
        if not rule.layers:
            self.stdout.write("  It has no rule, so nobody may see it.")
        self.stdout.write(f"  {person} {verdict(document, allowed=allowed)}")


def verdict(document: Document, *, allowed: bool) -> str:
    """Say whether the person may see the document, and whether it answers."""
    if not allowed:
        return "may not see it."
    if document.state not in Document.ANSWERING:
        why = printable(document.message or document.reason)
        return f"may see it, but it doesn't answer: {document.state}. {why}".rstrip()
    if document.status != Status.CURRENT:
        return f"may see it, but it doesn't answer by default: it's {document.status}."
    return "may see it."


def named(principal: str) -> str:
    """Return a principal as an administrator reads it."""
    kind, _, rest = principal.partition(":")
    if kind == "person":
        person = Person.objects.filter(id=rest).first()
        return str(person) if person else principal
    if kind == "group":
        group = Group.objects.filter(principal=principal).first()
        return f"group {group}" if group else principal
    return principal
