"""A workspace with three people, an administrator and one shared drive."""

import pytest

from connectors.models import Source
from tests.connectors.google_drive.worlds import DriveWorld
from tests.vendors.google.server import GoogleServer
from tests.vendors.google.signing import ACCOUNT
from tests.vendors.google.state import Grant, Workspace


def make_workspace():
    space = Workspace()
    for name in ("ada", "bob", "cy", "root"):
        space.add_person(name)
    space.add_person("attest", domain=ACCOUNT.partition("@")[2], in_directory=False)
    return space


def running():
    source = Source.objects.create(kind="google_drive", name="Drive")
    with GoogleServer(make_workspace()) as server:
        server.administrators.add("root@example.com")
        yield DriveWorld(source, server=server)


@pytest.fixture
def drive(db):
    """Return a source that reads as Ada."""
    yield from running()


@pytest.fixture
def team(drive):
    """Return a shared drive that Ada manages and Bob reads."""
    return drive.space.add_drive(
        "Team",
        Grant("user", "ada@example.com", "organizer"),
        Grant("user", "bob@example.com", "reader"),
    )
