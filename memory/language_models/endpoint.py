"""An endpoint that speaks OpenAI's API: OpenAI, Azure OpenAI, or a compatible one.

Its address alone: settings are checked without loading a client.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import SplitResult, urlsplit

from memory.addresses import is_loopback, is_refused
from memory.errors import AttestError

OPENAI_URL = "https://api.openai.com/v1"


class EndpointError(AttestError):
    """An endpoint's address or version can't be used. The address isn't repeated."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where models are. With `azure_api_version`, `base_url` is an Azure resource.

    The key is in no repr. `concurrency` bounds the calls of this process.
    """

    base_url: str = OPENAI_URL
    api_key: str = field(default="", repr=False)
    azure_api_version: str = ""
    concurrency: int = 8

    def __post_init__(self) -> None:
        """Raise EndpointError for an address that can't be used."""
        _checked(self.base_url)

    @property
    def host(self) -> str:
        """Return host and port, as messages name the endpoint."""
        parts = urlsplit(self.base_url)
        host = parts.hostname or ""
        return f"{host}:{parts.port}" if parts.port else host

    @property
    def is_openai(self) -> bool:
        """Tell whether it's OpenAI's own."""
        return urlsplit(self.base_url).hostname == "api.openai.com"

    @property
    def is_loopback(self) -> bool:
        """Tell whether it's on this machine."""
        host = urlsplit(self.base_url).hostname or ""
        return host == "localhost" or is_loopback(host)


def _checked(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        good = parts.scheme in {"http", "https"} and bool(parts.hostname)
        good = good and parts.port != 0
    except ValueError:
        good = False
    if not good or any(ord(letter) <= 32 for letter in url):
        raise EndpointError(
            "The address of the language models is no web address; "
            "one looks like https://api.openai.com/v1."
        )
    if parts.username or parts.password or parts.query or parts.fragment:
        raise EndpointError(
            "The address of the language models holds a user, password, “?” or “#”; "
            "take them out of it. The key has a setting of its own."
        )
    if is_refused(parts.hostname or ""):
        raise EndpointError(
            "The address of the language models is link-local; those are refused."
        )
    return parts
