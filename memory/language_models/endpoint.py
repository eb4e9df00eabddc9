"""An endpoint that speaks OpenAI's API: OpenAI, Azure OpenAI, or a compatible one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import SplitResult, urlsplit

import httpx2
import openai

from memory import deadline
from memory.addresses import is_refused
from memory.errors import AttestError
from memory.language_models.base import ModelUnavailable
from memory.language_models.transport import CheckedTransport

OPENAI_URL = "https://api.openai.com/v1"
CONNECT_TIMEOUT_S = 10.0
#: How long a call waits for its turn where no deadline says less.
_LONGEST_WAIT_S = 3_600.0
#: Sent where no key is configured: local servers take any, and the client wants one.
_NO_KEY = "none"


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


class Connection:
    """An endpoint's client: one for all models and threads of a process.

    Redirects aren't followed and the client never retries by itself.
    """

    def __init__(self, endpoint: Endpoint) -> None:
        """Connect to nothing yet."""
        self.endpoint = endpoint
        self._slots = threading.BoundedSemaphore(endpoint.concurrency)

    @cached_property
    def client(self) -> openai.OpenAI:
        """Return the vendor's client."""
        endpoint = self.endpoint
        common: dict[str, Any] = {
            "api_key": endpoint.api_key or _NO_KEY,
            # Anything but None: the client would look into the environment.
            "admin_api_key": "",
            "webhook_secret": "",
            "max_retries": 0,
            "http_client": httpx2.Client(
                transport=CheckedTransport(
                    endpoint.base_url, connections=endpoint.concurrency
                ),
                follow_redirects=False,
                trust_env=False,
            ),
        }
        if endpoint.azure_api_version:
            made: openai.OpenAI = openai.AzureOpenAI(
                azure_endpoint=endpoint.base_url,
                api_version=endpoint.azure_api_version,
                **common,
            )
        else:
            made = openai.OpenAI(base_url=endpoint.base_url, **common)
        # Read from the environment of another program: not ours to send.
        made.organization = made.project = None
        return made

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Wait for one of the endpoint's slots and hold it.

        Raises DeadlineExceeded or ModelUnavailable when none gets free in time.
        """
        if not self._slots.acquire(timeout=deadline.remaining(_LONGEST_WAIT_S)):
            deadline.check("the language model had a slot free")
            raise ModelUnavailable(
                f"All {self.endpoint.concurrency} connections to {self.endpoint.host} "
                "are busy. Raise ATTEST_OPENAI_CONCURRENCY if the endpoint allows more."
            )
        try:
            yield
        finally:
            self._slots.release()

    def close(self) -> None:
        """Close what's open."""
        if "client" in self.__dict__:
            self.client.close()

    def __repr__(self) -> str:
        """Name the host; the client inside knows the key."""
        return f"Connection({self.endpoint.host})"


def timeout(seconds: float) -> httpx2.Timeout:
    """Return the client's limits for one call of at most `seconds`."""
    return httpx2.Timeout(seconds, connect=min(seconds, CONNECT_TIMEOUT_S))
