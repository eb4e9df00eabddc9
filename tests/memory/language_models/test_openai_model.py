"""The model through the vendor's client: replies, structured ones, usage, secrets."""

import json
import traceback

import pytest
from structlog.testing import capture_logs

from memory.distillation.mini import MiniExtractor
from memory.language_models.base import InvalidReply, ModelRefused, Role
from memory.language_models.cached import CachedModel, ReplyCache
from memory.language_models.endpoint import Endpoint, EndpointError
from memory.language_models.ledger import BudgetReached, Limit, collecting
from tests.memory.language_models.behaviour import ModelBehaviour
from tests.memory.language_models.conftest import KEY, SCHEMA, asking, number
from tests.vendors.openai import Completion, OpenAIServer, faults

pytestmark = pytest.mark.integration


def ask_number(model, **request):
    return model.json(asking(**request), "count", SCHEMA, number)


class TestOnLoopback(ModelBehaviour):
    """The same behaviour as `make test-live` asks of a real endpoint."""

    @pytest.fixture
    def behaving(self, server, model):
        def reply(chat):
            return {"number": 12} if chat.schema else "Lighthouse"

        server.reply = reply
        return model


def test_it_asks_as_the_paper_does(server, model):
    model.text(asking(max_tokens=800))
    [chat] = server.chats
    assert (chat.model, chat.system, chat.user) == (
        "gpt-5.4",
        "Answer in one word.",
        "How many?",
    )
    assert chat.body["temperature"] == 0
    assert chat.body["seed"] == 42
    assert chat.max_tokens == 800
    assert chat.format == "text"


def test_it_asks_for_a_strict_schema(server, model):
    server.reply = lambda chat: {"number": 3}
    assert ask_number(model) == 3
    [chat] = server.chats
    assert chat.body["response_format"]["json_schema"] == {
        "name": "count",
        "schema": SCHEMA,
        "strict": True,
    }


def test_it_strips_a_text_and_leaves_reasoning_out(server, model):
    server.reply = lambda chat: "<think>Let me see.\n</think>\n\n Three. \n"
    assert model.text(asking()) == "Three."


def test_an_empty_text_is_no_reply(server, model):
    server.reply = lambda chat: "  \n"
    with pytest.raises(InvalidReply, match="empty"):
        model.text(asking())
    assert len(server.chats) == 1


def test_a_text_that_is_cut_short_counts(server, model):
    server.fail(faults.truncated("Half of an"))
    assert model.text(asking()) == "Half of an"


@pytest.mark.parametrize(
    "bad",
    [
        faults.says(""),
        faults.says("No idea."),
        faults.says({"count": 3}),
        faults.says('{"number": NaN}'),
        faults.truncated('{"number": 3}'),
        faults.no_choices(),
        faults.says("[" * 100_000),
    ],
    ids=["empty", "words", "schema", "nan", "cut", "none", "deep"],
)
def test_an_unusable_reply_is_asked_for_again(server, model, bad):
    server.reply = lambda chat: {"number": 3}
    server.fail(bad, times=2)
    with collecting() as ledger:
        assert ask_number(model) == 3
    assert len(server.chats) == 3
    assert [call.outcome for call in ledger.calls] == ["retried", "retried", "ok"]


@pytest.mark.parametrize(
    "choices",
    [
        None,
        "none",
        [None],
        [{"index": 0}],
        [{"message": None}],
        [{"message": {"content": ["parts"]}}],
    ],
)
def test_a_reply_of_another_shape_is_unusable_and_recorded(server, model, choices):
    server.fail(faults.Fault(body={"id": "x", "choices": choices}), times=3)
    with collecting() as ledger, pytest.raises(InvalidReply):
        ask_number(model)
    assert [call.outcome for call in ledger.calls] == ["retried", "retried", "failed"]


def test_json_that_nests_deep_is_unusable(server, model):
    server.reply = lambda chat: "[" * 900 + "]" * 900
    with pytest.raises(InvalidReply):
        ask_number(model)


def test_three_unusable_replies_are_enough(server, model):
    server.reply = lambda chat: {"number": "a secret of the document"}
    with collecting() as ledger, pytest.raises(InvalidReply) as caught:
        ask_number(model)
    assert len(server.chats) == 3
    assert "secret" not in str(caught.value)
    assert [call.outcome for call in ledger.calls] == ["retried", "retried", "failed"]


def test_a_cut_reply_gets_more_tokens(server, model):
    server.reply = lambda chat: {"number": 3}
    server.fail(faults.truncated('{"num'))
    ask_number(model, max_tokens=100)
    assert [chat.max_tokens for chat in server.chats] == [100, 200]


def test_a_further_attempt_spells_the_schema_out(server, model):
    server.reply = lambda chat: {"number": 3}
    server.fail(faults.says("Three."))
    ask_number(model)
    first, second = server.chats
    assert json.dumps(SCHEMA, sort_keys=True) in second.system
    assert "schema" not in first.system


@pytest.mark.parametrize(
    "content",
    [
        '```json\n{"number": 3}\n```',
        'Here it is:\n\n{"number": 3}\n\nAnything else?',
        '<think>{"number": 9}</think>{"number": 3}',
        '{"number": 3}\n{"number": 4}',
    ],
)
def test_it_reads_json_however_it_is_wrapped(server, model, content):
    server.reply = lambda chat: content
    assert ask_number(model) == 3


def test_texts_in_json_hold_nothing_that_a_database_refuses(server, model):
    server.reply = lambda chat: r'{"key": "a\u0000b\ud800"}'
    value = model.json(asking(), "x", SCHEMA, lambda value: value)
    assert value == {"key": "ab?"}


def test_an_error_of_the_parser_itself_is_not_hidden(server, model):
    server.reply = lambda chat: {"number": 3}

    def broken(value):
        raise KeyError("oops")

    with collecting() as ledger, pytest.raises(KeyError):
        model.json(asking(), "x", SCHEMA, broken)
    assert [call.outcome for call in ledger.calls] == ["failed"]


@pytest.mark.parametrize("fault", [faults.refused(), faults.filtered()])
def test_a_refusal_ends_it_and_is_paid_for(server, model, fault):
    server.fail(fault)
    with collecting() as ledger, pytest.raises(ModelRefused, match="declined"):
        ask_number(model)
    [call] = ledger.calls
    assert (call.outcome, call.prompt_tokens > 0) == ("failed", True)


def test_usage_and_cost_are_recorded(server, model):
    server.reply = lambda chat: Completion(
        "Three.", prompt_tokens=1000, completion_tokens=100, cached_tokens=400
    )
    with collecting() as ledger:
        model.text(asking(role=Role.QUERY))
    [call] = ledger.calls
    assert (call.role, call.prompt_tokens, call.completion_tokens) == (
        Role.QUERY,
        1000,
        100,
    )
    # 600 * 2.50 + 400 * 0.25 + 100 * 15.00 dollars per million
    assert str(call.cost.normalize()) == "0.0031"
    assert call.milliseconds > 0


def test_an_unknown_price_is_unknown(server, make_model):
    with collecting() as ledger:
        make_model("llama-of-ours").text(asking())
    assert ledger.usage.cost is None
    assert ledger.usage.tokens > 0


def test_unreported_usage_is_unknown(server, model):
    server.reports_usage = False
    with collecting() as ledger:
        model.text(asking())
    assert ledger.calls[0].prompt_tokens is None
    assert ledger.usage.lower_bound
    assert ledger.usage.cost is None


@pytest.mark.parametrize("count", [-1, "many", 3.5, None, 10**12])
def test_usage_that_makes_no_sense_is_unknown(server, model, count):
    usage = {"prompt_tokens": count, "completion_tokens": 5, "total_tokens": 5}
    message = {"role": "assistant", "content": "ok"}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    server.fail(faults.Fault(body={"id": "x", "choices": [choice], "usage": usage}))
    with collecting() as ledger:
        assert model.text(asking()) == "ok"
    assert (ledger.calls[0].prompt_tokens, ledger.usage.cost) == (None, None)


def test_a_budget_stops_calls_before_they_begin(server, model):
    with collecting(Limit(tokens=1)):
        model.text(asking())
        with pytest.raises(BudgetReached):
            model.text(asking())
    assert len(server.chats) == 1


def test_a_model_without_a_price_is_not_asked_under_a_budget_in_dollars(
    server, make_model
):
    with (
        collecting(Limit(dollars=1)),
        pytest.raises(BudgetReached, match="price of llama"),
    ):
        make_model("llama").text(asking())
    assert server.chats == []


def test_azure_is_asked_by_deployment_and_version(server, make_model):
    model = make_model(
        "our-deployment", base_url=server.url, azure_api_version="2024-10-21"
    )
    assert model.text(asking()) == "ok"
    [chat] = server.chats
    assert chat.path == (
        "/openai/deployments/our-deployment/chat/completions?api-version=2024-10-21"
    )
    assert chat.headers["api-key"] == KEY


def test_nothing_of_the_vendors_is_sent_along(server, make_model, monkeypatch):
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-another-program")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "proj-of-another-program")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/elsewhere")
    make_model().text(asking())
    assert not [name for name in server.chats[0].headers if "project" in name]
    assert "openai-organization" not in server.chats[0].headers


def test_it_needs_no_key_where_the_server_wants_none(server, make_model):
    server.key = None
    assert make_model(api_key="").text(asking()) == "ok"


def test_an_effort_is_asked_for_where_one_is_set(server, make_model):
    make_model(effort="low").text(asking())
    make_model().text(asking())
    efforts = [chat.body.get("reasoning_effort") for chat in server.chats]
    assert efforts == ["low", None]
    assert {chat.model for chat in server.chats} == {"gpt-5.4"}


def test_with_another_effort_replies_and_memories_are_others(
    server, make_model, tmp_path
):
    server.reply = lambda chat: {"number": len(server.chats)}
    cache = ReplyCache(tmp_path)
    low, high = (make_model(effort=effort) for effort in ("low", "high"))
    found = [ask_number(CachedModel(one, cache)) for one in (low, high, low)]
    cache.close()
    assert found == [1, 2, 1]
    assert MiniExtractor(low).version != MiniExtractor(high).version


@pytest.mark.parametrize(
    "fault",
    [faults.wrong_key(), faults.server_error(), faults.filtered_prompt()],
)
def test_no_message_traceback_or_log_holds_a_secret(server, model, fault):
    server.fail(fault, times=3)
    # In pieces, as a traceback quotes this file too.
    prompt = " ".join(["the", "document's", "text"])
    with capture_logs() as logs, pytest.raises(Exception, match="gpt-5") as caught:
        model.text(asking(user=prompt))
    told = "".join(traceback.format_exception(caught.value)) + repr(logs)
    told += repr(model) + repr(model.caller)
    for secret in (KEY, faults.MARK, prompt):
        assert secret not in told


@pytest.mark.parametrize(
    "url",
    [
        "http://169.254.169.254/v1",
        "http://[fe80::1]/v1",
        "http://100.100.100.200/v1",
        "ftp://models.example.com",
        "https://user:password@models.example.com/v1",
        "models.example.com",
    ],
)
def test_an_address_that_cannot_be_used_is_refused_and_not_repeated(url):
    with pytest.raises(EndpointError) as caught:
        Endpoint(url)
    assert "password@" not in str(caught.value)
    assert "169.254" not in str(caught.value)


def test_a_name_that_leads_to_a_refused_address_is_not_talked_to(
    server, model, monkeypatch
):
    monkeypatch.setattr(
        "memory.language_models.transport.is_refused", lambda address: True
    )
    with pytest.raises(ModelRefused, match="link-local"):
        model.text(asking())
    assert server.chats == []


def test_a_redirect_is_not_followed(server, model):
    with OpenAIServer() as other:
        server.fail(faults.redirect(f"{other.base_url}/chat/completions"))
        with pytest.raises(ModelRefused, match="redirect"):
            model.text(asking())
        assert other.chats == []


def test_what_is_no_api_is_refused(server, model):
    server.fail(faults.web_page())
    with pytest.raises(ModelRefused, match="OpenAI-compatible"):
        model.text(asking())
