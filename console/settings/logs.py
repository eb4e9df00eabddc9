"""Logging: structlog over the standard library, to standard error.

No question, answer, document body, token or password is ever logged. Two processors
stand behind the callers' care: fields with such names lose their value, and a sign-in
link loses its token wherever its path appears.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from typing import Any

import structlog
from structlog.typing import Processor

WITHHELD = "(withheld)"
_PRIVATE_NAMES = re.compile(
    r"question|answer$|body|text$|content$|token$|secret|passw|authorization|cookie|key$",
    re.IGNORECASE,
)
_SIGN_IN_LINK = re.compile(r"(/sign-in/)[^/\s\"']+")


def withhold_private_fields(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Replace the values of fields whose names say that they are private."""
    for name, value in event.items():
        if _PRIVATE_NAMES.search(name) and isinstance(value, str | bytes):
            event[name] = WITHHELD
    return event


def withhold_sign_in_links(
    _logger: Any, _method: str, event: MutableMapping[str, Any]
) -> MutableMapping[str, Any]:
    """Cut the token out of every sign-in path in the event and its fields."""
    for name, value in event.items():
        if isinstance(value, str) and "/sign-in/" in value:
            event[name] = _SIGN_IN_LINK.sub(r"\1…", value)
    return event


SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    structlog.processors.format_exc_info,
    withhold_private_fields,
    withhold_sign_in_links,
]


def logging_settings(*, level: str, layout: str) -> dict[str, Any]:
    """Configure structlog; return Django's LOGGING. `layout` is console or json."""
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.PositionalArgumentsFormatter(),
            *SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )
    renderer: Processor = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if layout == "json"
        else structlog.dev.ConsoleRenderer(colors=False)
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "attest": {
                "()": structlog.stdlib.ProcessorFormatter,
                "foreign_pre_chain": SHARED,
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    renderer,
                ],
            }
        },
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "attest"}
        },
        "root": {"handlers": ["stderr"], "level": level.upper()},
        "loggers": {
            # Django's own handlers would write each line a second time.
            "django": {"handlers": [], "level": level.upper(), "propagate": True},
            "django.server": {"handlers": [], "propagate": True},
            # These log each request or each file at `info`.
            "httpx": {"level": "WARNING"},
            "httpx2": {"level": "WARNING"},
            # At `debug` these log whole requests: prompts, and headers with them.
            "openai": {"level": "WARNING"},
            "httpcore2": {"level": "WARNING"},
            "sentence_transformers": {"level": "WARNING"},
            "axes": {"level": "WARNING"},
        },
    }
