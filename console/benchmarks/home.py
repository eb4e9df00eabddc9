"""A clean home for a benchmark, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings


def run_in_clean_home(arguments: Sequence[str], *, empty_cache: bool) -> int:
    """Run `manage.py` with these arguments in a new home, and remove that afterwards.

    The installation's own database and store are never touched. `empty_cache`: no
    vector is known before; else the installation's cache is used. Returns its status.
    """
    with tempfile.TemporaryDirectory(prefix="bench-", dir=settings.ATTEST_HOME) as home:
        cache = Path(home) / "cache" if empty_cache else settings.ATTEST_CACHE
        environment = os.environ | {
            "ATTEST_HOME": home,
            "ATTEST_CACHE": str(cache),
            # Empty counts as unset: SQLite and the embedded store in the home.
            "ATTEST_DATABASE_URL": "",
            "ATTEST_DATABASE_URL_FILE": "",
            "ATTEST_WEAVIATE_URL": "",
        }
        manage = settings.BASE_DIR / "manage.py"
        command = [sys.executable, str(manage), *arguments]
        return subprocess.run(command, env=environment, check=False).returncode  # noqa: S603
