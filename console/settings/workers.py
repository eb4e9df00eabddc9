"""Redis, Celery and beat: how syncs run in production."""

from __future__ import annotations

import ssl
from typing import Any
from urllib.parse import urlsplit

from console.settings.environment import SettingError, env_secret

#: How often beat has somebody look for due runs, and how long a task that nobody took
#: stays of use. The second also bridges clocks that differ a little.
LOOK_EVERY_S = 15.0
TASK_EXPIRES_S = 120


def redis_url(url: str) -> str:
    """Return the URL as it stands, "" where there's none.

    Raises SettingError for anything else than redis:// or rediss://, host and a
    database's number; the value isn't repeated, as it holds a password.
    """
    if not url:
        return ""
    accepted = "redis://:password@host:port/0, or rediss:// over TLS"
    try:
        parts = urlsplit(url)
        plain = parts.port is None or parts.port > 0
    except ValueError:
        plain = False
    if (
        not plain
        or parts.scheme not in {"redis", "rediss"}
        or not parts.hostname
        or not (parts.path in {"", "/"} or parts.path[1:].isdecimal())
        or parts.query
        or parts.fragment
    ):
        raise SettingError(f"ATTEST_REDIS_URL is no such URL; accepted: {accepted}.")
    return url


#: "": syncs run in `serve`, in process. Set: by workers that beat sends tasks.
ATTEST_REDIS_URL = redis_url(env_secret("ATTEST_REDIS_URL"))

CELERY_BROKER_URL = ATTEST_REDIS_URL
CELERY_BROKER_USE_SSL: Any = (
    {"ssl_cert_reqs": ssl.CERT_REQUIRED}
    if ATTEST_REDIS_URL.startswith("rediss:")
    else None
)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
#: For ever: Redis comes back some day.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # A task whose worker is dead is given to another one after that. Longer than a
    # lease: given away earlier, it would find the lease still held. A run that takes
    # longer loses nothing: the second worker finds it at work and drops the task.
    "visibility_timeout": 600,
    "socket_connect_timeout": 5,
    "socket_keepalive": True,
    "health_check_interval": 25,
    "retry_on_timeout": True,
}
#: A page that sends a task waits a few seconds for Redis at most.
CELERY_TASK_PUBLISH_RETRY_POLICY = {
    "max_retries": 2,
    "interval_start": 0.1,
    "interval_step": 0.3,
    "interval_max": 0.5,
}

CELERY_TASK_SERIALIZER = "json"
CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "UTC"
CELERY_IMPORTS = ("connectors.tasks",)
CELERY_TASK_DEFAULT_QUEUE = "syncs"
CELERY_TASK_IGNORE_RESULT = True
CELERY_RESULT_BACKEND = None
CELERY_RESULT_EXPIRES = None
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
# No time limit: a first sync may take hours, and the lease tells who is alive.
CELERY_TASK_TIME_LIMIT = None
CELERY_TASK_SOFT_TIME_LIMIT = None

CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Threads share one copy of the models, and neither they nor LanceDB survive a fork.
CELERY_WORKER_POOL = "threads"
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_REDIRECT_STDOUTS = False
#: A run goes on while Redis is away: it needs it no more.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
#: Whoever reaches Redis could stop workers by it.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False

CELERY_BEAT_SCHEDULER = "console.beat:WatchedScheduler"
CELERY_BEAT_MAX_LOOP_INTERVAL = 5
CELERY_BEAT_SCHEDULE = {
    "look for due syncs": {
        "task": "connectors.tasks.send_due",
        "schedule": LOOK_EVERY_S,
        "enabled": True,
        "options": {"expire_seconds": TASK_EXPIRES_S},
    }
}
