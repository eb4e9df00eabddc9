"""What to do about a database that fails, by what it says."""

from __future__ import annotations

import re

_ROOM = "Make room on the disk of ATTEST_HOME and try again; nothing is lost."
_RESTORE = (
    "The database file is damaged: stop every process of Attest and put back a backup "
    "(docs/operations.md); ./manage.py verify --mend then brings the index in line."
)
_RIGHTS = "Give this user the right to write to ATTEST_HOME."

_AWAY = (
    "Start PostgreSQL, or correct host and port in ATTEST_DATABASE_URL. What was done "
    "is kept."
)
_SIGN_IN = "Correct user and password in ATTEST_DATABASE_URL."
_TLS = "Set sslmode, and sslrootcert, behind a ? in ATTEST_DATABASE_URL."
_POSTGRES_ROOM = "Make room on the disk of PostgreSQL and try again; nothing is lost."

#: The database's words for it (patterns), and the mend: PostgreSQL's, then SQLite's.
_MENDS = (
    ("password authentication failed|no password supplied", _SIGN_IN),
    ('role ".*" does not exist', _SIGN_IN),
    (
        'database ".*" does not exist',
        "Make the database as docs/operations.md says, or correct its name in "
        "ATTEST_DATABASE_URL.",
    ),
    ("no pg_hba.conf entry", f"Let this machine in, in pg_hba.conf there. {_TLS}"),
    ("certificate|does not support ssl", _TLS),
    (
        "permission denied for",
        "Make the user of ATTEST_DATABASE_URL the database's owner: ALTER DATABASE "
        "name OWNER TO user.",
    ),
    (
        "too many clients|connection slots",
        "Raise max_connections of PostgreSQL, or run fewer workers.",
    ),
    (
        "read-only transaction",
        "This PostgreSQL is a replica: name the primary one in ATTEST_DATABASE_URL.",
    ),
    ("could not extend file|no space left", _POSTGRES_ROOM),
    ("connection refused|timeout expired|connection timeout|no route to host", _AWAY),
    ("resolve host|translate host name", _AWAY),
    ("starting up|shutting down|server closed the connection", _AWAY),
    ("terminating connection|connection is (closed|lost)", _AWAY),
    ("disk is full", _ROOM),
    ("disk i/o error", f"{_ROOM} If there is room, the disk itself may fail."),
    ("malformed|not a database", _RESTORE),
    ("readonly|unable to open", _RIGHTS),
    ("locked", "Another process writes to the database: try again in a minute."),
)


def mend_of(error: Exception) -> str:
    """Return what to do about a database's error, or "" when that isn't known."""
    words = told(error).lower()
    return next((mend for pattern, mend in _MENDS if re.search(pattern, words)), "")


def told(error: Exception) -> str:
    """Return an error on one line; PostgreSQL's client says more on others."""
    return " ".join(str(error).split()) or type(error).__name__
