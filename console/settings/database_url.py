"""ATTEST_DATABASE_URL to Django's DATABASES."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from console.settings.environment import SettingError

ACCEPTED = "sqlite:///path or postgres://user:password@host:port/name"

#: WAL lets readers go on while a sync writes; `synchronous=NORMAL` is durable enough
#: in WAL mode: a power cut may lose the last commits, never the file.
SQLITE_PRAGMAS = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON;"
)
BUSY_TIMEOUT_S = 20

#: What may stand behind the `?` of a PostgreSQL URL; libpq's documentation has them.
POSTGRES_OPTIONS = (
    *("sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl"),
    *("target_session_attrs", "connect_timeout", "application_name"),
)
#: A host that says nothing is told soon; a connection whose other end is gone too.
POSTGRES_DEFAULTS = {
    "connect_timeout": "10",
    "application_name": "attest",
    "keepalives_idle": "30",
    "keepalives_interval": "10",
    "keepalives_count": "3",
}


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
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path[1:]),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": parts.hostname,
            "PORT": str(port or ""),
            "CONN_HEALTH_CHECKS": True,
            "OPTIONS": POSTGRES_DEFAULTS | _options(parts),
        }
    raise SettingError(
        f"ATTEST_DATABASE_URL names no database that is known; accepted: {ACCEPTED}."
    )


def _options(parts: SplitResult) -> dict[str, str]:
    found = dict(parse_qsl(parts.query, keep_blank_values=True))
    if parts.fragment or not found.keys() <= set(POSTGRES_OPTIONS):
        # An option's name isn't told: it may be the end of a password.
        raise SettingError(
            "ATTEST_DATABASE_URL has an option that isn't known; accepted: "
            f"{', '.join(POSTGRES_OPTIONS)}. A `?` or `#` in a password is written "
            "%3F or %23."
        )
    return found


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
