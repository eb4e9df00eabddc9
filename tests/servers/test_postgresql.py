"""ATTEST_DATABASE_URL names a real PostgreSQL: commands, faults, several machines."""

import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psycopg
import pytest

from deploy.services.children import own_folder
from deploy.services.postgresql import PASSWORD, USER
from tests.conftest import ROOT
from tests.servers.services import made_postgresql

pytestmark = pytest.mark.integration


def test_a_command_on_an_empty_database_makes_what_it_needs(manage, database_url):
    done = manage("sign_in_link", ATTEST_DATABASE_URL=database_url)
    assert (done.returncode, done.stderr) == (0, "")
    with psycopg.connect(database_url) as database:
        [(count,)] = database.execute("SELECT count(*) FROM auth_user")
    assert count == 1


def test_machines_that_start_at_once_on_an_empty_database_all_succeed(
    child_environment, database_url, tmp_path
):
    started = [
        subprocess.Popen(
            [sys.executable, "manage.py", "sign_in_link"],
            cwd=ROOT,
            env={
                **child_environment,
                "ATTEST_DATABASE_URL": database_url,
                "ATTEST_HOME": str(tmp_path / f"machine {number}"),
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(3)
    ]
    ended = [(*each.communicate(timeout=300), each.returncode) for each in started]
    assert [(err, code) for _out, err, code in ended] == [("", 0)] * 3
    with psycopg.connect(database_url) as database:
        [(count,)] = database.execute("SELECT count(*) FROM auth_user")
    assert count == 1


@pytest.mark.parametrize(
    ("change", "mend"),
    [
        (lambda url: url.replace(PASSWORD, "another"), "Correct user and password"),
        (lambda url: f"{url}_other", "Make the database as docs/operations.md says"),
        (lambda url: f"{url}?sslmode=require", "Set sslmode"),
        (
            lambda url: f"postgres://{USER}:{PASSWORD}@127.0.0.1:1/attest",
            "Start PostgreSQL",
        ),
    ],
    ids=["password", "name", "tls", "port"],
)
def test_a_database_that_can_not_be_used_is_told_on_one_line(
    change, mend, manage, database_url
):
    done = manage("sources", ATTEST_DATABASE_URL=change(database_url))
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert mend in done.stderr
    assert PASSWORD not in done.stderr
    assert "another" not in done.stderr


def test_doctor_refuses_a_database_that_can_not_hold_every_script(
    child_environment, postgresql
):
    with psycopg.connect(postgresql.url(), autocommit=True) as server:
        server.execute(
            "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' "
            "LOCALE_PROVIDER libc LOCALE 'C'"
        )
    code = (
        "import django; django.setup(); from console.doctor.database import database\n"
        "for finding in database(): print(finding.level, finding.message)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={
            **child_environment,
            "ATTEST_DATABASE_URL": postgresql.url("latin"),
            "DJANGO_SETTINGS_MODULE": "console.settings",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.startswith("fail PostgreSQL 15"), done.stderr
    assert "LATIN1" in done.stdout


def test_a_killed_test_run_leaves_no_server_behind():
    made_postgresql().remove()  # skips where there's none
    code = (
        "import os, signal; from deploy.services.postgresql import PostgresServer\n"
        "from deploy.services.redis import RedisServer\n"
        "servers = [PostgresServer(), RedisServer()]\n"
        "[server.start() for server in servers]\n"
        "print(os.getpid(), *[server.pid for server in servers], flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    run, *servers = map(int, done.stdout.split())
    left = set(servers)
    assert len(left) == 2
    until = time.monotonic() + 30
    while left and time.monotonic() < until:
        left = {pid for pid in left if _runs(pid)}
        time.sleep(0.05)
    assert left == set()
    # What they kept goes when the next run makes its own.
    for name in ("postgresql", "redis"):
        own_folder(name).rmdir()
    assert list(Path(tempfile.gettempdir()).glob(f"attest-*-{run}-*")) == []


def _runs(pid):
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    # Nobody may reap it here: a zombie has ended too.
    return stat.rpartition(")")[2].split()[0] != "Z"
