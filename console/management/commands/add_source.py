"""`./manage.py add_source KIND --name N --set key=value …`: a source from a shell."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from connectors.base import Option
from connectors.errors import OptionError
from connectors.models import Source
from connectors.options import complete, described, parse_settings
from connectors.registry import KINDS, connector_for, options_of


class Command(BaseCommand):
    """Add a source that works; the next sync reads it."""

    help = "Add a source. Without --name and --set, list a kind's options."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take kind, name and options."""
        parser.add_argument("kind", help=f"one of: {', '.join(KINDS)}")
        parser.add_argument("--name", help="what people call it; shown beside answers")
        parser.add_argument(
            "--set",
            action="extend",
            nargs="+",
            default=[],
            metavar="KEY=VALUE",
            help="an option of this kind; a list's key may be repeated, and a secret be "
            "read from a file: token=@FILE",
        )
        parser.add_argument(
            "--every",
            type=int,
            default=15,
            metavar="MINUTES",
            help="how often it syncs",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Check everything before anything is saved."""
        try:
            known = options_of(options["kind"])
            if options["name"] is None:
                raise CommandError(f"--name is missing. {described(known)}")
            given = [from_file(setting, known) for setting in options["set"]]
            values = complete(parse_settings(given, known), known)
            source = Source(
                kind=options["kind"],
                name=options["name"].strip(),
                options=values,
                sync_every_minutes=options["every"],
            )
            refuse_duplicate(source)
            refuse_broken(source)
        except OptionError as error:
            raise CommandError(str(error)) from error
        source.save()
        self.stdout.write(
            f"Added “{source.name}”. Sync it: ./manage.py sync '{source.name}'"
        )


def from_file(setting: str, known: Sequence[Option]) -> str:
    """Return `name=text`, where `name=@file` of a secret is what the file holds.

    So that a secret needn't stand in the shell's history or the list of processes.
    Raises CommandError naming the file.
    """
    name, _, text = setting.partition("=")
    secret = any(item.name == name.strip() and item.type == "secret" for item in known)
    if not (secret and text.startswith("@")):
        return setting
    try:
        return f"{name}={Path(text[1:]).expanduser().read_text('utf-8').strip()}"
    except (OSError, UnicodeDecodeError, ValueError) as error:
        raise CommandError(
            f"The file for “{name}” can't be read ({type(error).__name__}): "
            f"{text[1:]!r}."
        ) from error


def refuse_duplicate(source: Source) -> None:
    """Raise CommandError for a name that is taken or a place that is read already."""
    if not source.name or not source.name.isprintable():
        raise CommandError("--name is empty or holds control characters.")
    if source.sync_every_minutes < 1:
        raise CommandError("--every is at least 1 minute.")
    if Source.objects.filter(name__iexact=source.name).exists():
        raise CommandError(f"There's a source “{source.name}” already.")
    required = [
        item.name
        for item in options_of(source.kind)
        if item.required and item.type != "secret"
    ]
    for other in Source.objects.filter(kind=source.kind):
        if all(other.options.get(name) == source.options[name] for name in required):
            raise CommandError(f"“{other.name}” reads the same place already.")


def refuse_broken(source: Source) -> None:
    """Raise CommandError when a capability of the source doesn't work."""
    wrong = [check for check in connector_for(source).check() if not check.ok]
    if wrong:
        told = "\n".join(f"{check.capability}: {check.message}" for check in wrong)
        raise CommandError(f"The source doesn't work, so it wasn't added.\n{told}")
