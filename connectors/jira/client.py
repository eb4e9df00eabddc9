"""Requests to one Jira: the vendor's library over a session that stays there."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from atlassian.rest_client import AtlassianRestAPI
from requests import PreparedRequest
from requests.auth import HTTPBasicAuth

from connectors.errors import IncompleteListing
from connectors.http import Confinement, Patience, SourceSession
from connectors.http.errors import HttpError, NotJson
from connectors.http.reading import json_of
from connectors.http.refusals import Mends
from connectors.jira.options import JiraOptions

#: Where Cloud sends downloads, and where tokens with scopes work.
MEDIA_HOSTS = ("api.media.atlassian.com", "media-cdn.atlassian.com")
GATEWAY = "https://api.atlassian.com"
#: No list is longer than this many pages; a server that never ends one is broken.
MAX_PAGES = 100_000
PAGE = 50

MENDS = Mends(
    not_signed_in="Make a new token as the account that reads, save it in the source, "
    "and look whether e-mail and token belong together.",
    forbidden="Give the account that reads the permissions that the option “email” "
    "names, and the token the scopes that the option “token” names.",
    not_found="It may be deleted or moved, or hidden from the account that reads.",
)

# The library logs whole bodies at DEBUG.
logging.getLogger("atlassian").setLevel(logging.INFO)

Json = Mapping[str, Any]


class TooDeep(HttpError):
    """An answer nests deeper than Python reads JSON; its `status` is None."""


class Client:
    """Asks a site; `api` is the path that its REST resources lie under."""

    def __init__(
        self,
        options: JiraOptions,
        *,
        gateway: str = GATEWAY,
        patience: Patience | None = None,
        also: tuple[str, ...] = (),
    ) -> None:
        """Connect to nothing yet. `gateway` and `also` are other origins, for tests."""
        self.options = options
        self.patience = patience or Patience()
        self.api = "/rest/api/3" if options.is_cloud else "/rest/api/2"
        self.root = options.base_url
        self._gateway = gateway
        self._also = also
        self._library: AtlassianRestAPI | None = None
        self._session: SourceSession | None = None

    def json(self, path: str, params: Json | None = None) -> Any:
        """Return the JSON value of a resource below `api`."""
        return self._asked("GET", path, params=dict(params or {}))

    def object(self, path: str, params: Json | None = None) -> dict[str, Any]:
        """Return a JSON object. Raises NotJson for any other value."""
        return _object(self.json(path, params))

    def post(self, path: str, body: Json) -> dict[str, Any]:
        """Ask by a body, for questions that are too long for an address."""
        return _object(self._asked("POST", path, json=dict(body)))

    def _asked(self, method: str, path: str, **more: Any) -> Any:
        library = self._connected()
        url = f"{self.root}{self.api}{path}"
        try:
            response = library.request(
                method, url, absolute=True, advanced_mode=True, **more
            )
            return json_of(response)
        except RecursionError as error:
            raise TooDeep(
                f"Jira ({method} {self.api}{path}): the answer nests deeper than can be "
                "read, as a text can that no editor wrote."
            ) from error

    def pages(self, path: str, params: Json | None = None) -> Iterator[dict[str, Any]]:
        """Yield the items of a list with `values`, `startAt` and `isLast`, to its end.

        Raises IncompleteListing when the same page comes again or there's no end.
        """
        yield from self.counted(path, params, key="values")

    def counted(
        self, path: str, params: Json | None = None, *, key: str
    ) -> Iterator[dict[str, Any]]:
        """Yield a list's items, paged by `startAt`; a short page isn't its end.

        The end is where the answer says so (`isLast`, `total`), else a page without
        items.
        """
        start = 0
        before: list[dict[str, Any]] = []
        for _ in range(MAX_PAGES):
            asked = {"maxResults": PAGE, **(params or {}), "startAt": start}
            page = self.object(path, asked)
            found = items_of(page, key)
            if found and found == before:
                break
            before = found
            yield from found
            start += len(found)
            total = page.get("total")
            by_count = isinstance(total, int) and start >= total
            if page.get("isLast") is True or by_count or not found:
                if not found and isinstance(total, int) and start < total:
                    raise IncompleteListing(
                        f"Jira says that a list has {total} items and gave {start}. "
                        "The next run tries again."
                    )
                return
        raise repeated()

    def download(self, url: str, *, max_bytes: int) -> bytes:
        """Return a file's bytes. Raises TooLarge beyond the limit."""
        self._connected()
        assert self._session is not None  # noqa: S101 - for the types
        return self._session.download(url, max_bytes=max_bytes)

    def _connected(self) -> AtlassianRestAPI:
        """Return the library, asking for the site's id where its token needs that."""
        if self._library is None:
            if self.options.is_scoped:
                self.root = f"{self._gateway}/ex/jira/{self._cloud_id()}"
            self._session = self._open(self.root, with_key=True)
            self._library = AtlassianRestAPI(
                self.root, session=self._session, retry_with_header=False
            )
        return self._library

    def _cloud_id(self) -> str:
        # https://support.atlassian.com/jira/kb/retrieve-my-atlassian-sites-cloud-id/
        with self._open(self.options.base_url, with_key=False) as session:
            url = f"{self.options.base_url}/_edge/tenant_info"
            found = session.fetch_json(url)
        cloud_id = found.get("cloudId") if isinstance(found, dict) else None
        if not isinstance(cloud_id, str) or not cloud_id.replace("-", "").isalnum():
            raise NotJson("The site doesn't tell its cloud id; check the base URL.")
        return cloud_id

    def _open(self, url: str, *, with_key: bool) -> SourceSession:
        hosts = MEDIA_HOSTS if self.options.is_cloud else ()
        return SourceSession(
            Confinement.of(url, vendor_hosts=hosts, also=self._also),
            service="Jira",
            key=self._key() if with_key else None,
            mends=MENDS,
            patience=self.patience,
        )

    def _key(self) -> HTTPBasicAuth | _Bearer:
        if self.options.email:
            return HTTPBasicAuth(self.options.email, self.options.token)
        return _Bearer(self.options.token)


class _Bearer:
    """Sends a personal access token."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def items_of(page: Json, key: str) -> list[dict[str, Any]]:
    """Return the items of a list's page. Raises NotJson where there's no list."""
    found = page.get(key)
    if not isinstance(found, list):
        raise NotJson("Jira sent a list without items.")
    return [item for item in found if isinstance(item, dict)]


def repeated() -> IncompleteListing:
    """Return the error for a list that goes in circles."""
    return IncompleteListing(
        "Jira sent the same part of a list twice; what was seen so far isn't all. The "
        "next run tries again."
    )


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotJson("Jira sent data of another shape than its pages say.")
    return value
