"""Replies that are kept: the same thing is asked and paid for once."""

import sqlite3
import stat
from dataclasses import replace

import pytest

from memory.distillation.threads import in_order
from memory.language_models.base import InvalidReply
from memory.language_models.cached import CachedModel, ReplyCache
from memory.language_models.ledger import collecting
from tests.memory.language_models.conftest import SCHEMA, asking, number
from tests.memory.scripted import ScriptedModel


@pytest.fixture
def cache(tmp_path):
    made = ReplyCache(tmp_path / "replies")
    yield made
    made.close()


def ask(model, user="How many?", schema=SCHEMA, parse=number, **more):
    return model.json(replace(asking(user), **more), "count", schema, parse)


def test_the_same_is_asked_once(cache):
    inner = ScriptedModel({"number": 3})
    model = CachedModel(inner, cache)
    assert [ask(model) for _ in range(3)] == [3, 3, 3]
    assert len(inner.requests) == 1


def test_a_later_process_asks_nothing(cache, tmp_path):
    ask(CachedModel(ScriptedModel({"number": 3}), cache))
    never = ScriptedModel(InvalidReply("asked again"))
    other = ReplyCache(tmp_path / "replies")
    assert ask(CachedModel(never, other)) == 3
    other.close()


def test_a_kept_reply_is_a_call_that_costs_nothing(cache):
    model = CachedModel(ScriptedModel({"number": 3}), cache)
    ask(model)
    with collecting() as ledger:
        ask(model)
    [call] = ledger.calls
    assert (call.outcome, call.cost, call.model) == ("cached", 0, "scripted")
    assert ledger.usage.cached == 1


@pytest.mark.parametrize(
    "other",
    [
        {"user": "How few?"},
        {"system": "Another version of the prompt."},
        {"max_tokens": 7},
        {"schema": {**SCHEMA, "required": []}},
    ],
    ids=["text", "prompt", "limit", "schema"],
)
def test_anything_else_is_asked_anew(cache, other):
    inner = ScriptedModel({"number": 3})
    model = CachedModel(inner, cache)
    ask(model)
    ask(model, **other)
    assert len(inner.requests) == 2


def test_another_model_is_asked_itself(cache):
    ask(CachedModel(ScriptedModel({"number": 3}, name="a"), cache))
    assert ask(CachedModel(ScriptedModel({"number": 4}, name="b"), cache)) == 4


def test_a_reply_that_failed_is_not_kept(cache):
    replies = [{}, {}, {}, {"number": 3}]
    inner = ScriptedModel(lambda request: replies.pop(0))
    model = CachedModel(inner, cache)
    with pytest.raises(InvalidReply):
        ask(model)
    assert ask(model) == 3


def test_a_reply_that_no_longer_fits_is_asked_for_anew_and_replaced(cache):
    inner = ScriptedModel({"number": 3, "unit": "pieces"})
    model = CachedModel(inner, cache)
    assert ask(model, parse=lambda value: value["number"]) == 3

    def stricter(value):
        if len(inner.requests) < 2:
            raise ValueError("not this one")
        return value["unit"]

    assert ask(model, parse=stricter) == "pieces"
    assert len(inner.requests) == 2


def test_texts_are_kept_too(cache):
    inner = ScriptedModel("Three, naïvely.")
    model = CachedModel(inner, cache)
    assert [model.text(asking()) for _ in range(2)] == ["Three, naïvely."] * 2
    assert len(inner.requests) == 1


def test_many_threads_may_share_it(cache):
    model = CachedModel(ScriptedModel(lambda r: {"number": int(r.user)}), cache)

    def work(n):
        try:
            return ask(model, user=str(n % 5))
        finally:
            cache.close()

    assert list(in_order(work, range(40), workers=8)) == [n % 5 for n in range(40)]


def test_the_file_is_for_its_owner_alone(cache):
    ask(CachedModel(ScriptedModel({"number": 3}), cache))
    assert stat.S_IMODE(cache.path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", [b"this is no database" * 100, b""])
def test_a_file_that_is_broken_is_done_without(tmp_path, content):
    cache = ReplyCache(tmp_path)
    cache.path.write_bytes(content)
    model = CachedModel(ScriptedModel({"number": 3}), cache)
    assert [ask(model), ask(model)] == [3, 3]
    cache.close()


def test_a_kept_reply_that_is_broken_is_asked_for_anew(cache):
    model = CachedModel(ScriptedModel({"number": 3}), cache)
    ask(model)
    with sqlite3.connect(cache.path) as connection:
        connection.execute("UPDATE replies SET reply = x'00'")
    connection.close()
    assert ask(model) == 3
