"""Python, packages, settings, disk: what must be right before anything is read."""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from django.conf import settings
from django.core import checks

from console.doctor.findings import Finding, fail, ok, warn

FIRST_PYTHON = (3, 11)
#: Below the first an index can't be folded; below the second a big sync may fill it.
LEAST_FREE_BYTES = 500_000_000
GOOD_FREE_BYTES = 3_000_000_000
_PIN = re.compile(r"^([A-Za-z0-9][A-Za-z0-9._-]*)==([^\s;\\]+)", re.MULTILINE)


def python() -> Iterator[Finding]:
    """Check the interpreter's version."""
    found = ".".join(map(str, sys.version_info[:3]))
    if sys.version_info[:2] < FIRST_PYTHON:
        yield fail("python", f"This is Python {found}.", "Use Python 3.11: make setup")
    else:
        yield ok("python", found)


def packages() -> Iterator[Finding]:
    """Compare what is installed with requirements/base.txt."""
    lock_file = settings.BASE_DIR / "requirements" / "base.txt"
    pins = dict(_PIN.findall(lock_file.read_text(encoding="utf-8")))
    missing, other = [], []
    for name, wanted in pins.items():
        try:
            if version(name) != wanted:
                other.append(name)
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        yield fail("packages", f"Not installed: {', '.join(missing)}.", "make setup")
    elif other:
        yield warn("packages", f"Not as locked: {', '.join(other)}.", "make setup")
    else:
        yield ok("packages", f"{len(pins)} installed as locked")


def configuration() -> Iterator[Finding]:
    """Run the system checks: each message of theirs is a finding."""
    messages = checks.run_checks()
    for message in messages:
        worst = fail if message.level >= checks.ERROR else warn
        yield worst("settings", f"{message.msg} ({message.id})", message.hint or "")
    if not messages:
        yield ok("settings", "they fit together")


def home() -> Iterator[Finding]:
    """Check that the home can be written to and has room."""
    folder: Path = settings.ATTEST_HOME
    if not os.access(folder, os.R_OK | os.W_OK | os.X_OK):
        yield fail(
            "home", f"{folder} can't be written to.", "Give this user the folder."
        )
        return
    free = shutil.disk_usage(folder).free
    told = f"{folder}, {free / 1e9:.1f} GB free"
    if free < LEAST_FREE_BYTES:
        yield fail("home", told, "Make room: syncs will fail.")
    elif free < GOOD_FREE_BYTES:
        yield warn("home", told, "Make room before syncing a large source.")
    else:
        yield ok("home", told)
