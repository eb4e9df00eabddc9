"""What a command line names: a source, or an error that lists those there are."""

from __future__ import annotations

from django.core.management.base import CommandError

from connectors.models import Source
from console.management.showing import printable

#: Far more than a name has. SQLite's LIKE refuses patterns of 50,000 bytes.
LONGEST = 1000


def source_named(name: str) -> Source:
    """Return a source by its name, in any case of letters if that names only one."""
    if len(name) > LONGEST:
        raise CommandError(f"No source's name has {len(name):,} characters.")
    exact = Source.objects.filter(name=name).first()
    alike = [exact] if exact else list(Source.objects.filter(name__iexact=name))
    if len(alike) == 1:
        return alike[0]
    names = ", ".join(Source.objects.values_list("name", flat=True)) or "none"
    told = f"No source is named “{name}”. There are: {names}."
    raise CommandError(printable(told))
