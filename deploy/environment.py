"""Builds Attest's Python environment once for each lock file, and links .venv to it.

Uses the standard library alone, as it runs before anything is installed. The
environment stands outside the checkout, in ATTEST_VENVS (default ~/.cache/attest), so
that several checkouts with the same lock file share it. A file written last marks it
as complete: one that was cut short is built again. Two builds at once wait for each
other.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[1]
LOCK_FILE = CHECKOUT / "requirements" / "dev.txt"
TOOLS_LOCK_FILE = CHECKOUT / "requirements" / "tools.txt"
COMPLETE = ".attest-complete"


def main(arguments: list[str]) -> int:
    """Build what is missing and link it; silent when nothing is.

    With arguments, run uv with them instead.
    """
    folder = Path(os.environ.get("ATTEST_VENVS") or Path.home() / ".cache" / "attest")
    folder = folder.expanduser().resolve()
    folder.mkdir(parents=True, exist_ok=True)
    tools = folder / f"tools-{key_of(TOOLS_LOCK_FILE)}"
    if arguments:
        run(uv_in(tools), *arguments)
        return 0
    environment = folder / f"venv-{key_of(LOCK_FILE)}"
    with alone(folder / "build.lock"):
        if not (environment / COMPLETE).exists():
            say(f"Building the environment in {environment} (about 5 GB) …")
            build(environment, LOCK_FILE, tools=tools)
            say("The environment is ready.")
    return link(environment)


def key_of(lock_file: Path) -> str:
    """Return a name for what a lock file means to this Python on this machine."""
    about = (sys.version, sys.platform, platform.machine(), sys.base_prefix)
    text = "\n".join((lock_file.read_text(encoding="utf-8"), *about))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold an exclusive lock on a file; the system lets go of a killed process's."""
    with path.open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def build(environment: Path, lock_file: Path, *, tools: Path) -> None:
    """Make the environment anew: by uv, or by pip where uv can't."""
    make_empty(environment)
    if not install_with_uv(environment, lock_file, tools=tools):
        say("uv could not install the packages; pip tries, which takes longer …")
        make_empty(environment)
        pip_install(environment, lock_file)
    run(environment / "bin" / "python", "-c", "import django, lancedb, torch")
    (environment / COMPLETE).touch()


def make_empty(environment: Path) -> None:
    """Put an environment with nothing but pip in place of whatever is there."""
    shutil.rmtree(environment, ignore_errors=True)
    run(sys.executable, "-m", "venv", environment)


def install_with_uv(environment: Path, lock_file: Path, *, tools: Path) -> bool:
    """Return whether uv, itself installed with checked hashes, did it."""
    try:
        run(
            uv_in(tools),
            "pip",
            "sync",
            "-q",
            "--require-hashes",
            "--python",
            environment / "bin" / "python",
            lock_file,
        )
    except (subprocess.CalledProcessError, OSError) as error:
        say(str(error))
        return False
    return True


def uv_in(tools: Path) -> Path:
    """Return the path of uv, installed by pip with checked hashes if it's not there."""
    if not (tools / COMPLETE).exists():
        make_empty(tools)
        pip_install(tools, TOOLS_LOCK_FILE)
        (tools / COMPLETE).touch()
    return tools / "bin" / "uv"


def pip_install(environment: Path, lock_file: Path) -> None:
    """Install a lock file by pip."""
    options = ("-q", "--no-input", "--disable-pip-version-check", "--require-hashes")
    python = environment / "bin" / "python"
    run(python, "-m", "pip", "install", *options, "-r", lock_file)


def link(environment: Path) -> int:
    """Point .venv of the checkout at the environment."""
    name = CHECKOUT / ".venv"
    if name.exists() and not name.is_symlink():
        say(".venv is a folder that `make setup` did not make: move it away first.")
        return 1
    if name.is_symlink() and name.resolve() == environment:
        return 0
    own = CHECKOUT / f".venv.{os.getpid()}"
    own.symlink_to(environment, target_is_directory=True)
    own.replace(name)
    return 0


def run(*command: str | Path) -> None:
    """Run a command; raises CalledProcessError when it fails."""
    # A caller's own Python settings must not leak into the environment.
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name not in {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}
    }
    subprocess.run([str(word) for word in command], check=True, env=inherited)  # noqa: S603


def say(text: str) -> None:
    """Tell whoever ran `make`."""
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except subprocess.CalledProcessError as failure:
        say(f"The environment could not be built. {failure}")
        sys.exit(1)
