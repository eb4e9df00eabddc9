"""Who is alive among workers and beat, as they say themselves, in Redis."""

from __future__ import annotations

import json
import os
import socket
import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import redis
import structlog
from django.conf import settings

log = structlog.get_logger(__name__)

BEAT_EVERY_S = 10.0
#: After that a process that said nothing isn't counted any more.
FORGOTTEN_AFTER_S = 45
_PREFIX = "attest:alive:"
_TIMEOUT_S = 3.0


@dataclass(frozen=True, slots=True)
class Alive:
    """A process that said lately that it's alive. `slots`: runs that it does at once."""

    role: str
    host: str
    pid: int
    since: str
    slots: int = 0


def connect() -> redis.Redis:
    """Return a connection to Redis that never waits long. Nothing is asked yet."""
    return redis.Redis.from_url(
        settings.ATTEST_REDIS_URL,
        socket_timeout=_TIMEOUT_S,
        socket_connect_timeout=_TIMEOUT_S,
        decode_responses=True,
    )


class Heartbeat:
    """One process's word that it's alive; Redis forgets it when it isn't repeated."""

    def __init__(self, role: str, *, slots: int = 0) -> None:
        """Write nothing yet."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        self._alive = Alive(role, socket.gethostname(), os.getpid(), now, slots)
        self._key = f"{_PREFIX}{role}:{self._alive.host}:{self._alive.pid}"
        self._redis = connect()
        self._said_at = float("-inf")

    def beat(self) -> None:
        """Say it; that Redis is away is no news to whoever needs it."""
        self._said_at = time.monotonic()
        try:
            told = json.dumps(asdict(self._alive))
            self._redis.set(self._key, told, ex=FORGOTTEN_AFTER_S)
        except redis.RedisError as error:
            log.debug("heartbeat_not_written", reason=type(error).__name__)

    def beat_if_due(self) -> None:
        """Say it once in a while, however often this is called."""
        if time.monotonic() - self._said_at >= BEAT_EVERY_S:
            self.beat()

    def end(self) -> None:
        """Take it back, as this process ends in good order."""
        try:
            self._redis.delete(self._key)
        except redis.RedisError as error:
            log.debug("heartbeat_not_removed", reason=type(error).__name__)
        self._redis.close()


def alive(connection: redis.Redis) -> list[Alive]:
    """Return who is alive, oldest first. Raises redis.RedisError."""
    keys = list(connection.scan_iter(f"{_PREFIX}*", count=1000))
    values: list[Any] = list(connection.mget(keys)) if keys else []
    found = [Alive(**json.loads(value)) for value in values if value]
    return sorted(found, key=lambda item: (item.role, item.since, item.pid))
