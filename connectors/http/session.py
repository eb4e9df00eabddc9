"""One session with one source: confined, patient, bounded.

It's a `requests.Session`, so the vendors' client libraries work through it; all that it
promises holds for whatever they ask.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.cookiejar import DefaultCookiePolicy
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
from requests import PreparedRequest, Response
from requests.utils import requote_uri

from connectors.errors import ConnectorError
from connectors.http.adapter import CheckedAdapter, RefusedAddress
from connectors.http.confinement import Confinement
from connectors.http.errors import (
    BrokenOff,
    HttpError,
    NotJson,
    OffOrigin,
    RateLimited,
    TooDeep,
    TooLarge,
    Unavailable,
)
from connectors.http.patience import TRANSIENT, Patience
from connectors.http.reading import (
    CutOff,
    TooSlow,
    claims_json,
    is_page,
    json_of,
    read_body,
)
from connectors.http.refusals import Mends, refusal, unavailable

#: Applies a key to a request: requests' own shape of it.
Key = Callable[[PreparedRequest], PreparedRequest]

MAX_REDIRECTS = 5
CONNECT_TIMEOUT_S = 10.0
#: Between two bytes, and for a whole body.
READ_TIMEOUT_S = 60.0
BODY_TIMEOUT_S = 300.0
MAX_JSON_BYTES = 64_000_000


@dataclass(frozen=True, slots=True)
class _Bounds:
    max_bytes: int
    is_file: bool


@dataclass(slots=True)
class _Attempts:
    """One request's tries so far."""

    count: int = 0
    waited_s: float = 0.0
    why: str = ""
    status: int | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    #: The last one began to answer.
    broke_off: bool = False
    #: Another one would take as long, and end as this one did.
    is_last: bool = False


class SourceSession(requests.Session):
    """Asks one source. Everything but a whole answer below 400 is raised.

    The errors are those of `connectors.http.errors`, all of them ConnectorErrors. The
    key goes to the source's origin alone; there are no cookies.
    """

    def __init__(
        self,
        confinement: Confinement,
        *,
        service: str,
        key: Key | None = None,
        mends: Mends | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Name the service as messages shall; connect to nothing yet."""
        super().__init__()
        self.confinement = confinement
        self.patience = patience or Patience()
        self._service = service
        self._key = key
        self._mends = mends or Mends()
        self.auth = self._with_key
        self.headers["User-Agent"] = "Attest"
        self.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self.mount("https://", CheckedAdapter())
        self.mount("http://", CheckedAdapter())

    def fetch_json(self, url: str, params: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON value at a URL. Raises NotJson for anything else."""
        response = self._fetch(url, params, _Bounds(MAX_JSON_BYTES, is_file=False))
        return json_of(response)

    def download(
        self, url: str, *, max_bytes: int, refuse_pages: bool = False
    ) -> bytes:
        """Return a file's bytes. Raises TooLarge beyond the limit.

        With `refuse_pages` a web page is no file but a sign-in or error: NotJson.
        """
        response = self._fetch(url, None, _Bounds(max_bytes, is_file=True))
        if refuse_pages and is_page(response):
            path = urlsplit(url).path
            raise NotJson(
                f"{self._service} (GET {path}): a web page came instead of the file, as "
                "from a proxy or a sign-in.",
                response.status_code,
            )
        return response.content

    def _fetch(
        self, url: str, params: Mapping[str, Any] | None, bounds: _Bounds
    ) -> Response:
        accept = "*/*" if bounds.is_file else "application/json"
        asked = requests.Request(
            "GET", url, params=dict(params or {}), headers={"Accept": accept}
        )
        return self.send(self.prepare_request(asked), bounds=bounds)

    def send(self, request: PreparedRequest, **kwargs: Any) -> Response:
        """Send a request, wait where that helps, follow redirects that stay here."""
        bounds = kwargs.pop("bounds", _Bounds(MAX_JSON_BYTES, is_file=False))
        for _ in range(MAX_REDIRECTS + 1):
            self.confinement.check(request.url or "")
            response = self._patiently(request, bounds)
            target = self._target(response, request)
            if target is None:
                return response
            request = self._redirected(request, target)
        raise OffOrigin(f"{self._asked(request)}: more than {MAX_REDIRECTS} redirects.")

    def resolve_redirects(self, *_: Any, **__: Any) -> Iterator[Any]:
        """Resolve none: requests would read a redirect's body without a limit."""
        return iter(())

    def status_of(self, response: Response) -> int:
        """Return the status that an answer means; vendors differ in what they send."""
        return response.status_code

    def refused(self, response: Response, asked: str) -> ConnectorError:
        """Return the error of an answer that waiting doesn't change."""
        return refusal(response.status_code, response.headers, asked, self._mends)

    def _with_key(self, request: PreparedRequest) -> PreparedRequest:
        if self._key is None or not self.confinement.gets_key(request.url or ""):
            return request
        return self._key(request)

    def _target(self, response: Response, request: PreparedRequest) -> str | None:
        try:
            target = self.get_redirect_target(response)
            if target is None:
                return None
            return urljoin(request.url or "", requote_uri(target))
        except (ValueError, requests.exceptions.InvalidURL) as error:
            raise OffOrigin(
                f"{self._asked(request)}: a redirect to no web address; it's not "
                "followed."
            ) from error

    def _redirected(self, request: PreparedRequest, target: str) -> PreparedRequest:
        """Return the request that a redirect asks for, with the key only at home."""
        if request.method not in ("GET", "HEAD"):
            raise OffOrigin(f"{self._asked(request)}: answered by a redirect.")
        self.confinement.check(target)
        again = request.copy()
        again.url = target
        again.headers.pop("Authorization", None)
        return self._with_key(again)

    def _patiently(self, request: PreparedRequest, bounds: _Bounds) -> Response:
        attempts = _Attempts()
        while True:
            attempts.count += 1
            response = self._once(request, bounds, attempts)
            if response is not None:
                return response
            self._wait(request, attempts)

    def _once(
        self, request: PreparedRequest, bounds: _Bounds, attempts: _Attempts
    ) -> Response | None:
        """Return a whole answer, or None where another try may bring one."""
        attempts.status, attempts.headers, attempts.broke_off = None, {}, False
        try:
            response = self._exchange(request, bounds)
        except (requests.ConnectionError, requests.Timeout, CutOff) as error:
            attempts.why = _told(error)
            attempts.broke_off = isinstance(error, CutOff)
            attempts.is_last = isinstance(error, TooSlow)
            return None
        status = self.status_of(response)
        if status in TRANSIENT:
            attempts.why = f"it answered {status}"
            attempts.status, attempts.headers = status, response.headers
            return None
        if status >= 400:
            raise self.refused(response, self._asked(request))
        if not bounds.is_file and claims_json(response) and response.content:
            return self._whole(request, response, attempts)
        return response

    def _whole(
        self, request: PreparedRequest, response: Response, attempts: _Attempts
    ) -> Response | None:
        """Return an answer whose JSON can be read, or None for half of it."""
        try:
            json_of(response)
        except NotJson:
            attempts.why, attempts.broke_off = "half an answer came", True
            return None
        except TooDeep as error:
            asked = self._asked(request)
            raise TooDeep(f"{asked}: {error}", error.status) from error
        return response

    def _exchange(self, request: PreparedRequest, bounds: _Bounds) -> Response:
        """Send once and read the body."""
        settings = self.merge_environment_settings(
            request.url, {}, stream=True, verify=self.verify, cert=self.cert
        )
        timeout = (CONNECT_TIMEOUT_S, READ_TIMEOUT_S)
        try:
            response = super().send(
                request, allow_redirects=False, timeout=timeout, **settings
            )
            read_body(response, max_bytes=bounds.max_bytes, seconds=BODY_TIMEOUT_S)
        except RefusedAddress as error:
            raise OffOrigin(
                f"{self._asked(request)}: the name leads to a link-local address; "
                "those are refused."
            ) from error
        except requests.exceptions.SSLError as error:
            raise HttpError(
                f"{self._asked(request)}: its certificate isn't trusted here. Install "
                "the company's root certificate, and name it in REQUESTS_CA_BUNDLE."
            ) from error
        except TooLarge as error:
            raise TooLarge(f"{self._asked(request)}: {error}") from error
        except (requests.exceptions.InvalidURL, requests.exceptions.InvalidSchema) as e:
            raise OffOrigin(f"{self._asked(request)}: no address to ask.") from e
        return response

    def _wait(self, request: PreparedRequest, attempts: _Attempts) -> None:
        """Wait for the next try, or raise what the last one came to."""
        patience, asked = self.patience, self._asked(request)
        pause = patience.pause_s(attempts.count, attempts.headers)
        last = attempts.is_last or attempts.count >= patience.tries
        if last or not patience.allows(pause, waited_s=attempts.waited_s):
            if attempts.status == 429:
                until = patience.until(pause)
                raise RateLimited(
                    f"{asked}: rate-limited until {until:%Y-%m-%d %H:%M:%S} UTC (429). "
                    "What was read is kept; a run after that goes on from there.",
                    until,
                )
            kind = BrokenOff if attempts.broke_off else Unavailable
            raise unavailable(asked, attempts.why, attempts.status, kind)
        attempts.waited_s += pause
        limited = attempts.status == 429
        why = (
            f"{self._service} limits how often it's asked."
            if limited
            else (f"{asked}: {attempts.why}.")
        )
        patience.wait(pause, why)

    def _asked(self, request: PreparedRequest) -> str:
        """Name a request for people: service, method and path, never its query."""
        path = urlsplit(request.url or "").path
        return f"{self._service} ({request.method} {path})"


def _told(error: Exception) -> str:
    """Say what happened on the wire, without addresses or bodies."""
    if isinstance(error, requests.exceptions.ProxyError):
        return "the proxy doesn't let it through"
    if isinstance(error, requests.exceptions.ConnectTimeout):
        return f"no connection within {CONNECT_TIMEOUT_S:.0f} s"
    if isinstance(error, requests.Timeout):
        return f"no answer within {READ_TIMEOUT_S:.0f} s"
    if isinstance(error, TooSlow):
        return f"the answer took longer than {BODY_TIMEOUT_S:.0f} s"
    if isinstance(error, CutOff):
        return "the answer broke off"
    return "the connection failed or was reset"
