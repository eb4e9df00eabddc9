"""Settings -> models by role, and an embedding model, over one connection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from memory.embedding import Embedder
from memory.encoders.openai import OpenAIEmbedder
from memory.errors import AttestError
from memory.language_models.base import LanguageModel, Request, Role
from memory.language_models.cached import CachedModel, ReplyCache
from memory.language_models.calling import Caller
from memory.language_models.capabilities import Capabilities
from memory.language_models.connection import Connection
from memory.language_models.endpoint import Endpoint
from memory.language_models.openai_model import OpenAIModel, limits
from memory.language_models.patience import Patience
from memory.language_models.prices import Prices

#: Roles whose prompts hold documents alone, so that their replies may be kept.
CACHED = frozenset({Role.EXTRACTION, Role.ABSTRACTION})

#: Seconds that doctor waits for a word.
CHECK_LIMIT_S = 20.0


class NoModel(AttestError):
    """A role has no model; the message names the setting."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """What is configured. `models` holds a name for each role that has a model.

    `cache` is the folder of replies and of what models take; None keeps neither.
    """

    endpoint: Endpoint
    models: Mapping[Role, str] = field(default_factory=dict)
    limits_s: Mapping[Role, float] = field(default_factory=limits)
    effort: str = ""
    prices_file: Path | None = None
    cache: Path | None = None


class ConfiguredModels:
    """The configured models, made at their first use. Safe to share by threads."""

    def __init__(self, settings: ModelSettings) -> None:
        """Connect to nothing yet."""
        self.settings = settings

    @cached_property
    def connection(self) -> Connection:
        """Return the one connection of all models."""
        return Connection(self.settings.endpoint)

    @cached_property
    def prices(self) -> Prices:
        """Return what models cost. Raises PriceError."""
        return Prices.load(self.settings.prices_file)

    @cached_property
    def _capabilities(self) -> Capabilities:
        return Capabilities(self.settings.cache)

    def __call__(self, role: Role) -> LanguageModel:
        """Return a role's model. Raises NoModel."""
        settings = self.settings
        caller = self.caller(self.named(role))
        model = OpenAIModel(caller, settings.limits_s, settings.effort)
        if role in CACHED and settings.cache is not None:
            return CachedModel(model, self._replies)
        return model

    def named(self, role: Role) -> str:
        """Return the name of a role's model. Raises NoModel."""
        name = self.settings.models.get(role)
        if not name:
            raise NoModel(
                f"There's no language model for {role.value}. Set ATTEST_MODEL, or "
                f"ATTEST_MODEL_{role.value.upper()} for this alone."
            )
        return name

    @cached_property
    def _replies(self) -> ReplyCache:
        assert self.settings.cache is not None  # noqa: S101 - __call__ has looked
        return ReplyCache(self.settings.cache)

    def embedder(self, name: str, dimensions: int) -> Embedder:
        """Return the embedding model of this name."""
        return OpenAIEmbedder(self.caller(name), dimensions)

    def caller(self, name: str) -> Caller:
        """Return what calls the model of this name."""
        return Caller(self.connection, name, self.prices, self._capabilities)

    def check(self, role: Role, *, max_tokens: int) -> None:
        """Ask a role's model for a word, of at most that many tokens, once.

        Raises LanguageModelError and NoModel.
        """
        once = replace(self.caller(self.named(role)), patience=Patience(retries=0))
        limits_s = dict.fromkeys(Role, CHECK_LIMIT_S)
        model = OpenAIModel(once, limits_s, self.settings.effort)
        model.text(Request(role, "Reply with the word ok.", "Ready?", max_tokens))

    def close(self) -> None:
        """Close the connection, where there is one."""
        if "connection" in self.__dict__:
            self.connection.close()
