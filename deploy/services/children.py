"""Processes that end with whoever started them, whichever way that one ends."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

START_S = 60.0
STOP_S = 20.0


def ending_with_us(
    command: Sequence[str | Path], *, ended_by: str = "KILL", user: str | None = None
) -> list[str]:
    """Return the command so that the kernel ends it when the thread that starts it ends.

    A test run that is killed then leaves nothing behind. `user` is one to become, as
    root alone can. Where there's no setpriv (Linux has it), the command is as it was.
    """
    plain = [str(part) for part in command]
    if shutil.which("setpriv") is None:
        return plain
    become = [f"--reuid={user}", f"--regid={user}", "--init-groups"] if user else []
    return ["setpriv", *become, "--pdeathsig", ended_by, "--", *plain]


class Child:
    """One server: a process, its folder and its log."""

    def __init__(self, name: str, folder: Path) -> None:
        """Start nothing yet."""
        self.name, self.folder = name, folder
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """Return its process's id, None while it doesn't run."""
        return self.process.pid if self.process else None

    @property
    def log(self) -> Path:
        """Return where it writes what it has to say."""
        return self.folder / "log"

    def launch(
        self, command: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> None:
        """Start it in its folder without waiting."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(  # noqa: S603
                command,
                cwd=self.folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def wait_until(self, is_ready: Callable[[], bool]) -> None:
        """Wait until it answers; raise RuntimeError with its last words if it won't."""
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline:
            if self.process is None or self.process.poll() is not None:
                break
            if is_ready():
                return
            time.sleep(0.05)
        self.kill()
        raise RuntimeError(f"{self.name} did not start: {self.last_words()}")

    def last_words(self) -> str:
        """Return the end of its log."""
        return self.log.read_text(errors="replace")[-2000:]

    def signal(self, number: int, within_s: float = STOP_S) -> None:
        """End it by a signal, and by SIGKILL when it takes too long."""
        if self.process is None:
            return
        self.process.send_signal(number)
        try:
            self.process.wait(within_s)
        except subprocess.TimeoutExpired:
            self.kill()
        self.process = None

    def kill(self) -> None:
        """End it as a power cut would."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None


def own_folder(name: str) -> Path:
    """Return a new folder that another user may pass through, for one server's data.

    It's beside the system's other temporary files and named by this process, and those
    of processes that are gone are removed.
    """
    base = Path(tempfile.gettempdir())
    for left in base.glob(f"attest-{name}-*-*"):
        owner = left.name.split("-")[-2]
        if owner.isdecimal() and not Path("/proc", owner).exists():
            shutil.rmtree(left, ignore_errors=True)
    folder = Path(tempfile.mkdtemp(prefix=f"attest-{name}-{os.getpid()}-", dir=base))
    folder.chmod(0o711)
    return folder
