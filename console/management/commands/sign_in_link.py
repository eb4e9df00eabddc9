"""`./manage.py sign_in_link`: a link that signs an administrator in once."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from console.accounts import NoSuchAccount, administrator, make_link
from console.management.showing import printable


class Command(BaseCommand):
    """Print the link; the first administrator is created when there's none."""

    help = "Print a link that signs an administrator in once, within 30 minutes."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the address and, for another port, the origin."""
        parser.add_argument(
            "email",
            nargs="?",
            default="",
            help="the administrator's address; left out, the first administrator",
        )
        parser.add_argument(
            "--base-url",
            default="",
            help="where the pages are served, if not at ATTEST_BASE_URL",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print the link alone, so that a script can use it."""
        try:
            account = administrator(options["email"])
        except NoSuchAccount as error:
            raise CommandError(printable(str(error))) from error
        path = reverse("sign-in-link", args=[make_link(account)])
        origin = options["base_url"] or settings.ATTEST_BASE_URL
        self.stdout.write(origin.rstrip("/") + path)
