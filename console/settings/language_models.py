"""Language models and the embedding model (docs/language-models.md)."""

from __future__ import annotations

import re
from decimal import Decimal

from console.settings.environment import (
    CHECKOUT,
    SettingError,
    env_choice,
    env_float,
    env_int,
    env_path,
    env_secret,
    env_text,
)
from memory.language_models.base import Role
from memory.language_models.endpoint import OPENAI_URL, Endpoint, EndpointError


def _endpoint() -> Endpoint:
    """Return where models are. Raises SettingError, which repeats no address."""
    azure = env_text("ATTEST_OPENAI_AZURE_ENDPOINT")
    version = env_text("ATTEST_OPENAI_AZURE_API_VERSION")
    base_url = env_text("ATTEST_OPENAI_BASE_URL")
    key = env_secret("ATTEST_OPENAI_API_KEY")
    concurrency = env_int("ATTEST_OPENAI_CONCURRENCY", default=8, low=1, high=256)
    if azure and base_url:
        raise SettingError(
            "ATTEST_OPENAI_BASE_URL and ATTEST_OPENAI_AZURE_ENDPOINT are both set: "
            "keep one."
        )
    if bool(azure) != bool(version):
        raise SettingError(
            "ATTEST_OPENAI_AZURE_ENDPOINT and ATTEST_OPENAI_AZURE_API_VERSION belong "
            "together: set both. For Azure's newer API without versions set "
            "ATTEST_OPENAI_BASE_URL to https://RESOURCE.openai.azure.com/openai/v1 alone."
        )
    try:
        return Endpoint(azure or base_url or OPENAI_URL, key, version, concurrency)
    except EndpointError as error:
        name = "AZURE_ENDPOINT" if azure else "BASE_URL"
        raise SettingError(f"ATTEST_OPENAI_{name}: {error}") from error


#: Address, key and concurrency together; the key is in no repr.
ATTEST_OPENAI = _endpoint()

#: The default of all roles; "": no model, everything on this machine.
ATTEST_MODEL = env_text("ATTEST_MODEL")
#: A model per role; "": that role has none.
ATTEST_MODELS = {
    Role.EXTRACTION: env_text("ATTEST_MODEL_EXTRACTION", default=ATTEST_MODEL),
    Role.ABSTRACTION: env_text("ATTEST_MODEL_ABSTRACTION", default=ATTEST_MODEL),
    Role.QUERY: env_text("ATTEST_MODEL_QUERY", default=ATTEST_MODEL),
    Role.ANSWER: env_text("ATTEST_MODEL_ANSWER", default=ATTEST_MODEL),
    Role.ATTRIBUTION: env_text("ATTEST_MODEL_ATTRIBUTION", default=ATTEST_MODEL),
    Role.JUDGE: env_text("ATTEST_MODEL_JUDGE", default=ATTEST_MODEL),
}
ATTEST_MODEL_REASONING_EFFORT = env_choice(
    "ATTEST_MODEL_REASONING_EFFORT",
    default="",
    accepted=("", "none", "minimal", "low", "medium", "high", "xhigh", "max"),
)
ATTEST_MODEL_BUILD_TIMEOUT = env_int(
    "ATTEST_MODEL_BUILD_TIMEOUT", default=120, low=1, high=3_600
)
ATTEST_MODEL_QUESTION_TIMEOUT = env_int(
    "ATTEST_MODEL_QUESTION_TIMEOUT", default=40, low=1, high=3_600
)

#: packaged, openai:NAME or sentence-transformers:NAME_OR_FOLDER
ATTEST_EMBEDDING_MODEL = env_text("ATTEST_EMBEDDING_MODEL", default="packaged")
_EMBEDDING = re.compile(r"packaged|(?:openai|sentence-transformers):\S.*")
if not _EMBEDDING.fullmatch(ATTEST_EMBEDDING_MODEL):
    raise SettingError(
        "ATTEST_EMBEDDING_MODEL can't be read; accepted: packaged, openai:NAME or "
        "sentence-transformers:NAME."
    )
ATTEST_EMBEDDING_DIMENSIONS = env_int(
    "ATTEST_EMBEDDING_DIMENSIONS", default=1_536, low=8, high=8_192
)

#: Whether texts leave this machine to be embedded.
ATTEST_EMBEDDINGS_LEAVE = (
    ATTEST_EMBEDDING_MODEL.startswith("openai:") and not ATTEST_OPENAI.is_loopback
)

#: Without a file: the packaged prices alone.
ATTEST_PRICES_FILE = (
    env_path("ATTEST_PRICES_FILE", default=CHECKOUT)
    if env_text("ATTEST_PRICES_FILE")
    else None
)
#: Per sync run; None: no limit.
_dollars = env_float("ATTEST_BUILD_BUDGET_USD", default=None, low=0.0, high=1e6)
ATTEST_BUILD_BUDGET_USD = None if _dollars is None else Decimal(str(_dollars))
ATTEST_BUILD_BUDGET_TOKENS = env_int(
    "ATTEST_BUILD_BUDGET_TOKENS", default=0, low=0, high=10**12
)
