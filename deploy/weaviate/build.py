"""Builds the Weaviate server that the tests start, once for each version.

The binary stands outside the checkout, beside the environments (ATTEST_VENVS, default
~/.cache/attest). Needs Go 1.25 or newer and a proxy of Go modules; where either is
missing, it says so and the tests of the store skip. Standard library alone.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

MODULE = Path(__file__).resolve().parent
PACKAGE = "github.com/weaviate/weaviate/cmd/weaviate-server"
BINARY = "weaviate-server"


def binary() -> Path:
    """Return where the built server is, or will be."""
    versions = (MODULE / "go.mod").read_bytes() + (MODULE / "go.sum").read_bytes()
    key = hashlib.sha256(versions).hexdigest()[:16]
    folder = Path(os.environ.get("ATTEST_VENVS") or Path.home() / ".cache" / "attest")
    return folder.expanduser().resolve() / f"weaviate-{key}" / BINARY


def main() -> int:
    """Build what is missing; silent when nothing is. A failure isn't the tests' own."""
    wanted = binary()
    if wanted.exists():
        return 0
    if shutil.which("go") is None:
        say("Go is not installed, so the tests of the Weaviate store will be skipped.")
        return 0
    wanted.parent.mkdir(parents=True, exist_ok=True)
    with (wanted.parent / "build.lock").open("w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not wanted.exists():
            say("Building the Weaviate server for the tests (about 4 minutes, once) …")
            build(wanted)
    return 0


def build(wanted: Path) -> None:
    """Build into a folder of its own first, so that a cut build leaves no half file."""
    own = wanted.parent / f"building-{os.getpid()}"
    try:
        subprocess.run(  # noqa: S603
            ["go", "install", PACKAGE],  # noqa: S607
            cwd=MODULE,
            env={**os.environ, "GOBIN": str(own)},
            check=True,
        )
        (own / BINARY).replace(wanted)
    except (subprocess.CalledProcessError, OSError) as error:
        say(f"It could not be built, so the tests of it will be skipped. {error}")
    finally:
        shutil.rmtree(own, ignore_errors=True)


def say(text: str) -> None:
    """Tell whoever ran `make`."""
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
