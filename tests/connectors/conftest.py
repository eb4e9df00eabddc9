"""Sources for the tests of syncing and of folders."""

import pytest

from connectors.models import Source
from tests.connectors.worlds import World


@pytest.fixture
def world(db):
    """Return a source whose changes each test scripts; it has been read before."""
    source = Source.objects.create(kind="scripted", name="Wiki", cursor={"at": 0})
    return World(source)


@pytest.fixture
def folder(tmp_path):
    """Return an empty folder to fill with files."""
    made = tmp_path / "docs"
    made.mkdir()
    return made


@pytest.fixture
def files(db, folder):
    """Return a source that reads `folder`."""
    options = {"path": str(folder)}
    return World(Source.objects.create(kind="files", name="Docs", options=options))


@pytest.fixture
def source_like():
    """Return a source that isn't saved, for what needs no database."""
    return Source(kind="scripted", name="Wiki")
