"""Makes ATTEST_HOME ready before a command runs: folders, and tables up to date."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import django
from django.conf import settings

#: Commands that must see the database as it is, or don't read it; `doctor` prepares it
#: itself, to tell what fails.
UNPREPARED = frozenset(
    {"help", "version", "check", "makemigrations", "migrate", "showmigrations"}
    | {"sqlmigrate", "squashmigrations", "optimizemigration", "test", "testserver"}
    | {
        "doctor",
        "collectstatic",
        "findstatic",
        "makemessages",
        "compilemessages",
        "diffsettings",
    }
)


def prepare_for(arguments: Sequence[str]) -> None:
    """Prepare the home for a command line, if its command needs it.

    Raises ImproperlyConfigured for a setting that can't be.
    """
    # Access parses every setting, so a wrong one is told before anything is done.
    settings.INSTALLED_APPS  # noqa: B018
    command = next((word for word in arguments if not word.startswith("-")), "help")
    wants_help = {"--help", "-h", "--version"} & set(arguments)
    if command in UNPREPARED or wants_help:
        return
    django.setup()
    prepare_home(settings.ATTEST_HOME)


def prepare_home(home: Path) -> None:
    """Create what is missing and apply the migrations that are not applied.

    Safe when several commands start at once, on several machines too: one of them
    migrates, the others wait.
    """
    if not _pending():
        return
    from django.core.management import call_command

    from console.database_locks import one_at_a_time

    with _alone(home / "migrate.lock"), one_at_a_time("migrations"):
        if _pending():
            call_command("migrate", verbosity=0, interactive=False)


def _pending() -> bool:
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file; the system lets go of a killed process's."""
    with path.open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
