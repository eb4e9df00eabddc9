"""A real Redis server of our own, on a free loopback port."""

from __future__ import annotations

import shutil
import signal
import socket

from deploy.services.children import Child, ending_with_us, own_folder
from deploy.weaviate.ports import free_ports

PROGRAM = "redis-server"
#: So that a test can see it stay out of logs.
PASSWORD = "wood-sorrel"  # noqa: S105


class RedisServer:
    """Starts, stops and restarts one server, which keeps nothing; its port stays."""

    def __init__(self) -> None:
        """Start nothing yet."""
        if shutil.which(PROGRAM) is None:
            raise RuntimeError("Redis is not installed: apt-get install redis-server")
        self._child = Child("Redis", own_folder("redis"))
        self.port = free_ports(1)[0]

    @property
    def pid(self) -> int | None:
        """Return its process's id, None while it doesn't run."""
        return self._child.pid

    def url(self, database: int = 0) -> str:
        """Return its address, as ATTEST_REDIS_URL takes it."""
        return f"redis://:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start and wait until it answers. Call it in the main thread."""
        options = {
            "port": str(self.port),
            "bind": "127.0.0.1",
            "dir": str(self._child.folder),
            "save": "",
            "appendonly": "no",
            "requirepass": PASSWORD,
        }
        command = [PROGRAM]
        for name, value in options.items():
            command += [f"--{name}", value]
        self._child.launch(ending_with_us(command, ended_by="KILL"))
        self._child.wait_until(self._is_ready)

    def stop(self) -> None:
        """End it; what it held is gone."""
        self._child.signal(signal.SIGTERM)

    def remove(self) -> None:
        """End it and forget its folder."""
        self._child.kill()
        shutil.rmtree(self._child.folder, ignore_errors=True)

    def _is_ready(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as there:
                there.sendall(f"AUTH {PASSWORD}\r\nPING\r\n".encode())
                return there.recv(64).startswith(b"+OK")
        except OSError:
            return False
