"""Web pages and due syncs in one process, for `serve` and `demo`."""

from __future__ import annotations

import errno
import signal
import socket
import threading
import warnings
from collections.abc import Callable

import structlog
import uvicorn
from django.db import close_old_connections

log = structlog.get_logger(__name__)

#: How long a request or a sync's batch may go on after the signal to stop.
GRACE_S = 15
#: How often sources are looked at for a due sync.
LOOK_EVERY_S = 15.0


#: Is given a function that tells whether to end early.
Work = Callable[[Callable[[], bool]], object]


class PortTaken(Exception):
    """No port that was asked for is free; the message says which and the mend."""


def listen(host: str, port: int, *, tries: int = 1) -> socket.socket:
    """Return a socket bound to the first free port of `tries`, from `port` on.

    Raises PortTaken when none is free, OSError for an address that isn't ours.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for candidate in range(port, min(port + tries, 65536)):
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, candidate))
        except OSError as error:
            listener.close()
            if error.errno not in {errno.EADDRINUSE, errno.EACCES}:
                raise
        else:
            return listener
    raise PortTaken(
        f"Port {port} on {host} is taken or not allowed: stop what uses it, or choose "
        f"another one, for example --port {port + 1 if port >= 1024 else 8000}."
    )


def origin_of(listener: socket.socket) -> str:
    """Return the http:// origin that a socket is reached by from this machine."""
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host, host)  # noqa: S104
    return (
        f"http://{f'[{shown}]' if ':' in shown and '[' not in shown else shown}:{port}"
    )


class Repeating(threading.Thread):
    """Calls a function again and again until it's stopped; an error is logged."""

    def __init__(self, name: str, work: Work, every_s: float) -> None:
        """Prepare the thread; `start` runs it."""
        super().__init__(name=name, daemon=True)
        self._work, self._every_s = work, every_s
        self._stopping = threading.Event()

    def run(self) -> None:
        """Call the function, wait, and again."""
        while not self._stopping.is_set():
            close_old_connections()
            try:
                self._work(self._stopping.is_set)
            except Exception:
                log.exception("A background task failed.", task=self.name)
            finally:
                close_old_connections()
            self._stopping.wait(self._every_s)

    def stop(self, timeout_s: float) -> bool:
        """Ask it to end; return whether it did within the time."""
        self._stopping.set()
        self.join(timeout_s)
        return not self.is_alive()


class AnnouncedServer(uvicorn.Server):
    """A server that says once when it answers."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        """Keep what is called once requests are answered."""
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then announce it."""
        await super().startup(sockets=sockets)
        if self.started:
            self._ready()


def serve(
    listener: socket.socket,
    *,
    ready: Callable[[], None],
    background: tuple[Repeating, ...] = (),
) -> bool:
    """Serve until SIGINT or SIGTERM; return whether all ended within the grace time."""
    # Whitenoise hands over plain iterators: a static file is read whole, which is what
    # the warning is about.
    warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume sync")
    config = uvicorn.Config(
        "console.asgi:application",
        log_config=None,
        # Paths would be logged, and a sign-in link's path holds its token.
        access_log=False,
        lifespan="off",
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=GRACE_S,
    )
    # uvicorn raises the signal once more when it has stopped; it has done its work.
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda _number, _frame: None)
    for thread in background:
        thread.start()
    AnnouncedServer(config, ready).run(sockets=[listener])
    ended = [thread.stop(GRACE_S) for thread in background]
    return all(ended)
