"""Vectors from an OpenAI-compatible endpoint, through the real client."""

import numpy as np
import pytest

from memory.embedding import Embedder
from memory.encoders.openai import OpenAIEmbedder
from memory.errors import EmbeddingError
from memory.language_models.base import Role
from memory.language_models.calling import Caller
from memory.language_models.connection import Connection
from memory.language_models.endpoint import Endpoint
from memory.language_models.ledger import collecting
from memory.language_models.patience import Patience
from memory.language_models.prices import Prices
from tests.vendors.openai import OpenAIServer, faults
from tests.vendors.openai.server import unit_vector

pytestmark = pytest.mark.integration


@pytest.fixture
def server():
    with OpenAIServer() as running:
        yield running


@pytest.fixture
def embedder(server):
    connection = Connection(Endpoint(server.base_url, "key"))
    caller = Caller(
        connection,
        "text-embedding-3-small",
        Prices.load(),
        patience=Patience(sleep=lambda seconds: None),
    )
    yield OpenAIEmbedder(caller, 8)
    connection.close()


def spoilt(server, change):
    """Have the next answer changed by a function of its rows."""
    body = server.embeddings({"input": ["a", "b"], "model": "m", "dimensions": 8})
    change(body["data"])
    server.fail(faults.Fault(body=body))


def test_it_embeds_in_requests_of_64_and_keeps_the_order(server, embedder):
    texts = [f"text {n}" for n in range(130)]
    done = []
    vectors = embedder.embed_documents(texts, on_progress=done.append)
    assert [len(body["input"]) for body in server.embedded] == [64, 64, 2]
    assert done == [64, 64, 2]
    expected = np.stack([unit_vector(text, 8) for text in texts])
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert vectors.dtype == np.float32


def test_it_asks_for_its_dimensions(server, embedder):
    assert embedder.embed_queries(["a"]).shape == (1, 8)
    assert server.embedded[0]["dimensions"] == 8
    assert embedder.name == "openai/text-embedding-3-small/8"


def test_no_text_is_no_request(server, embedder):
    assert embedder.embed_queries([]).shape == (0, 8)
    assert server.embedded == []


def test_an_empty_text_has_a_vector_too(server, embedder):
    assert embedder.embed_documents(["", "a"]).shape == (2, 8)
    assert "" not in server.embedded[0]["input"]


def test_rows_in_another_order_are_put_right(server, embedder):
    spoilt(server, lambda rows: rows.reverse())
    vectors = embedder.embed_documents(["a", "b"])
    np.testing.assert_allclose(vectors[0], unit_vector("a", 8), atol=1e-6)


def test_vectors_of_another_length_are_brought_to_1(server, embedder):
    def longer(rows):
        for row in rows:
            row["embedding"] = [5 * number for number in row["embedding"]]

    spoilt(server, longer)
    vectors = embedder.embed_documents(["a", "b"])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda rows: rows.pop(), "1 vectors for 2 texts"),
        (lambda rows: rows[1].update(index=0), "2 vectors for 2 texts"),
        (lambda rows: rows[0]["embedding"].pop(), "ATTEST_EMBEDDING_DIMENSIONS"),
        (lambda rows: rows[0].update(embedding=[0.0] * 8), "isn't finite"),
        (lambda rows: rows[0].update(embedding=[float("nan")] * 8), "isn't finite"),
    ],
    ids=["missing", "twice", "size", "zero", "nan"],
)
def test_an_answer_that_is_wrong_is_refused(server, embedder, change, told):
    spoilt(server, change)
    with pytest.raises(EmbeddingError, match=told):
        embedder.embed_documents(["a", "b"])


def test_it_does_without_dimensions_where_they_are_refused(server, embedder):
    server.dimensions = 8
    server.fail(faults.unsupported_parameter("dimensions"))
    assert embedder.embed_queries(["a"]).shape == (1, 8)
    assert "dimensions" not in server.embedded[-1]


def test_it_is_patient(server, embedder):
    server.fail(faults.rate_limited(), faults.reset())
    assert embedder.embed_queries(["a"]).shape == (1, 8)


def test_a_failure_is_the_encoders_and_names_no_secret(server, embedder):
    server.fail(faults.wrong_key())
    with pytest.raises(EmbeddingError, match="key is refused") as caught:
        embedder.embed_queries(["a"])
    assert faults.MARK not in str(caught.value)


def test_tokens_and_cost_are_recorded(server, embedder):
    with collecting() as ledger:
        embedder.embed_documents(["two words", "three more words"])
    [call] = ledger.calls
    assert (call.role, call.prompt_tokens, call.completion_tokens) == (
        Role.EMBEDDING,
        5,
        0,
    )
    assert str(call.cost.normalize()) == "1E-7"


@pytest.mark.parametrize("usage", [{}, {"prompt_tokens": -1}, {"prompt_tokens": "2"}])
def test_usage_that_makes_no_sense_is_unknown(server, embedder, usage):
    body = server.embeddings({"input": ["a"], "model": "m", "dimensions": 8})
    server.fail(faults.Fault(body=body | {"usage": usage}))
    with collecting() as ledger:
        assert embedder.embed_documents(["a"]).shape == (1, 8)
    [call] = ledger.calls
    assert (call.prompt_tokens, call.cost) == (None, None)
    assert ledger.usage.lower_bound


@pytest.mark.parametrize("data", [None, [], [{"index": 0}], [{}], [None]])
def test_an_answer_of_another_shape_is_refused_and_recorded(server, embedder, data):
    server.fail(faults.Fault(body={"object": "list", "data": data}), times=3)
    with collecting() as ledger, pytest.raises(EmbeddingError):
        embedder.embed_documents(["a"])
    assert ledger.calls


def test_it_is_an_embedder(embedder):
    contract: Embedder = embedder
    assert contract.dimensions == 8
