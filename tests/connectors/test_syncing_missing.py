"""Memories that a model owes: counted, told in the run, asked for again in time."""

import json
from datetime import timedelta

import pytest
from django.utils import timezone

from connectors.models import MissingMemories, SyncRun
from memory.distillation.mini import MiniExtractor
from memory.language_models.base import ModelUnavailable
from memory.language_models.ledger import BudgetReached
from tests.connectors.worlds import Scripted, issues
from tests.memory.scripted import ScriptedModel


class Model:
    """Says what a chunk says; fails where it's told to."""

    def __init__(self):
        self.error = None
        self.only = ""
        self.model = ScriptedModel(self.reply)

    def reply(self, request):
        content = json.loads(request.user)["content"]
        if self.error and self.only in content:
            return self.error
        return {"memories": [{"type": "fact", "key": "about it", "value": content}]}

    @property
    def calls(self):
        return len(self.model.requests)


@pytest.fixture
def model(world):
    made = Model()
    world.extractor = MiniExtractor(made.model, workers=1)
    return made


def later(**time):
    return {"clock": lambda: timezone.now() + timedelta(**time)}


def quiet(world, **control):
    """Sync without a change."""
    return world.sync(connector=Scripted(), **control)


def memories(world):
    return {held[0].external_id: len(held[2]) for held in world.store.held.values()}


def owed():
    return list(MissingMemories.objects.values_list("document__external_id", "count"))


def test_a_failed_chunk_is_searched_counted_and_told(world, model):
    model.error, model.only = ModelUnavailable("The model is away."), "odd"
    run = world.sync(*world.upserts("a"), *world.upserts("b", text="Odd: odd."))
    assert run.state == SyncRun.State.SUCCEEDED
    assert run.message == ""
    assert world.store.texts() == {"a": "Some text.", "b": "Odd: odd."}
    assert memories(world) == {"a": 1, "b": 0}
    assert owed() == [("b", 1)]
    assert run.counts["undistilled"] == 1
    assert issues(run) == [("warning", "", "not_distilled")]
    assert "The model is away." in run.issues.get().message
    assert not world.row("b").needs_repair


def test_a_later_run_asks_for_the_missing_ones_alone(world, model):
    model.error, model.only = ModelUnavailable("away"), "odd"
    world.sync(*world.upserts("a"), *world.upserts("b", text="Odd: odd."))
    model.error = None
    calls = model.calls
    assert "undistilled" not in quiet(world).counts
    assert model.calls == calls
    run = quiet(world, **later(minutes=16))
    assert model.calls == calls + 1
    assert run.counts["repaired"] == 1
    assert memories(world) == {"a": 1, "b": 1}
    assert owed() == []


def test_each_try_waits_longer_and_never_more_than_a_day(world, model):
    model.error = ModelUnavailable("away")
    world.sync(*world.upserts("a"))
    waits = []
    for _ in range(7):
        row = MissingMemories.objects.get()
        now = row.again_at
        quiet(world, clock=lambda now=now: now)
        row.refresh_from_db()
        waits.append(row.again_at - now)
    hour = timedelta(hours=1)
    assert waits[:4] == [hour, 4 * hour, 16 * hour, 24 * hour]
    assert max(waits) == 24 * hour


def test_another_text_is_a_first_try(world, model):
    model.error = ModelUnavailable("away")
    world.sync(*world.upserts("a"))
    quiet(world, **later(minutes=16))
    assert MissingMemories.objects.get().tries == 2
    world.sync(*world.upserts("a", text="Another text."))
    assert MissingMemories.objects.get().tries == 1


def test_a_build_stops_at_its_budget_says_so_and_goes_on_later(world, model):
    model.error, model.only = BudgetReached("The budget of 5 dollars is used up."), "3"
    names = [f"d{n}" for n in range(8)]
    run = world.sync(*(world.upserts(n, text=f"{n}.")[0] for n in names))
    assert run.state == SyncRun.State.SUCCEEDED
    assert "The budget of 5 dollars is used up." in run.message
    assert issues(run) == [("warning", "", "distillation_stopped")]
    assert world.store.texts() == {name: f"{name}." for name in names}
    assert memories(world) == {n: int(n < "d3") for n in names}
    assert run.counts["undistilled"] == 5
    assert model.calls == 4
    model.error = None
    quiet(world, **later(minutes=16))
    assert memories(world) == dict.fromkeys(names, 1)
    assert owed() == []


def test_a_rebuild_stops_asking_at_the_first_batch_without_budget(world, model):
    model.error = BudgetReached("used up")
    world.sync(*(world.upserts(f"d{n:02}", text=f"{n}.")[0] for n in range(70)))
    # Once a batch: it can't know beforehand.
    assert model.calls == 3
    quiet(world, **later(minutes=16))
    assert model.calls == 4
    assert MissingMemories.objects.count() == 70


def test_properties_that_change_keep_what_is_owed(world, model):
    model.error = ModelUnavailable("away")
    world.sync(*world.upserts("a"))
    world.sync(*world.upserts("a", url="https://wiki.example/a"))
    assert owed() == [("a", 1)]


def test_a_document_that_leaves_owes_nothing(world, model):
    from connectors.base import Delete

    model.error = ModelUnavailable("away")
    world.sync(*world.upserts("a"))
    world.sync(Delete("a"))
    assert owed() == []
