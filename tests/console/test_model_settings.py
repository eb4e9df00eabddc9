"""Settings of language models: what they default to, and what fits together."""

import importlib

import pytest

from console.settings import language_models
from console.settings.environment import ENVIRONMENT, SettingError
from memory.language_models.base import Role


@pytest.fixture
def read(monkeypatch):
    """Return a function that reads the settings from these variables."""

    def reading(**values):
        monkeypatch.setattr(ENVIRONMENT, "values", values)
        return importlib.reload(language_models)

    yield reading
    monkeypatch.undo()
    importlib.reload(language_models)


def test_without_settings_there_is_no_model(read):
    found = read()
    assert set(found.ATTEST_MODELS.values()) == {""}
    assert found.ATTEST_OPENAI.is_openai
    assert found.ATTEST_BUILD_BUDGET_USD is None
    assert not found.ATTEST_EMBEDDINGS_LEAVE


def test_a_role_overrides_the_default(read):
    models = read(ATTEST_MODEL="big", ATTEST_MODEL_EXTRACTION="small").ATTEST_MODELS
    assert models[Role.EXTRACTION] == "small"
    assert {models[role] for role in models if role is not Role.EXTRACTION} == {"big"}


def test_every_role_of_a_prompt_has_a_setting(read):
    assert set(read().ATTEST_MODELS) == set(Role) - {Role.EMBEDDING}


def test_azure_has_an_endpoint_and_a_version(read):
    azure = {
        "ATTEST_OPENAI_AZURE_ENDPOINT": "https://ours.openai.azure.com",
        "ATTEST_OPENAI_AZURE_API_VERSION": "2024-10-21",
    }
    endpoint = read(**azure).ATTEST_OPENAI
    assert endpoint.azure_api_version == "2024-10-21"
    assert endpoint.host == "ours.openai.azure.com"
    for name in azure:
        with pytest.raises(SettingError, match="belong together"):
            read(**{name: azure[name]})
    with pytest.raises(SettingError, match="keep one"):
        read(**azure, ATTEST_OPENAI_BASE_URL="https://other.example.com")


@pytest.mark.parametrize(
    "url",
    ["http://169.254.169.254/v1", "https://u:secret@x.example.com/v1", "x/v1"],
)
def test_an_address_that_cannot_be_used_names_its_setting_alone(read, url):
    with pytest.raises(SettingError, match="^ATTEST_OPENAI_BASE_URL: ") as caught:
        read(ATTEST_OPENAI_BASE_URL=url)
    assert "secret" not in str(caught.value)
    assert "169.254" not in str(caught.value)


def test_the_key_is_in_no_repr(read, tmp_path):
    file = tmp_path / "key"
    file.write_text("sk-secret\n")
    endpoint = read(ATTEST_OPENAI_API_KEY_FILE=str(file)).ATTEST_OPENAI
    assert endpoint.api_key == "sk-secret"
    assert "sk-secret" not in repr(endpoint)


@pytest.mark.parametrize("value", ["minilm", "openai:", "openai: ", "other:name"])
def test_an_embedding_model_of_no_kind_is_refused(read, value):
    with pytest.raises(SettingError, match="accepted: packaged, openai:NAME"):
        read(ATTEST_EMBEDDING_MODEL=value)


@pytest.mark.parametrize(
    ("url", "leave"),
    [
        ("https://models.example.com/v1", True),
        ("http://10.0.0.7:8000/v1", True),
        ("http://127.0.0.1:11434/v1", False),
        ("http://localhost:11434/v1", False),
    ],
)
def test_texts_leave_when_they_are_embedded_on_another_machine(read, url, leave):
    found = read(ATTEST_EMBEDDING_MODEL="openai:nomic", ATTEST_OPENAI_BASE_URL=url)
    assert found.ATTEST_EMBEDDINGS_LEAVE is leave


def test_a_budget_is_exact(read):
    found = read(ATTEST_BUILD_BUDGET_USD="0.1")
    assert str(found.ATTEST_BUILD_BUDGET_USD) == "0.1"
