"""Both kinds of sites, with a space and its readers."""

import pytest

from connectors.models import Source
from tests.connectors.confluence.worlds import Site
from tests.vendors.confluence import CloudServer, DataCenterServer


def make_site(server):
    state = server.state
    state.add_group("g-staff", "u-ada", "u-bob", "u-cy")
    state.add_group("g-hr", "u-ada")
    state.add_space("HR", "People")
    name = type(server).__name__
    source = Source.objects.create(kind="confluence", name=name)
    return Site(server, source)


@pytest.fixture(params=[CloudServer, DataCenterServer], ids=["cloud", "data_center"])
def site(request, db):
    """Return a site of either kind."""
    with request.param() as server:
        yield make_site(server)


@pytest.fixture
def cloud(db):
    """Return a Cloud site."""
    with CloudServer() as server:
        yield make_site(server)


@pytest.fixture
def data_center(db):
    """Return a Data Center site."""
    with DataCenterServer() as server:
        yield make_site(server)
