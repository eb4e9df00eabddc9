"""System checks: settings that can be read but don't fit together."""

from __future__ import annotations

import stat
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning, register

from console.settings.environment import ENVIRONMENT
from memory.language_models.base import Role

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


@register()
def unknown_settings(**_kwargs: Any) -> list[CheckMessage]:
    """W001: a variable that looks like a setting but is none, most likely a slip."""
    return [
        Warning(
            f"{name} is no setting.",
            hint=f"Did you mean {closest}?"
            if closest
            else "docs/operations.md lists all settings.",
            id="attest.W001",
        )
        for name, closest in ENVIRONMENT.unknown().items()
    ]


@register()
def debug_is_for_this_machine(**_kwargs: Any) -> list[CheckMessage]:
    """E001: with DEBUG an error page shows settings and code to whoever sees it."""
    if not settings.DEBUG or _is_local():
        return []
    return [
        Error(
            "ATTEST_DEBUG is on while ATTEST_BASE_URL is another machine's.",
            hint="Unset ATTEST_DEBUG: its error pages show code and settings.",
            id="attest.E001",
        )
    ]


@register()
def named_stages_exist(**_kwargs: Any) -> list[CheckMessage]:
    """E002: a slip in a name would leave the stage as it was without a word."""
    named = {
        "ATTEST_STAGES_OFF": settings.ATTEST_STAGES_OFF,
        "ATTEST_STAGES_ON": settings.ATTEST_STAGES_ON,
    }
    if not any(named.values()):
        return []
    from memory.systems import STAGES

    return [
        Error(
            f"{setting} names {stage}, which is no stage.",
            hint=f"Stages: {', '.join(sorted(STAGES))}.",
            id="attest.E002",
        )
        for setting, stages in named.items()
        for stage in sorted(stages - STAGES)
    ]


@register()
def extraction_has_its_model(**_kwargs: Any) -> list[CheckMessage]:
    """E004: without a model every sync would fail."""
    needed = {
        "mini": [Role.EXTRACTION],
        "full": [Role.EXTRACTION, Role.ABSTRACTION],
    }
    return [
        Error(
            f"ATTEST_EXTRACTOR is {settings.ATTEST_EXTRACTOR}, and there's no model "
            f"for {role.value}.",
            hint=f"Set ATTEST_MODEL or ATTEST_MODEL_{role.value.upper()}, or take `local`.",
            id="attest.E004",
        )
        for role in needed.get(settings.ATTEST_EXTRACTOR, [])
        if not settings.ATTEST_MODELS.get(role)
    ]


@register()
def sign_in_travels_encrypted(**_kwargs: Any) -> list[CheckMessage]:
    """W002: over plain HTTP anybody on the way can take over a session."""
    if settings.OVER_HTTPS or _is_local():
        return []
    return [
        Warning(
            "ATTEST_BASE_URL is plain http and not this machine.",
            hint="Put a proxy with TLS before Attest and set its https:// address.",
            id="attest.W002",
        )
    ]


@register()
def home_is_private(**_kwargs: Any) -> list[CheckMessage]:
    """W003: the home holds every document's text."""
    mode = stat.S_IMODE(settings.ATTEST_HOME.stat().st_mode)
    if not mode & 0o007:
        return []
    return [
        Warning(
            f"ATTEST_HOME is open to every user of this machine (mode {mode:04o}).",
            hint=f"chmod 700 {settings.ATTEST_HOME}",
            id="attest.W003",
        )
    ]


@register()
def workers_share_the_database(**_kwargs: Any) -> list[CheckMessage]:
    """W004: SQLite is a file of one machine, and one process writes at a time."""
    engine = settings.DATABASES["default"]["ENGINE"]
    if not settings.ATTEST_REDIS_URL or "sqlite" not in engine:
        return []
    return [
        Warning(
            "ATTEST_REDIS_URL is set while the database is SQLite: workers must run on "
            "this machine, and wait for each other.",
            hint="Set ATTEST_DATABASE_URL to a PostgreSQL database.",
            id="attest.W004",
        )
    ]


def _is_local() -> bool:
    return (urlsplit(settings.ATTEST_BASE_URL).hostname or "") in LOOPBACK
