"""console.settings.logs: what never reaches a log."""

import logging

import structlog

from console.settings.logs import (
    WITHHELD,
    logging_settings,
    withhold_private_fields,
    withhold_sign_in_links,
)


def test_private_fields_lose_their_values():
    event = {
        "event": "asked",
        "question": "who earns what",
        "api_token": "t",
        "body": b"b",
        "password": "p",
        "questions": 3,
        "document_id": "7",
    }
    assert withhold_private_fields(None, "info", dict(event)) == {
        **event,
        "question": WITHHELD,
        "api_token": WITHHELD,
        "body": WITHHELD,
        "password": WITHHELD,
    }


def test_a_sign_in_link_loses_its_token_wherever_it_stands():
    event = {"event": "Not Found: /sign-in/s3cr-et_/", "path": "/sign-in/s3cr-et_/"}
    cut = withhold_sign_in_links(None, "info", event)
    assert cut == {"event": "Not Found: /sign-in/…/", "path": "/sign-in/…/"}


def test_a_line_of_the_standard_library_passes_the_same_way():
    made = logging_settings(level="info", layout="json")["formatters"]["attest"]
    formatter = made.pop("()")(**made)
    record = logging.LogRecord(
        "django.request", logging.WARNING, "", 0, "Gone: %s", ("/sign-in/abc/",), None
    )
    line = formatter.format(record)
    assert '"event": "Gone: /sign-in/…/"' in line
    assert "abc" not in line
    assert '"level": "warning"' in line


def test_both_layouts_can_be_chosen():
    for layout in ("console", "json"):
        made = logging_settings(level="error", layout=layout)
        assert made["root"]["level"] == "ERROR"
    assert structlog.is_configured()


def test_clients_that_log_whole_requests_are_kept_quiet_at_debug():
    loggers = logging_settings(level="debug", layout="console")["loggers"]
    for name in ("openai", "httpx2", "httpcore2"):
        assert loggers[name]["level"] == "WARNING"
