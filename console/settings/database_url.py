"""ATTEST_DATABASE_URL to Django's DATABASES."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from console.settings.environment import SettingError

ACCEPTED = "sqlite:///path or postgres://user:password@host:port/name"

#: WAL lets readers go on while a sync writes; `synchronous=NORMAL` is durable enough
#: in WAL mode: a power cut may lose the last commits, never the file.
SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;"
)
BUSY_TIMEOUT_S = 20


def database(url: str, *, home: Path) -> dict[str, Any]:
    """Return the database's settings; "" means SQLite under `home`."""
    if not url:
        return sqlite(home / "attest.sqlite3")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise SettingError(
            f"ATTEST_DATABASE_URL is no URL; accepted: {ACCEPTED}."
        ) from error
    if parts.scheme == "sqlite" and not parts.netloc and len(parts.path) > 1:
        return sqlite(home / unquote(parts.path[1:]))
    if parts.scheme in {"postgres", "postgresql"} and parts.hostname and parts.path[1:]:
        if find_spec("psycopg") is None:
            raise SettingError(
                "ATTEST_DATABASE_URL names PostgreSQL, but its driver is not "
                "installed: install the package psycopg into Attest's environment."
            )
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path[1:]),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": parts.hostname,
            "PORT": str(port or ""),
            "CONN_HEALTH_CHECKS": True,
        }
    raise SettingError(
        f"ATTEST_DATABASE_URL names no database that is known; accepted: {ACCEPTED}."
    )


def sqlite(path: Path) -> dict[str, Any]:
    """Return the settings of one SQLite file that several processes may use.

    IMMEDIATE takes the write lock when a transaction starts: one that reads first and
    writes later would otherwise fail at once, whatever the timeout, when another
    process wrote in between.
    """
    return {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(path),
        "OPTIONS": {
            "timeout": BUSY_TIMEOUT_S,
            "transaction_mode": "IMMEDIATE",
            "init_command": SQLITE_PRAGMAS,
        },
    }
