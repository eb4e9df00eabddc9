"""Production's syncs: does Redis answer, are workers and beat alive."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.conf import settings

from console.doctor.findings import Finding, fail, ok, warn

_WORKER = "./manage.py worker syncs"
_BEAT = "./manage.py beat"


def workers() -> Iterator[Finding]:
    """Ask Redis, and who told it lately that they're alive."""
    if not settings.ATTEST_REDIS_URL:
        yield ok(
            "workers", "none: `serve` syncs by itself, as ATTEST_REDIS_URL is unset"
        )
        return
    import redis

    from console.heartbeats import alive, connect

    connection = connect()
    try:
        yield from _redis(connection.info())
        found = alive(connection)
    except redis.RedisError as error:
        yield fail("redis", _told(error), _mend(error))
        return
    finally:
        connection.close()
    yield from _alive(
        "workers", [item.host for item in found if item.role == "syncs"], _WORKER
    )
    yield from _alive(
        "beat", [item.host for item in found if item.role == "beat"], _BEAT
    )


def _redis(info: Any) -> Iterator[Finding]:
    policy = info.get("maxmemory_policy", "noeviction")
    told = f"Redis {info.get('redis_version', 'of unknown version')} answers"
    if policy == "noeviction":
        yield ok("redis", told)
        return
    yield warn(
        "redis",
        f"{told}, but it drops keys when its memory is full ({policy}).",
        "Set maxmemory-policy noeviction in Redis: a syncs' task could vanish.",
    )


def _alive(subject: str, hosts: list[str], command: str) -> Iterator[Finding]:
    if not hosts:
        yield fail(
            subject, "None is alive, so nothing is synced.", f"Start one: {command}"
        )
    elif subject == "beat" and len(hosts) > 1:
        yield warn(
            subject,
            f"{len(hosts)} are alive, on {', '.join(hosts)}; one is enough.",
            "Stop the others; they do no harm.",
        )
    else:
        yield ok(subject, f"{len(hosts)} alive, on {', '.join(sorted(set(hosts)))}")


def _told(error: Exception) -> str:
    """Return what Redis said; its messages name the host, never the password."""
    return f"It can't be used: {' '.join(str(error).split()) or type(error).__name__}"


def _mend(error: Exception) -> str:
    words = str(error).lower()
    if "password" in words or "auth" in words:
        return "Correct user and password in ATTEST_REDIS_URL."
    if "ssl" in words or "certificate" in words:
        return "Use redis:// without TLS, rediss:// with it, in ATTEST_REDIS_URL."
    return "Start Redis, or correct host and port in ATTEST_REDIS_URL."
