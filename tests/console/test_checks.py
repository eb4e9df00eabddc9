"""console.checks: settings that don't fit together."""

import pytest

from console import checks
from console.settings.environment import Environment


def ids(messages):
    return [message.id for message in messages]


def test_the_defaults_fit_together():
    for check in (
        checks.unknown_settings,
        checks.debug_is_for_this_machine,
        checks.sign_in_travels_encrypted,
        checks.named_stages_exist,
        checks.home_is_private,
    ):
        assert check() == []


def test_an_unknown_setting_is_a_warning_with_a_hint(monkeypatch):
    env = Environment({"ATTEST_DEBUGG": "1"}, known={"ATTEST_DEBUG"})
    monkeypatch.setattr(checks, "ENVIRONMENT", env)
    [message] = checks.unknown_settings()
    assert message.id == "attest.W001"
    assert "ATTEST_DEBUG?" in message.hint


@pytest.mark.parametrize(
    ("url", "found"),
    [("http://127.0.0.1:8000", []), ("https://a.example", ["attest.E001"])],
)
def test_debug_is_for_this_machine_alone(settings, url, found):
    settings.DEBUG = True
    settings.ATTEST_BASE_URL = url
    assert ids(checks.debug_is_for_this_machine()) == found


@pytest.mark.parametrize("setting", ["ATTEST_STAGES_OFF", "ATTEST_STAGES_ON"])
def test_a_stage_that_does_not_exist_is_an_error(settings, setting):
    setattr(settings, setting, frozenset({"keyword", "rerank"}))
    [message] = checks.named_stages_exist()
    assert message.id == "attest.E002"
    assert setting in message.msg
    assert "rerank," in message.msg
    assert "reranker" in message.hint


@pytest.mark.parametrize(
    ("name", "models", "missing"),
    [
        ("local", {}, []),
        ("mini", {"extraction": "m"}, []),
        ("mini", {"answer": "m"}, ["EXTRACTION"]),
        ("full", {"extraction": "m"}, ["ABSTRACTION"]),
        ("full", {}, ["EXTRACTION", "ABSTRACTION"]),
    ],
)
def test_an_extractor_without_its_model_is_an_error(settings, name, models, missing):
    settings.ATTEST_EXTRACTOR, settings.ATTEST_MODELS = name, models
    found = checks.extraction_has_its_model()
    assert ids(found) == ["attest.E004"] * len(missing)
    for role, message in zip(missing, found, strict=True):
        assert f"ATTEST_MODEL_{role}" in message.hint


@pytest.mark.parametrize(
    ("url", "https", "found"),
    [
        ("http://a.example", False, ["attest.W002"]),
        ("https://a.example", True, []),
        ("http://localhost:8000", False, []),
    ],
)
def test_plain_http_to_another_machine_is_a_warning(settings, url, https, found):
    settings.ATTEST_BASE_URL = url
    settings.OVER_HTTPS = https
    assert ids(checks.sign_in_travels_encrypted()) == found


def test_a_home_that_everybody_can_read_is_a_warning(settings, tmp_path):
    tmp_path.chmod(0o755)
    settings.ATTEST_HOME = tmp_path
    assert ids(checks.home_is_private()) == ["attest.W003"]
    tmp_path.chmod(0o750)
    assert checks.home_is_private() == []
