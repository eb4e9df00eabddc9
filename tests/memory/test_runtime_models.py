"""Settings -> models by role and the embedding model, wired by the runtime."""

import pytest

from memory.answering import ExtractiveAnswerer, WrittenAnswerer
from memory.encoders.openai import OpenAIEmbedder
from memory.encoders.sentence_transformer import SentenceTransformerEmbedder
from memory.language_models.base import QUESTION_ROLES, Role
from memory.language_models.cached import CachedModel
from memory.language_models.configured import NoModel
from memory.language_models.endpoint import Endpoint
from memory.language_models.ledger import collecting
from memory.language_models.openai_model import OpenAIModel
from memory.runtime import Runtime
from tests.memory.answering_examples import WordEmbedder
from tests.vendors.openai import OpenAIServer

#: A pipeline reads the stored policy.
pytestmark = pytest.mark.django_db


@pytest.fixture
def fresh(settings, tmp_path):
    settings.ATTEST_HOME = settings.ATTEST_CACHE = tmp_path
    runtime = Runtime()
    runtime.use_encoder(WordEmbedder())
    return runtime


def test_one_model_serves_all_roles(fresh, settings):
    settings.ATTEST_MODELS = dict.fromkeys(Role, "gpt-5.4")
    assert {fresh.models(role).name for role in Role} == {"gpt-5.4"}
    assert isinstance(fresh.models(Role.ANSWER), OpenAIModel)
    assert isinstance(fresh.pipeline().answerer, WrittenAnswerer)
    assert fresh.pipeline().staying is not None


def test_only_replies_about_documents_are_kept(fresh, settings):
    settings.ATTEST_MODELS = dict.fromkeys(Role, "gpt-5.4")
    kept = {role for role in Role if isinstance(fresh.models(role), CachedModel)}
    assert kept == {Role.EXTRACTION, Role.ABSTRACTION}


def test_a_role_may_have_another_model_or_none(fresh, settings):
    settings.ATTEST_MODELS = {Role.EXTRACTION: "small", Role.JUDGE: ""}
    settings.ATTEST_EXTRACTOR = "mini"
    assert fresh.extractor.version.endswith("/small")
    with pytest.raises(NoModel, match="ATTEST_MODEL_JUDGE"):
        fresh.models(Role.JUDGE)


@pytest.mark.parametrize("missing", sorted(QUESTION_ROLES))
def test_questions_use_a_model_when_all_their_roles_have_one(fresh, settings, missing):
    settings.ATTEST_MODELS = {role: "m" for role in Role if role is not missing}
    assert fresh.models is not None
    assert fresh.question_models is None
    assert isinstance(fresh.pipeline().answerer, ExtractiveAnswerer)


@pytest.mark.integration
def test_the_settings_reach_the_endpoint(fresh, settings):
    settings.ATTEST_MODELS = {Role.ANSWER: "gpt-5.4"}
    settings.ATTEST_MODEL_REASONING_EFFORT = "low"
    with OpenAIServer() as server, collecting() as ledger:
        server.key = "the key"
        settings.ATTEST_OPENAI = Endpoint(server.base_url, "the key")
        fresh.endpoint.check(Role.ANSWER, max_tokens=5)
        fresh.endpoint.close()
    assert server.chats[0].body["reasoning_effort"] == "low"
    assert ledger.usage.cost is not None


@pytest.mark.integration
def test_texts_are_embedded_at_the_endpoint_and_kept(settings, tmp_path):
    settings.ATTEST_HOME = settings.ATTEST_CACHE = tmp_path
    settings.ATTEST_EMBEDDING_MODEL = "openai:text-embedding-3-small"
    settings.ATTEST_EMBEDDING_DIMENSIONS = 8
    with OpenAIServer() as server:
        settings.ATTEST_OPENAI = Endpoint(server.base_url, "key")
        runtime = Runtime()
        assert isinstance(runtime.encoder, OpenAIEmbedder)
        for _ in range(2):
            assert runtime.embedder.embed_documents(["a", "b"]).shape == (2, 8)
        assert len(server.embedded) == 1
        runtime.endpoint.close()


def test_a_sentence_transformer_is_named_and_not_loaded(settings, tmp_path):
    settings.ATTEST_HOME = settings.ATTEST_CACHE = tmp_path
    settings.ATTEST_EMBEDDING_MODEL = f"sentence-transformers:{tmp_path}"
    encoder = Runtime().encoder
    assert isinstance(encoder, SentenceTransformerEmbedder)
    assert encoder.name.startswith(tmp_path.name)
