"""The same behaviour over a real endpoint: `make test-live`, with OPENAI_API_KEY."""

import os

import pytest

from memory.encoders.openai import OpenAIEmbedder
from memory.language_models.base import Role
from memory.language_models.calling import Caller
from memory.language_models.connection import Connection
from memory.language_models.endpoint import OPENAI_URL, Endpoint
from memory.language_models.openai_model import OpenAIModel
from memory.language_models.prices import Prices
from tests.memory.language_models.behaviour import ModelBehaviour

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def connection(request):
    if "live" not in (request.config.option.markexpr or ""):
        pytest.skip("It spends money: only `make test-live` runs it.")
    key = os.environ.get("OPENAI_API_KEY")
    if not key:
        pytest.skip("OPENAI_API_KEY isn't set.")
    url = os.environ.get("OPENAI_BASE_URL") or OPENAI_URL
    made = Connection(Endpoint(url, key))
    yield made
    made.close()


class TestLive(ModelBehaviour):
    """A small model is enough: this is about the protocol."""

    @pytest.fixture
    def behaving(self, connection):
        name = os.environ.get("OPENAI_MODEL") or "gpt-5.4-mini"
        limits_s = dict.fromkeys(Role, 60.0)
        return OpenAIModel(Caller(connection, name, Prices.load()), limits_s)


def test_it_embeds_what_is_alike_near(connection):
    name = os.environ.get("OPENAI_EMBEDDING_MODEL") or "text-embedding-3-small"
    embedder = OpenAIEmbedder(Caller(connection, name, Prices.load()), 1_536)
    a, b, c = embedder.embed_documents(
        [
            "Laptops are replaced after 36 months.",
            "A laptop lasts three years.",
            "Lunch",
        ]
    )
    assert a @ b > a @ c
