"""One at a time, across every process and machine of an installation.

SQLite needs none of it: there a transaction that writes waits for the one before, and
a file in ATTEST_HOME keeps commands apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


@contextmanager
def one_at_a_time(what: str) -> Iterator[None]:
    """Run a block while no other process runs one of this name.

    The lock belongs to the connection: it goes with a process that's killed.
    """
    if connection.vendor != "postgresql":
        yield
        return
    _call("SELECT pg_advisory_lock(hashtextextended(%s, 0))", what)
    try:
        yield
    finally:
        _call("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", what)


def wait_for_my_turn(what: str) -> None:
    """Wait, inside a transaction, until none of this name is under way elsewhere."""
    if connection.vendor == "postgresql":
        _call("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", what)


def _call(statement: str, what: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement, [f"attest {what}"])
