"""What a sync spends on models: a row a call, also when it fails, within the budget."""

import json
from decimal import Decimal

import pytest

from connectors.models import SyncRun
from memory.distillation.mini import MiniExtractor
from memory.language_models.base import Call, Role
from memory.language_models.cached import CachedModel, ReplyCache
from memory.language_models.calling import Caller
from memory.language_models.connection import Connection
from memory.language_models.endpoint import Endpoint
from memory.language_models.ledger import record
from memory.language_models.openai_model import OpenAIModel
from memory.language_models.patience import Patience
from memory.language_models.prices import Prices
from memory.models import Spend
from tests.vendors.openai import Completion, OpenAIServer, faults

pytestmark = [pytest.mark.integration, pytest.mark.django_db]


@pytest.fixture
def server():
    def reply(chat):
        said = json.loads(chat.user)["content"]
        memories = [{"type": "fact", "key": "about it", "value": said}]
        return Completion({"memories": memories}, prompt_tokens=900)

    with OpenAIServer(reply) as running:
        yield running


@pytest.fixture
def model(world, server, tmp_path):
    """Return the model at the server; the world's source is distilled by it."""
    connection = Connection(Endpoint(server.base_url, "key"))
    patience = Patience(sleep=lambda seconds: None)
    caller = Caller(connection, "gpt-5.4-mini", Prices.load(), patience=patience)
    cache = ReplyCache(tmp_path / "replies")
    made = CachedModel(OpenAIModel(caller), cache)
    # One thread, so that what passes a budget is known to the call.
    world.extractor = MiniExtractor(made, workers=1)
    yield made
    connection.close()
    cache.close()


def documents(world, count):
    return [world.upserts(f"d{n:02}", text=f"Rule {n}.")[0] for n in range(count)]


def test_each_call_is_a_row_of_its_source(world, server, model):
    world.sync(*documents(world, 2))
    rows = list(Spend.objects.all())
    assert len(rows) == len(server.chats) == 2
    for row in rows:
        assert (row.role, row.model, row.outcome) == (
            "extraction",
            "gpt-5.4-mini",
            "ok",
        )
        assert (row.source_id, row.exchange_id) == (world.source.id, None)
        assert row.prompt_tokens == 900
        assert row.cost == Decimal("0.75") * 900 / 10**6 + (
            Decimal("4.50") * row.completion_tokens / 10**6
        )


def test_retries_are_rows_and_kept_replies_are_none(world, server, model):
    server.fail(faults.rate_limited())
    world.sync(*documents(world, 1))
    assert sorted(Spend.objects.values_list("outcome", flat=True)) == ["ok", "retried"]
    world.store.held.clear()
    world.sync(*documents(world, 1))
    assert Spend.objects.count() == len(server.chats) == 2


def test_a_run_stops_at_its_budget_over_all_its_batches(world, server, model, settings):
    # A call costs 900 * 0.75 + a few * 4.50 dollars per million: 3 fit into this.
    settings.ATTEST_BUILD_BUDGET_USD = Decimal("0.0020")
    run = world.sync(*documents(world, 70))
    assert run.state == SyncRun.State.SUCCEEDED
    assert "budget of $0.002" in run.message
    assert len(server.chats) == 3
    assert len(world.store.held) == 70
    world.source.documents.update(needs_repair=True)
    world.sync(*documents(world, 1))
    assert len(server.chats) == 6


def test_a_budget_in_tokens_is_kept_too(world, server, model, settings):
    settings.ATTEST_BUILD_BUDGET_TOKENS = 1_000
    run = world.sync(*documents(world, 5))
    assert "1,000 tokens" in run.message
    assert len(server.chats) == 2


def test_what_was_spent_before_a_failure_is_written(world, model):
    class Failing(type(world.embedder)):
        def embed_documents(self, texts, *, on_progress=None):
            record(Call(Role.EMBEDDING, "e", 5, 0, None, 1.0, "ok"))
            return super().embed_documents(texts, on_progress=on_progress)

    world.embedder = Failing()
    world.embedder.is_down = True
    assert world.sync(*documents(world, 1)).state == SyncRun.State.FAILED
    assert set(Spend.objects.values_list("role", flat=True)) == {
        "extraction",
        "embedding",
    }
    assert Spend.objects.filter(role="embedding")[0].cost is None


def test_a_source_that_stays_is_not_embedded_elsewhere(world, settings):
    settings.ATTEST_EMBEDDINGS_LEAVE = True
    world.source.local_models_only = True
    world.source.save()
    run = world.sync(*documents(world, 1))
    assert run.state == SyncRun.State.FAILED
    assert "ATTEST_EMBEDDING_MODEL" in run.message
    assert world.embedder.embedded == 0
