"""Language models and the embedding model (docs/language-models.md)."""

from __future__ import annotations

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
    accepted=("", "none", "minimal", "low", "medium", "high", "xhigh"),
)
ATTEST_MODEL_BUILD_TIMEOUT = env_float(
    "ATTEST_MODEL_BUILD_TIMEOUT", default=120.0, low=1.0, high=3_600.0
)
ATTEST_MODEL_QUESTION_TIMEOUT = env_float(
    "ATTEST_MODEL_QUESTION_TIMEOUT", default=40.0, low=1.0, high=3_600.0
)
ATTEST_EXTRACTOR = env_choice(
    "ATTEST_EXTRACTOR", default="auto", accepted=("auto", "local", "mini", "full")
)

ATTEST_EMBEDDING_MODEL = env_text("ATTEST_EMBEDDING_MODEL", default="packaged")
ATTEST_EMBEDDING_DIMENSIONS = env_int(
    "ATTEST_EMBEDDING_DIMENSIONS", default=1_536, low=8, high=8_192
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
