"""Sites of both kinds with one project that everybody may browse."""

import pytest

from connectors.models import Source
from tests.connectors.jira.worlds import JiraWorld
from tests.vendors.jira.server import JiraServer, MediaServer
from tests.vendors.jira.state import Grant, Site

KINDS = ("cloud", "data_center")


def make_site():
    site = Site()
    for name in ("ada", "bob", "cy"):
        site.add_user(name, email=f"{name}@example.com")
    site.add_group("staff", "ada", "bob")
    site.add_project("OPS", Grant("group", "staff"), name="Operations")
    return site


@pytest.fixture(params=KINDS)
def jira(request, db):
    """Return a source on a site of each kind."""
    yield from running(is_cloud=request.param == "cloud")


@pytest.fixture
def cloud(db):
    yield from running(is_cloud=True)


@pytest.fixture
def data_center(db):
    yield from running(is_cloud=False)


def running(*, is_cloud):
    site = make_site()
    context = "" if is_cloud else "/jira"
    source = Source.objects.create(kind="jira", name="Jira")
    with (
        JiraServer(site, is_cloud=is_cloud, context=context) as server,
        MediaServer(site) as media,
    ):
        server.media = media if is_cloud else None
        yield JiraWorld(source, server=server)


@pytest.fixture
def ops(request):
    """Return the project that there is."""
    names = {"jira", "cloud", "data_center"} & set(request.fixturenames)
    world = request.getfixturevalue(names.pop())
    return next(iter(world.site.projects.values()))
