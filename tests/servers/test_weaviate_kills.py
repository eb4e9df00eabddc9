"""Weaviate is killed in the middle of a sync and of questions, and started again."""

import threading
import time

import numpy as np
import pytest

from connectors import syncing_waiting
from connectors.base import Complete, Upsert
from connectors.models import Document, Source, SyncRun
from connectors.syncing import Control, Index, run_sync
from memory import documents
from memory.access import WORKSPACE_RULE
from memory.access import WORKSPACE_SCOPE as EVERYBODY
from memory.building import Builder
from memory.chunking import Chunker
from memory.documents import Block, BlockKind, Content, Outcome, Question, Section, View
from memory.errors import StoreUnreachable
from memory.outcomes import STORE_DOWN
from memory.systems import Parts, megamem
from tests.connectors.worlds import FakeEmbedder
from tests.servers.fixtures import made_server

pytestmark = [pytest.mark.integration, pytest.mark.django_db(transaction=True)]

DOCUMENTS = 200


@pytest.fixture
def server(tmp_path):
    """A server of this test's own, that it may kill."""
    server = made_server(tmp_path / "weaviate")
    yield server
    server.kill()


@pytest.fixture
def store(server, prefix, place_at, monkeypatch):
    monkeypatch.setattr(syncing_waiting, "_LONGEST_WAIT_S", 1.0)
    place = place_at(server, prefix, dimensions=FakeEmbedder.dimensions)
    # The fixture would ask a server that may be gone.
    monkeypatch.setattr(place, "remove", lambda: None)
    return place.open()


class Scripted:
    """A source with many short documents."""

    def changes(self, _since, _known=None):
        for at in range(DOCUMENTS):
            text = f"Laptop number {at} is replaced after {at} months."
            content = Content(
                text,
                (Section((), 0, 0, len(text)),),
                (Block(BlockKind.PARAGRAPH, 0, len(text)),),
            )
            document = documents.Document(
                Source.objects.get().id, f"d{at}", f"Laptop {at}", content
            )
            yield Upsert(document, WORKSPACE_RULE, mark="1")
        yield Complete()

    def listing(self):
        return iter([f"d{at}" for at in range(DOCUMENTS)])


def stored_names(store):
    return sorted(of.external_id for _, of in store.inventory(View.CHUNKS))


def test_a_sync_waits_for_a_killed_server_and_loses_nothing(server, store):
    source = Source.objects.create(kind="files", name="Wiki")
    index = Index(Builder(Chunker(), None, FakeEmbedder(), store), store)
    stages, restarts = [], []

    def restart():
        time.sleep(3)
        server.start()

    def show(progress):
        stages.append(progress.stage)
        if progress.counts["indexed"] >= 64 and not restarts:
            server.kill()
            restarts.append(threading.Thread(target=restart))
            restarts[0].start()

    run = run_sync(source, Scripted(), index, Control(on_progress=show))
    restarts[0].join()
    assert run.state == SyncRun.State.SUCCEEDED, run.message
    assert syncing_waiting.STAGE in stages
    assert run.counts.get("failed", 0) == 0
    assert stored_names(store) == sorted(f"d{at}" for at in range(DOCUMENTS))
    assert not Document.objects.filter(needs_repair=True).exists()


def test_a_question_fails_plainly_while_the_server_is_away_and_works_again(
    server, store
):
    embedder = FakeEmbedder()
    source = Source.objects.create(kind="files", name="Wiki")
    run_sync(
        source, Scripted(), Index(Builder(Chunker(), None, embedder, store), store)
    )
    pipeline = megamem(
        Parts(store, embedder, threshold=0.0), off=["gate", "chunks", "memories"]
    )
    question = Question("When is laptop number 7 replaced?", EVERYBODY)
    before = pipeline.ask(question)
    assert before.outcome is Outcome.ANSWERED
    server.kill()
    started = time.monotonic()
    away = pipeline.ask(question)
    assert (away.outcome, away.text) == (Outcome.FAILED, STORE_DOWN)
    assert not away.documents
    # Plainly and soon: nobody waits half a minute to hear it.
    assert time.monotonic() - started < 5
    with pytest.raises(StoreUnreachable, match="ATTEST_WEAVIATE_URL"):
        store.nearest(View.CHUNKS, np.ones(8, np.float32), 5, EVERYBODY)
    server.start()
    deadline = time.monotonic() + 30
    while (after := pipeline.ask(question)).outcome is Outcome.FAILED:
        assert after.text == STORE_DOWN
        assert time.monotonic() < deadline
        time.sleep(0.2)
    for answer in (before, after):
        # The encoder knows no meaning, so which of the five is quoted is chance.
        assert "number 7 is replaced after 7 months" in answer.evidence[0].text
        assert answer.documents


def test_a_kill_in_the_middle_of_questions_gives_no_wrong_answer(server, store):
    embedder = FakeEmbedder()
    source = Source.objects.create(kind="files", name="Wiki")
    run_sync(
        source, Scripted(), Index(Builder(Chunker(), None, embedder, store), store)
    )
    pipeline = megamem(
        Parts(store, embedder, threshold=0.0), off=["gate", "chunks", "memories"]
    )
    question = Question("When is laptop number 7 replaced?", EVERYBODY)
    right = pipeline.ask(question).text
    threading.Timer(0.3, server.kill).start()
    until, seen = time.monotonic() + 1.5, set()
    while time.monotonic() < until:
        answer = pipeline.ask(question)
        seen.add(answer.outcome)
        expected = right if answer.outcome is Outcome.ANSWERED else STORE_DOWN
        assert answer.text == expected
    assert seen == {Outcome.ANSWERED, Outcome.FAILED}
