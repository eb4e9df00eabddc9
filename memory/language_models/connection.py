"""The vendor's client of one endpoint, confined and bounded."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

import httpx2
import openai

from memory import deadline
from memory.language_models.base import ModelUnavailable
from memory.language_models.endpoint import Endpoint
from memory.language_models.transport import CheckedTransport

CONNECT_TIMEOUT_S = 10.0
#: How long a call waits for its turn where no deadline says less.
_LONGEST_WAIT_S = 3_600.0
#: Sent where no key is configured: local servers take any, and the client wants one.
_NO_KEY = "none"


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
