"""What a model takes is learnt from its refusals and kept."""

import pytest

from memory.language_models import capabilities
from memory.language_models.base import ModelRefused
from memory.language_models.capabilities import HEADROOM, Capabilities, Capability
from memory.language_models.ledger import collecting
from tests.memory.language_models.conftest import SCHEMA, asking, number
from tests.vendors.openai import Completion, faults

FIRST = Capability()


@pytest.mark.integration
def test_it_does_without_temperature_and_seed_and_remembers(server, model):
    server.refuses = {"temperature", "seed", "max_tokens"}
    with collecting() as ledger:
        assert model.text(asking()) == "ok"
    assert len(server.chats) == 4
    assert [call.outcome for call in ledger.calls] == ["retried"] * 3 + ["ok"]
    assert ledger.usage.cost is not None
    model.text(asking())
    assert len(server.chats) == 5
    last = server.chats[-1].body
    assert {"temperature", "seed", "max_tokens"} & set(last) == set()
    assert last["max_completion_tokens"] == 100


@pytest.mark.integration
def test_what_one_process_learnt_another_knows(server, make_model, tmp_path):
    server.refuses = {"temperature"}
    make_model(folder=tmp_path).text(asking())
    asked = len(server.chats)
    make_model(folder=tmp_path).text(asking())
    assert len(server.chats) == asked + 1


@pytest.mark.integration
def test_another_model_is_not_known_by_this_one(server, make_model, tmp_path):
    server.refuses = {"temperature"}
    make_model("a", folder=tmp_path).text(asking())
    make_model("b", folder=tmp_path).text(asking())
    assert "temperature" in server.chats[2].body


@pytest.mark.integration
@pytest.mark.parametrize(
    ("refused", "used"),
    [
        ({"json_schema"}, "json_object"),
        ({"json_schema", "json_object"}, "text"),
    ],
)
def test_it_falls_back_where_schemas_are_not_taken(server, model, refused, used):
    server.refuses = refused
    server.reply = lambda chat: '```json\n{"number": 3}\n```'
    for _ in range(2):
        assert model.json(asking(), "count", SCHEMA, number) == 3
    formats = [chat.format for chat in server.chats]
    assert formats[-2:] == [used, used]
    assert len(formats) == 2 + len(refused)
    # JSON mode wants the word in the prompt, and the model the schema.
    assert "JSON" in server.chats[-1].system
    assert '"number"' in server.chats[-1].system


@pytest.mark.integration
def test_it_reads_refusals_of_other_servers(server, model):
    server.fail(faults.extra_field("seed"))
    assert model.text(asking()) == "ok"
    assert "seed" not in server.chats[-1].body


@pytest.mark.integration
def test_a_prompt_that_is_too_long_teaches_nothing(server, model):
    server.fail(faults.context_too_long())
    with pytest.raises(ModelRefused):
        model.text(asking())
    model.text(asking())
    assert "max_tokens" in server.chats[-1].body


@pytest.mark.integration
def test_a_refusal_that_goes_on_ends(server, model):
    server.refuses = {"max_tokens", "max_completion_tokens"}
    server.fail(*[faults.unsupported_parameter("messages")] * 2)
    with pytest.raises(ModelRefused):
        model.text(asking())
    assert len(server.chats) == 1
    with pytest.raises(ModelRefused):
        model.text(asking())
    assert model.text(asking()) == "ok"
    assert {"max_tokens", "max_completion_tokens"} & set(server.chats[-1].body) == set()


@pytest.mark.integration
def test_a_model_that_reasons_gets_room_for_it(server, model):
    server.reply = lambda chat: Completion("Three.", reasoning_tokens=40)
    model.text(asking(max_tokens=100))
    model.text(asking(max_tokens=100))
    assert [chat.max_tokens for chat in server.chats] == [100, 100 + HEADROOM]


@pytest.mark.integration
def test_a_text_that_reasoning_ate_is_asked_for_with_more_room(server, model):
    def reply(chat):
        if chat.max_tokens < 4_000:
            return Completion("", "length", reasoning_tokens=chat.max_tokens)
        return "Three."

    server.reply = reply
    assert model.text(asking(max_tokens=100)) == "Three."
    assert [chat.max_tokens for chat in server.chats][-1] > 4_000
    assert len(server.chats) <= 3


def test_it_is_learnt_anew_after_a_month(tmp_path, monkeypatch):
    learnt = Capability(without=("seed",))
    Capabilities(tmp_path).keep("u", "m", learnt)
    again = Capabilities(tmp_path)
    assert again.of("u", "m", first=FIRST).without == ("seed",)
    now = capabilities.time.time()
    monkeypatch.setattr(capabilities.time, "time", lambda: now + 31 * 86_400)
    assert again.of("u", "m", first=FIRST) == FIRST


@pytest.mark.parametrize(
    "text", ["", "[]", '{"u m": 3}', '{"u m": {"format": "xml", "without": []}}']
)
def test_a_file_that_is_none_is_as_no_file(tmp_path, text):
    (tmp_path / capabilities.FILE).write_text(text)
    kept = Capabilities(tmp_path)
    assert kept.of("u", "m", first=FIRST) == FIRST
    kept.keep("u", "m", Capability(headroom=5))
    assert Capabilities(tmp_path).of("u", "m", first=FIRST).headroom == 5


def test_two_processes_keep_what_both_learnt(tmp_path):
    one, two = Capabilities(tmp_path), Capabilities(tmp_path)
    assert one.of("u", "a", first=FIRST) == two.of("u", "b", first=FIRST) == FIRST
    one.keep("u", "a", Capability(headroom=1))
    two.keep("u", "b", Capability(headroom=2))
    fresh = Capabilities(tmp_path)
    heads = [fresh.of("u", name, first=FIRST).headroom for name in "ab"]
    assert heads == [1, 2]


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path):
    (tmp_path / "file").write_text("")
    kept = Capabilities(tmp_path / "file")
    kept.keep("u", "m", Capability(headroom=5))
    assert kept.of("u", "m", first=FIRST).headroom == 5
