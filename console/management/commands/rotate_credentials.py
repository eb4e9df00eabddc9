"""`./manage.py rotate_credentials`: encrypt sources' secrets by the newest key."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from connectors.credentials import CredentialError, rotated
from connectors.models import Source
from connectors.registry import KINDS, options_of


class Command(BaseCommand):
    """Exit with 1 when a secret can't be decrypted; then nothing was changed."""

    help = (
        "Encrypt the secrets of all sources by the first of ATTEST_CREDENTIAL_KEYS; "
        "afterwards the other keys aren't needed any more."
    )

    def handle(self, *_args: Any, **_options: Any) -> None:
        """Rewrite all sources that have secrets, or none."""
        count = 0
        try:
            with transaction.atomic():
                rows = Source.objects.select_for_update().filter(kind__in=KINDS)
                for source in rows:
                    known = options_of(source.kind)
                    if any(option.type == "secret" for option in known):
                        source.options = rotated(
                            source.options, known, source=source.name
                        )
                        source.save(update_fields=["options"])
                        count += 1
        except CredentialError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Encrypted the secrets of {count} sources anew.")
