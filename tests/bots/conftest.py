import pytest

from tests.bots.worlds import FakePipeline, make_document, make_person, make_source


@pytest.fixture
def pipeline(monkeypatch):
    fake = FakePipeline()
    monkeypatch.setattr("bots.asking.pipeline", lambda: fake)
    return fake


@pytest.fixture
def alice(db):
    return make_person("alice")


@pytest.fixture
def source(db):
    return make_source()


@pytest.fixture
def document(source):
    return make_document(source)


@pytest.fixture
def signed_in(client, alice):
    client.force_login(alice.account)
    return client
