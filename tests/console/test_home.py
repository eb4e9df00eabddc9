"""console.settings.home: the folder of all state, and its key."""

import stat
import subprocess
import sys

import pytest

from console.settings.environment import CHECKOUT, SettingError
from console.settings.home import make_home, secret_key


def test_the_home_is_made_for_its_owner_alone(tmp_path):
    home = make_home(tmp_path / "a" / "b")
    assert stat.S_IMODE(home.stat().st_mode) == 0o700
    assert make_home(home) == home


def test_it_says_when_the_home_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(SettingError, match="ATTEST_HOME"):
        make_home(tmp_path / "file" / "home")


def test_the_key_is_made_once_and_private(tmp_path):
    key = secret_key(tmp_path)
    assert len(key) >= 64
    assert secret_key(tmp_path) == key
    assert stat.S_IMODE((tmp_path / "secret-key").stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == ["secret-key"]


def test_two_homes_have_two_keys(tmp_path):
    assert secret_key(make_home(tmp_path / "a")) != secret_key(
        make_home(tmp_path / "b")
    )


@pytest.mark.parametrize("damaged", [b"", b"short", b"\xff\xfe" * 64])
def test_it_refuses_a_damaged_key(tmp_path, damaged):
    (tmp_path / "secret-key").write_bytes(damaged)
    with pytest.raises(SettingError, match="damaged"):
        secret_key(tmp_path)


def test_processes_that_start_at_once_get_the_same_key(tmp_path):
    code = (
        "import sys, pathlib; from console.settings.home import secret_key; "
        "sys.stdin.read(); print(secret_key(pathlib.Path(sys.argv[1])))"
    )
    starting = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=CHECKOUT,
            text=True,
        )
        for _ in range(6)
    ]
    # All are held at their standard input and let go together.
    for process in starting:
        process.stdin.close()
        process.stdin = None
    keys = {process.communicate(timeout=300)[0] for process in starting}
    assert len(keys) == 1
    assert len(keys.pop().strip()) >= 64


def test_a_key_that_another_process_made_meanwhile_is_kept(tmp_path, monkeypatch):
    final = tmp_path / "secret-key"
    first = secret_key(tmp_path)
    # This process looked before the other one wrote.
    monkeypatch.setattr(type(final), "exists", lambda _path: False)
    assert secret_key(tmp_path) == first
    assert [path.name for path in tmp_path.iterdir()] == ["secret-key"]
