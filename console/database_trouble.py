"""What to do about a database that fails, by what it says."""

from __future__ import annotations

_ROOM = "Make room on the disk of ATTEST_HOME and try again; nothing is lost."
_RESTORE = (
    "The database file is damaged: stop every process of Attest and put back a backup "
    "(docs/operations.md); ./manage.py verify --mend then brings the index in line."
)
_RIGHTS = "Give this user the right to write to ATTEST_HOME."

#: SQLite's words for it, and the mend.
_MENDS = (
    ("disk is full", _ROOM),
    ("disk i/o error", f"{_ROOM} If there is room, the disk itself may fail."),
    ("malformed", _RESTORE),
    ("not a database", _RESTORE),
    ("readonly", _RIGHTS),
    ("unable to open", _RIGHTS),
    ("locked", "Another process writes to the database: try again in a minute."),
)


def mend_of(error: Exception) -> str:
    """Return what to do about a database's error, or "" when that isn't known."""
    told = str(error).lower()
    return next((mend for words, mend in _MENDS if words in told), "")
