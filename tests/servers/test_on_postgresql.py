"""The tests that the database matters to, once more on PostgreSQL.

Each group is a run of pytest of its own, with ATTEST_TEST_DATABASE_URL. The server sorts
as people do, by ICU, where SQLite and Python go by code points.
"""

import os
import subprocess
import sys

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.integration

GROUPS = {
    "syncing": [
        *sorted(
            str(path.relative_to(ROOT))
            for path in (ROOT / "tests" / "connectors").glob("test_*.py")
            # They start processes that sync into SQLite; test_workers.py kills others.
            if path.name != "test_syncing_kills.py"
        ),
    ],
    "asking": ["tests/bots"],
    "console": [
        *("tests/console/test_admin.py", "tests/console/test_admin_sources.py"),
        *("tests/console/test_sign_in.py", "tests/console/test_removal.py"),
        *("tests/console/test_source_commands.py", "tests/console/test_doctor.py"),
        "tests/console/test_calibrate.py",
    ],
}
#: What takes long says nothing new there.
LEFT_OUT = "thousand"
MARKS = "not long and not live and not model and not sqlite"


@pytest.mark.parametrize("group", GROUPS)
def test_it_works_on_postgresql_too(group, postgresql, tmp_path):
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("ATTEST_", "PYTEST_"))
    }
    arguments = ["-q", "--no-header", f"--basetemp={tmp_path / 'inner'}"]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", *arguments),
            *("-m", MARKS, "-k", f"not {LEFT_OUT}", *GROUPS[group]),
        ],
        cwd=ROOT,
        env={**kept, "ATTEST_TEST_DATABASE_URL": postgresql.url()},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    assert " passed" in done.stdout


def test_the_groups_name_tests_that_exist():
    missing = [
        path
        for paths in GROUPS.values()
        for path in paths
        if not (ROOT / path).exists()
    ]
    assert missing == []
