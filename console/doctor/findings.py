"""What a check finds, and how checks are run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import structlog

log = structlog.get_logger(__name__)


class Level(StrEnum):
    """How bad; only `fail` makes doctor fail."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of doctor: what was looked at, how it is, how to mend it."""

    level: Level
    subject: str
    message: str
    mend: str = ""


def ok(subject: str, message: str) -> Finding:
    """Return a finding that needs nothing."""
    return Finding(Level.OK, subject, message)


def warn(subject: str, message: str, mend: str) -> Finding:
    """Return a finding that should be mended some day."""
    return Finding(Level.WARN, subject, message, mend)


def fail(subject: str, message: str, mend: str) -> Finding:
    """Return a finding that keeps Attest from working."""
    return Finding(Level.FAIL, subject, message, mend)


#: A check yields its findings; its name is the subject if it breaks.
Check = Callable[[], Iterable[Finding]]


def run_checks(checks: Iterable[Check]) -> Iterator[Finding]:
    """Yield every check's findings; one that breaks is a finding too."""
    for check in checks:
        try:
            yield from check()
        except Exception as error:
            log.info("A check broke.", check=check.__name__, exc_info=True)
            yield fail(
                check.__name__.replace("_", " "),
                f"The check itself failed: {type(error).__name__}: {error}",
                "The message says what is missing or wrong; mend that first.",
            )
