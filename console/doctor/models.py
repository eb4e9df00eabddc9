"""Language models: is each one there, does it answer, is its price known."""

from __future__ import annotations

from collections.abc import Iterator

from django.conf import settings

from console.doctor.findings import Finding, fail, ok, warn
from memory.errors import AttestError
from memory.language_models.base import QUESTION_ROLES, Role

#: Enough for "ok", and for a model that reasons a little before it.
_TOKENS = 64


def language_models() -> Iterator[Finding]:
    """Ask each configured model for one word."""
    roles: dict[str, list[Role]] = {}
    for role, name in settings.ATTEST_MODELS.items():
        if name:
            roles.setdefault(name, []).append(role)
    if not roles:
        yield ok("language models", "none: answers are quoted, by this machine alone")
        return
    if settings.ATTEST_OPENAI.is_openai and not settings.ATTEST_OPENAI.api_key:
        yield fail(
            "language models",
            "OpenAI wants a key, and there's none.",
            "Set ATTEST_OPENAI_API_KEY or ATTEST_OPENAI_API_KEY_FILE.",
        )
        return
    for name, used_for in roles.items():
        yield from _asked(name, used_for)
    yield from _questions()


def _asked(name: str, roles: list[Role]) -> Iterator[Finding]:
    """Ask one model, as its first role does."""
    from memory.language_models.configured import ConfiguredModels, ModelSettings

    subject = f"model {name}"
    # No cache: it's about now. Its own connection, as nothing is kept of it.
    models = ConfiguredModels(
        ModelSettings(
            settings.ATTEST_OPENAI,
            settings.ATTEST_MODELS,
            effort=settings.ATTEST_MODEL_REASONING_EFFORT,
            prices_file=settings.ATTEST_PRICES_FILE,
        )
    )
    try:
        is_priced = models.prices.of(name) is not None
        models.check(roles[0], max_tokens=_TOKENS)
    except AttestError as error:
        yield fail(subject, str(error), "docs/language-models.md lists the settings.")
        return
    finally:
        models.close()
    told = f"it answers; used for {', '.join(roles)}"
    if is_priced:
        yield ok(subject, told)
        return
    yield warn(
        subject,
        f"{told}; its price isn't known",
        "Give it in the file that ATTEST_PRICES_FILE names; until then costs are "
        "shown as unknown.",
    )


def _questions() -> Iterator[Finding]:
    missing = [
        f"ATTEST_MODEL_{role.upper()}"
        for role in Role
        if role in QUESTION_ROLES and not settings.ATTEST_MODELS.get(role)
    ]
    if missing:
        yield warn(
            "language models",
            "questions are answered without one",
            f"Set ATTEST_MODEL, or {', '.join(missing)}.",
        )
