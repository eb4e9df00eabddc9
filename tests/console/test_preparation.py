"""console.preparation and manage.py: every command works on an empty home."""

import errno
import signal
import sqlite3
import subprocess
import sys

import pytest
from django.conf import settings as django_settings
from django.db import DatabaseError, OperationalError, ProgrammingError

from manage import main as manage_main


@pytest.mark.sqlite
def test_a_command_on_an_empty_home_makes_what_it_needs(manage, home):
    done = manage("sign_in_link")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("http://127.0.0.1:8000/sign-in/")
    with sqlite3.connect(home / "attest.sqlite3") as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert database.execute("SELECT count(*) FROM auth_user").fetchone() == (1,)
    database.close()


def test_commands_that_start_at_once_on_an_empty_home_all_succeed(child_environment):
    code = (
        "import sys; sys.stdin.read(); sys.argv = ['manage.py', 'sign_in_link']; "
        "import manage; sys.exit(manage.main())"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=django_settings.BASE_DIR,
            env=child_environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    for process in started:
        process.stdin.close()
        process.stdin = None
    ended = [
        (process.communicate(timeout=300), process.returncode) for process in started
    ]
    assert [(err, code) for (_out, err), code in ended] == [("", 0)] * 3
    assert len({out for (out, _err), _code in ended}) == 3


def test_help_and_check_leave_the_database_alone(manage, home):
    for arguments in (["help"], ["check"], ["sign_in_link", "--help"]):
        assert manage(*arguments).returncode == 0
    database = home / "attest.sqlite3"
    assert not database.exists() or b"auth_user" not in database.read_bytes()


def test_a_wrong_setting_is_told_on_one_line_without_its_value(manage, home):
    done = manage("check", ATTEST_DEBUG="hunter2")
    assert done.returncode == 2
    assert done.stderr == (
        "ATTEST_DEBUG is text of 7 characters; "
        "accepted: true or false (also 1/0, yes/no, on/off).\n"
    )


@pytest.mark.sqlite
def test_a_database_that_is_none_is_told_on_one_line(manage, home):
    home.mkdir(mode=0o700)
    (home / "attest.sqlite3").write_bytes(b"no database" * 100)
    done = manage("sign_in_link")
    assert done.returncode == 2
    assert "can't be prepared" in done.stderr
    assert "put back a backup" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OperationalError("database or disk is full"), "Make room"),
        (DatabaseError("database disk image is malformed"), "put back a backup"),
        (OperationalError("attempt to write a readonly database"), "right to write"),
        (OSError(errno.EROFS, "Read-only file system", "x.lock"), "x.lock"),
        (OSError(errno.ENOSPC, "No space left on device"), "Make room"),
    ],
)
def test_a_disk_that_fails_in_a_command_is_told_on_one_line(
    monkeypatch, capsys, error, told
):
    assert _ended_with(monkeypatch, error) == 2
    err = capsys.readouterr().err
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "error", [ProgrammingError("locked"), OSError(errno.ENOENT, "gone"), KeyError(1)]
)
def test_a_mistake_of_ours_keeps_its_traceback(monkeypatch, error):
    with pytest.raises(type(error)):
        _ended_with(monkeypatch, error)


def test_a_reader_that_has_enough_gets_no_traceback(child_environment):
    """As `./manage.py policy | true` has it."""
    process = subprocess.Popen(
        [sys.executable, "manage.py", "policy"],
        cwd=django_settings.BASE_DIR,
        env=child_environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    process.stdout.close()
    process.stdout = None
    _out, told = process.communicate(timeout=300)
    assert (told, process.returncode) == ("", 128 + signal.SIGPIPE)


def test_another_broken_pipe_keeps_its_traceback(monkeypatch):
    def run(_arguments):
        raise BrokenPipeError(errno.EPIPE, "a server went away")

    monkeypatch.setattr("django.core.management.execute_from_command_line", run)
    monkeypatch.setattr(sys, "argv", ["manage.py", "check"])
    with pytest.raises(BrokenPipeError):
        manage_main()


def test_an_argument_that_is_no_text_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["manage.py", "sync", "\udcff"])
    assert manage_main() == 2
    assert capsys.readouterr().err == "An argument is no UTF-8 text.\n"


def _ended_with(monkeypatch, error):
    """Return how manage.py ends when its command raises that."""

    def fail(_arguments):
        raise error

    monkeypatch.setattr("console.preparation.prepare_for", lambda _arguments: None)
    monkeypatch.setattr("django.core.management.execute_from_command_line", fail)
    monkeypatch.setattr(sys, "argv", ["manage.py", "sources"])
    return manage_main()


def test_an_unknown_setting_is_a_warning_on_standard_error(manage, home):
    done = manage("sign_in_link", ATTEST_LOG_LEVLE="info")
    assert done.returncode == 0
    assert "ATTEST_LOG_LEVEL?" in done.stderr
    assert done.stdout.count("\n") == 1


def test_without_its_packages_it_says_what_to_do(child_environment, tmp_path):
    alone = tmp_path / "manage.py"
    alone.write_bytes((django_settings.BASE_DIR / "manage.py").read_bytes())
    # -S leaves the installed packages out, as in a Python that has none.
    done = subprocess.run(
        [sys.executable, "-S", alone, "check"],
        env=child_environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "make setup" in done.stderr
