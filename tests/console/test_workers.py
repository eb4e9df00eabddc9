"""Production's processes: their settings, who syncs, what is said where they're away."""

import pytest

from connectors import syncing
from console import background, checks
from console.doctor.workers import workers
from console.settings.environment import SettingError
from console.settings.workers import redis_url

NOBODY_LISTENS = "redis://:w0rd@127.0.0.1:1/0"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "redis://redis.example",
        "redis://:p%40ss@redis.example:6380/3",
        "rediss://user:pass@redis.example/0",
    ],
)
def test_a_redis_is_taken_as_it_stands(url):
    assert redis_url(url) == url


@pytest.mark.parametrize(
    "url",
    [
        *("w0rd", "http://:w0rd@redis.example", "redis://:w0rd@redis.example:x/0"),
        *("redis://:w0rd@redis.example/name", "redis:///0w0rd", "redis://h/0?p=w0rd"),
        "redis://:pass#w0rd@redis.example/0",
    ],
)
def test_another_url_is_refused_without_repeating_it(url):
    with pytest.raises(SettingError, match="ATTEST_REDIS_URL") as caught:
        redis_url(url)
    assert "w0rd" not in str(caught.value)


@pytest.mark.parametrize(("url", "runs"), [("", 1), (NOBODY_LISTENS, 0)])
def test_serve_syncs_where_there_are_no_workers(url, runs, settings, monkeypatch):
    settings.ATTEST_REDIS_URL = url
    calls = []
    monkeypatch.setattr(background, "warm", lambda: None)
    monkeypatch.setattr(syncing, "run_due", lambda **_more: calls.append(1))
    background.BackgroundWork()(lambda: False)
    assert len(calls) == runs


@pytest.mark.parametrize(
    ("url", "engine", "ids"),
    [
        ("", "django.db.backends.sqlite3", []),
        (NOBODY_LISTENS, "django.db.backends.postgresql", []),
        (NOBODY_LISTENS, "django.db.backends.sqlite3", ["attest.W004"]),
    ],
)
def test_workers_want_postgresql(url, engine, ids, settings, monkeypatch):
    settings.ATTEST_REDIS_URL = url
    monkeypatch.setitem(settings.DATABASES["default"], "ENGINE", engine)
    assert [message.id for message in checks.workers_share_the_database()] == ids


def test_doctor_needs_no_workers_where_serve_syncs():
    [finding] = workers()
    assert finding.level == "ok"


@pytest.mark.integration
def test_doctor_says_that_redis_is_away(settings):
    settings.ATTEST_REDIS_URL = NOBODY_LISTENS
    [finding] = workers()
    assert (finding.level, finding.subject) == ("fail", "redis")
    assert "Start Redis" in finding.mend
    assert "w0rd" not in finding.message
