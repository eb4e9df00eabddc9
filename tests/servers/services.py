"""Fixtures of PostgreSQL and Redis, for `conftest.py`: one of each a test process."""

import shutil

import pytest

from deploy.services.postgresql import PostgresServer, programs
from deploy.services.redis import PROGRAM, RedisServer
from tests.conftest import own_database


def made_postgresql():
    """Return a started server, or skip where it isn't installed."""
    if programs() is None:
        pytest.skip("PostgreSQL is not installed: apt-get install postgresql")
    server = PostgresServer()
    server.start()
    return server


def made_redis():
    """Return a started server, or skip where it isn't installed."""
    if shutil.which(PROGRAM) is None:
        pytest.skip("Redis is not installed: apt-get install redis-server")
    server = RedisServer()
    server.start()
    return server


@pytest.fixture(scope="session")
def postgresql():
    """Return this test process's server; no test stops it."""
    server = made_postgresql()
    yield server
    server.remove()


@pytest.fixture
def database_url(postgresql):
    """Return the address of an empty database of this test's own."""
    with own_database(postgresql.url()) as url:
        yield url
