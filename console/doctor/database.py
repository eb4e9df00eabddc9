"""The database: whether it opens, and what of a PostgreSQL won't do."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings
from django.db import DatabaseError, connection

from console.database_trouble import mend_of, told
from console.doctor.findings import Finding, fail, ok, warn
from console.preparation import prepare_home

#: Connections that a server and a few workers may need beside what is in use.
FEW_CONNECTIONS = 10


def database() -> Iterator[Finding]:
    """Open the database and bring its tables up to date."""
    try:
        prepare_home(settings.ATTEST_HOME)
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        if connection.vendor == "postgresql":
            yield from _postgresql()
            return
    except DatabaseError as error:
        yield fail(
            "database",
            f"{connection.vendor} can't be used: {told(error)}",
            mend_of(error)
            or "Check ATTEST_DATABASE_URL, and that this user may write to ATTEST_HOME.",
        )
    else:
        yield ok("database", f"{connection.vendor}, tables up to date")


def _postgresql() -> Iterator[Finding]:
    """Say which PostgreSQL it is, and what of it won't do."""
    version = _shown("server_version")
    encoding = _shown("server_encoding")
    if encoding != "UTF8":
        yield fail(
            "database",
            f"PostgreSQL {version} keeps this database as {encoding}: texts in other "
            "scripts can't be stored.",
            "Make it anew as docs/operations.md says (encoding UTF8).",
        )
        return
    yield ok("database", f"PostgreSQL {version}, tables up to date")
    most, used = int(_shown("max_connections")), _connections()
    if most - used < FEW_CONNECTIONS:
        yield warn(
            "database",
            f"{used} of PostgreSQL's {most} connections are in use.",
            "Raise max_connections of PostgreSQL, or run fewer workers.",
        )


def _shown(setting: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting(%s)", [setting])
        return str(cursor.fetchone()[0])


def _connections() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE backend_type = %s",
            ["client backend"],
        )
        return int(cursor.fetchone()[0])
