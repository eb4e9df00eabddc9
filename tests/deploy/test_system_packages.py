"""deploy/system_packages.sh: says what is missing where it can't install it."""

import shutil
import subprocess

import pytest

from tests.conftest import ROOT

SCRIPT = ROOT / "deploy" / "system_packages.sh"


@pytest.fixture
def bare(tmp_path):
    """A PATH without apt and without any of what the tests need."""
    for tool in ("id", "ls", "mktemp", "rm"):
        (tmp_path / tool).symlink_to(shutil.which(tool))
    return str(tmp_path)


def test_it_says_what_is_missing_and_goes_on(bare):
    done = subprocess.run(
        ["/bin/sh", SCRIPT],
        env={"PATH": bare},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "apt-get install chromium" in done.stderr
    assert "apt-get install redis-server" in done.stderr
    assert "skipped" in done.stderr


def test_it_is_silent_where_nothing_is_missing(tmp_path, bare):
    for program in ("chromium", "initdb", "redis-server", "dovecot"):
        (tmp_path / program).symlink_to("/bin/true")
    done = subprocess.run(
        ["/bin/sh", SCRIPT],
        env={"PATH": bare},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
