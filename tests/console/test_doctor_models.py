"""Doctor asks each language model for a word."""

import re

import pytest

from console.doctor.models import language_models
from memory.language_models.base import Role
from memory.language_models.endpoint import Endpoint
from tests.vendors.openai import OpenAIServer, faults


@pytest.fixture
def server(settings):
    with OpenAIServer() as running:
        running.key = "the-key"
        settings.ATTEST_OPENAI = Endpoint(running.base_url, "the-key")
        settings.ATTEST_MODELS = dict.fromkeys(Role, "gpt-5.4")
        yield running


def found():
    return [(f.level.value, f.subject, f.message) for f in language_models()]


def test_none_is_fine():
    assert found() == [
        ("ok", "language models", "none: answers are quoted, by this machine alone")
    ]


def test_openai_wants_a_key(settings):
    settings.ATTEST_MODELS = {Role.ANSWER: "gpt-5.4"}
    [(level, _, message)] = found()
    assert (level, "wants a key" in message) == ("fail", True)


@pytest.mark.integration
def test_each_model_is_asked_once(server, settings):
    settings.ATTEST_MODELS = dict.fromkeys(Role, "gpt-5.4") | {
        Role.EXTRACTION: "gpt-5.4-mini"
    }
    assert [line[:2] for line in found()] == [
        ("ok", "model gpt-5.4-mini"),
        ("ok", "model gpt-5.4"),
    ]
    assert [chat.model for chat in server.chats] == ["gpt-5.4-mini", "gpt-5.4"]


@pytest.mark.integration
def test_a_price_that_is_not_known_is_told(server, settings):
    settings.ATTEST_MODELS = dict.fromkeys(Role, "llama")
    [finding] = language_models()
    assert "price isn't known" in finding.message
    assert "ATTEST_PRICES_FILE" in finding.mend


@pytest.mark.integration
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (faults.wrong_key(), "key is refused"),
        (faults.unknown_model(), "no such model"),
        (faults.server_error(), r"it failed \(500\)"),
    ],
)
def test_what_is_wrong_is_told_at_once(server, fault, told):
    server.fail(fault)
    [(level, _, message)] = found()
    assert level == "fail"
    assert re.search(told, message)
    assert len(server.chats) == 1


@pytest.mark.integration
def test_roles_that_questions_lack_are_named(server, settings):
    settings.ATTEST_MODELS = {Role.EXTRACTION: "gpt-5.4", Role.ANSWER: "gpt-5.4"}
    last = list(language_models())[-1]
    assert "without one" in last.message
    assert last.mend.endswith("ATTEST_MODEL_QUERY, ATTEST_MODEL_ATTRIBUTION.")
