"""A server on loopback and models that talk to it; nobody waits."""

import pytest

from memory.language_models.base import Request, Role
from memory.language_models.calling import Caller
from memory.language_models.capabilities import Capabilities
from memory.language_models.connection import Connection
from memory.language_models.endpoint import Endpoint
from memory.language_models.openai_model import OpenAIModel
from memory.language_models.patience import Patience
from memory.language_models.prices import Prices
from tests.vendors.openai import OpenAIServer

KEY = "sk-secret-of-the-company"
SCHEMA = {
    "type": "object",
    "properties": {"number": {"type": "integer"}},
    "required": ["number"],
    "additionalProperties": False,
}


def number(value):
    """Parse a reply of SCHEMA as a stage does: ValueError for anything else."""
    if not isinstance(value, dict) or not isinstance(value.get("number"), int):
        raise ValueError(f"{value!r} has no number")
    return value["number"]


def asking(user="How many?", role=Role.ANSWER, max_tokens=100):
    return Request(role, "Answer in one word.", user, max_tokens)


@pytest.fixture
def server():
    with OpenAIServer() as running:
        running.key = KEY
        yield running


@pytest.fixture
def pauses():
    """Return the seconds that were slept, in order."""
    return []


@pytest.fixture
def make_model(server, pauses, tmp_path):
    """Return a function that makes a model at the server."""
    made = []

    def make(
        name="gpt-5.4",
        base_url=None,
        limits_s=None,
        effort="",
        folder=None,
        prices=None,
        **endpoint,
    ):
        settings = {"api_key": KEY} | endpoint
        connection = Connection(Endpoint(base_url or server.base_url, **settings))
        made.append(connection)
        caller = Caller(
            connection,
            name,
            prices or Prices.load(),
            Capabilities(folder),
            Patience(sleep=pauses.append),
        )
        limits = {} if limits_s is None else {"limits_s": dict.fromkeys(Role, limits_s)}
        return OpenAIModel(caller, effort=effort, **limits)

    yield make
    for connection in made:
        connection.close()


@pytest.fixture
def model(make_model):
    return make_model()
