"""Which store holds chunks and memories: a folder, or a Weaviate server."""

from __future__ import annotations

import re

from console.settings.environment import (
    SettingError,
    env_choice,
    env_int,
    env_secret,
    env_text,
    env_url,
)

_PREFIX = re.compile(r"[A-Z][A-Za-z0-9]{0,39}")


def _origin(name: str) -> str:
    """Return an origin, or "" where the setting is unset."""
    return env_url(name, default="") if env_text(name) else ""


def _prefix(name: str) -> str:
    found = env_text(name)
    if found and not _PREFIX.fullmatch(found):
        raise SettingError(
            f"{name}: accepted: a capital letter, then letters and digits, 40 at most."
        )
    return found


#: "": the embedded store in the home.
ATTEST_WEAVIATE_URL = _origin("ATTEST_WEAVIATE_URL")
ATTEST_WEAVIATE_GRPC_URL = _origin("ATTEST_WEAVIATE_GRPC_URL")
ATTEST_WEAVIATE_API_KEY = env_secret("ATTEST_WEAVIATE_API_KEY")
ATTEST_WEAVIATE_PREFIX = _prefix("ATTEST_WEAVIATE_PREFIX")
ATTEST_WEAVIATE_REPLICAS = env_int("ATTEST_WEAVIATE_REPLICAS", default=1, low=1, high=9)
ATTEST_WEAVIATE_TOKENIZATION = env_choice(
    "ATTEST_WEAVIATE_TOKENIZATION",
    default="word",
    accepted=("word", "trigram", "gse", "kagome_kr"),
)
