"""A real PostgreSQL server of our own, on a free loopback port."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import subprocess
from pathlib import Path

from deploy.services.children import Child, ending_with_us, own_folder
from deploy.weaviate.ports import free_ports

USER = "attest"
#: So that a test can see it stay out of logs.
PASSWORD = "wood-anemone"  # noqa: S105
ACCOUNT = "postgres"
_INSTALLED = Path("/usr/lib/postgresql")
#: Its data needn't outlive the machine, so it doesn't wait for the disk.
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "shared_buffers": "32MB",
    "max_connections": "60",
    "log_min_messages": "fatal",
    "log_min_error_statement": "panic",
}
#: Sorted as people do, as on most servers, where SQLite and Python sort by code point.
_LIKE_PEOPLE = ("--locale-provider=icu", "--icu-locale=en-US")


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, None where it isn't installed."""
    versions = [path for path in _INSTALLED.glob("*/bin") if (path / "initdb").exists()]
    if versions:
        return max(versions, key=lambda path: float(path.parent.name))
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


class PostgresServer:
    """Starts, stops and restarts one server; its data and port stay the same."""

    def __init__(self) -> None:
        """Make the data folder; nothing is started."""
        found = programs()
        if found is None:
            raise RuntimeError(
                "PostgreSQL is not installed: apt-get install postgresql"
            )
        self._programs = found
        self._account = ACCOUNT if os.geteuid() == 0 else None
        self._child = Child("PostgreSQL", own_folder("postgresql"))
        self.port = 0
        self._make_data()

    @property
    def pid(self) -> int | None:
        """Return its process's id, None while it doesn't run."""
        return self._child.pid

    def url(self, database: str = "postgres") -> str:
        """Return the address of a database, as ATTEST_DATABASE_URL takes it."""
        return f"postgres://{USER}:{PASSWORD}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start and wait until it takes connections. Call it in the main thread."""
        self.port = self.port or free_ports(1)[0]
        options = [f"--{name}={value}" for name, value in _SETTINGS.items()]
        command: list[str | Path] = [
            self._programs / "postgres",
            *("-D", self._data, "-p", str(self.port)),
            *options,
        ]
        # SIGQUIT: at once, with all the processes that serve connections.
        self._child.launch(ending_with_us(command, ended_by="QUIT", user=self._account))
        self._child.wait_until(self._is_ready)

    def create(self, database: str) -> str:
        """Make a database, as docs/operations.md says to, and return its address."""
        self._run(
            "createdb",
            *("-h", "127.0.0.1", "-p", str(self.port), "-U", USER),
            *("-T", "template0", "-E", "UTF8", database),
            PGPASSWORD=PASSWORD,
        )
        return self.url(database)

    def stop(self) -> None:
        """Close every connection and end; the data stays."""
        self._child.signal(signal.SIGINT)

    def remove(self) -> None:
        """End at once and forget the data."""
        self._child.signal(signal.SIGQUIT)
        shutil.rmtree(self._child.folder, ignore_errors=True)

    @property
    def _data(self) -> Path:
        return self._child.folder / "data"

    def _make_data(self) -> None:
        folder = self._child.folder
        password = folder / "password"
        password.write_text(PASSWORD)
        if self._account:
            owner = pwd.getpwnam(self._account)
            for path in (folder, password):
                os.chown(path, owner.pw_uid, owner.pw_gid)
        self._run(
            "initdb",
            *("-D", self._data, "-U", USER, "--no-sync"),
            *("-E", "UTF8", "--locale=C.UTF-8", *_LIKE_PEOPLE),
            *("-A", "scram-sha-256", "--pwfile", password),
        )

    def _run(self, program: str, *arguments: str | Path, **environment: str) -> None:
        command = [self._programs / program, *arguments]
        done = subprocess.run(  # noqa: S603
            ending_with_us(command, user=self._account),
            cwd=self._child.folder,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"{program} failed: {done.stderr[-2000:]}")

    def _is_ready(self) -> bool:
        try:
            self._run("pg_isready", "-h", "127.0.0.1", "-p", str(self.port), "-t", "1")
        except RuntimeError:
            return False
        return True
