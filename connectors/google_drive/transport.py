"""How Google's libraries ask: through sessions that stay at Google, wait and are bounded.

google-api-python-client takes any object with httplib2's `request`, and google-auth any
requests session; so both run unchanged on `connectors.http`, and httplib2 opens no
connection of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

import httplib2
import requests
from requests import PreparedRequest, Response

from connectors.errors import ConnectorError
from connectors.google_drive import refusals
from connectors.http import Confinement, Patience, SourceSession
from connectors.http.confinement import base_of, origin_of
from connectors.http.errors import NotSignedIn
from connectors.http.session import Key

SERVICE = "Google"
#: Where media may be served from; the key doesn't go there.
MEDIA_HOSTS = ("*.googleusercontent.com",)
TOKEN_URL = "https://oauth2.googleapis.com/token"  # noqa: S105 - an address
#: The root of each API; `tests` and gateways have one for all.
ROOTS: Mapping[str, str] = {
    "drive": "https://www.googleapis.com",
    "docs": "https://docs.googleapis.com",
    "sheets": "https://sheets.googleapis.com",
    "slides": "https://slides.googleapis.com",
    "admin": "https://admin.googleapis.com",
}


@dataclass(frozen=True, slots=True)
class ApiConfinement(Confinement):
    """Confines to the APIs' origins; the key goes to each of them."""

    def gets_key(self, url: str) -> bool:
        """Tell whether the key goes along to this URL."""
        try:
            parts = urlsplit(url)
            found = origin_of(parts)
        except (ValueError, KeyError):
            return False
        return found == self.origin or found in self.also


def confined(base_url: str) -> ApiConfinement:
    """Return where requests go: Google's APIs, or the gateway before them."""
    if base_url:
        return ApiConfinement(origin_of(base_of(base_url)))
    first, *others = (origin_of(base_of(root)) for root in ROOTS.values())
    return ApiConfinement(first, MEDIA_HOSTS, frozenset(others))


class ApiSession(SourceSession):
    """A session that tells Google's 403s apart."""

    def __init__(
        self, confinement: Confinement, *, patience: Patience, key: Key | None = None
    ) -> None:
        """Connect to nothing yet."""
        super().__init__(
            confinement,
            service=SERVICE,
            key=key,
            mends=refusals.MENDS,
            patience=patience,
        )

    def status_of(self, response: Response) -> int:
        """Return 429 for a limit that comes as a 403."""
        return refusals.meaning(response)

    def refused(self, response: Response, asked: str) -> ConnectorError:
        """Return what a refusal means, by its reason."""
        told = refusals.refused(response, asked)
        return told or super().refused(response, asked)


class Transport:
    """What google-api-python-client asks through, in the place of httplib2.Http.

    With `max_bytes` every answer is a file of at most so many bytes. An answer that
    isn't below 400 is raised, as `connectors.http.errors` has it.
    """

    def __init__(
        self,
        session: SourceSession,
        renew: Callable[[], bool],
        *,
        max_bytes: int | None = None,
    ) -> None:
        """Ask through a session; `renew` gets another token where one is refused."""
        self._session = session
        self._renew = renew
        self._max_bytes = max_bytes

    def request(
        self,
        uri: str,
        method: str = "GET",
        body: str | bytes | None = None,
        headers: Mapping[str, str] | None = None,
        **_: object,
    ) -> tuple[httplib2.Response, bytes]:
        """Return an answer as httplib2 does. A token that ended early is renewed once."""
        try:
            return self._once(uri, method, body, headers)
        except NotSignedIn:
            if not self._renew():
                raise
            return self._once(uri, method, body, headers)

    def close(self) -> None:
        """Do nothing: the session outlives the library's object."""

    def _once(
        self,
        uri: str,
        method: str,
        body: str | bytes | None,
        headers: Mapping[str, str] | None,
    ) -> tuple[httplib2.Response, bytes]:
        if self._max_bytes is not None:
            data = self._session.download(uri, max_bytes=self._max_bytes)
            return httplib2.Response({"status": "200"}), data
        asked = requests.Request(method, uri, headers=dict(headers or {}), data=body)
        prepared: PreparedRequest = self._session.prepare_request(asked)
        response = self._session.send(prepared)
        told = {name.lower(): value for name, value in response.headers.items()}
        told["status"] = str(response.status_code)
        return httplib2.Response(told), response.content
