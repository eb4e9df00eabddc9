"""What all tests share: no network, an empty home (tests/settings.py), shared data."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, settings
from pytest_socket import disable_socket, enable_socket, socket_allow_hosts

ROOT = Path(__file__).resolve().parents[1]

# No hub is ever asked for a model: the encoder comes in a package.
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

# Derandomised, so a red run can be run again; `make test-long` looks further.
settings.register_profile(
    "ci",
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "long",
    max_examples=2000,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(autouse=True)
def _no_network(request):
    """Allow Unix sockets alone, loopback to `integration`, all to `live` tests."""
    if request.node.get_closest_marker("live"):
        enable_socket()
    elif request.node.get_closest_marker("integration"):
        socket_allow_hosts(["127.0.0.1", "::1", "localhost"], allow_unix_socket=True)
    else:
        disable_socket(allow_unix_socket=True)
    yield
    enable_socket()


@pytest.fixture
def home(tmp_path) -> Path:
    """Return the path of an ATTEST_HOME for child processes; nothing is there yet."""
    return tmp_path / "home"


@pytest.fixture
def child_environment(home) -> Iterator[dict[str, str]]:
    """Return the environment of a child process that has `home` and no settings.

    It has a database of its own: SQLite in the home, or one on the server where the
    tests run on PostgreSQL.
    """
    ours = {"DJANGO_SETTINGS_MODULE", "ATTEST_HOME", "ATTEST_DATABASE_URL"}
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    kept |= {"ATTEST_HOME": str(home), "PYTHONUNBUFFERED": "1"}
    if server := os.environ.get("ATTEST_TEST_DATABASE_URL"):
        with own_database(server) as url:
            yield {**kept, "ATTEST_DATABASE_URL": url}
    else:
        yield kept


@contextmanager
def own_database(server: str) -> Iterator[str]:
    """Make a database on a PostgreSQL server, dropped afterwards; give its URL."""
    name = f"child_{uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
        yield f"{server.rpartition('/')[0]}/{name}"
        connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def manage(child_environment):
    """Return a function that runs ./manage.py in a process of its own."""

    def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=ROOT,
            env={**child_environment, **environment},
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            timeout=300,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def shared() -> Path:
    """Return the folder of shared data, or skip where it isn't laid beside us."""
    folder = Path(os.environ.get("ATTEST_SHARED") or ROOT.parent / "shared")
    if not (folder / "questions" / "handbook.jsonl").is_file():
        pytest.skip("The shared data is not here: ATTEST_SHARED or ../shared.")
    return folder
