"""Requests to one Confluence: the vendor's library over a session that stays there.

A list is followed by its `next` links alone, taken whole and resolved against the base
that was given, never against one that an answer names. Its end is a page without a link.
https://developer.atlassian.com/cloud/confluence/rest/v2/intro/ (read 2026-12),
https://developer.atlassian.com/server/confluence/pagination-in-the-rest-api/ (2018-10)
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from atlassian.rest_client import AtlassianRestAPI
from requests import PreparedRequest
from requests.auth import HTTPBasicAuth

from connectors.confluence.options import ConfluenceOptions
from connectors.errors import IncompleteListing
from connectors.http import Confinement, Patience, SourceSession
from connectors.http.errors import BadRequest, NotJson
from connectors.http.reading import json_of
from connectors.http.refusals import Mends

#: Where Cloud sends downloads, and where tokens with scopes work.
MEDIA_HOSTS = ("api.media.atlassian.com", "media-cdn.atlassian.com")
GATEWAY = "https://api.atlassian.com"
#: No list is longer than this many pages; a server that never ends one is broken.
MAX_PAGES = 100_000

MENDS = Mends(
    not_signed_in="Make a new token as the account that reads, save it in the source, "
    "and look whether e-mail and token belong together.",
    forbidden="Give the account that reads view permission, and the token the scopes "
    "that the option “token” names.",
    not_found="It may be deleted or moved, or hidden from the account that reads.",
)

# The library logs whole bodies at DEBUG.
logging.getLogger("atlassian").setLevel(logging.INFO)


class Client:
    """Asks a site; `root` is what paths are put behind."""

    def __init__(
        self,
        options: ConfluenceOptions,
        *,
        gateway: str = GATEWAY,
        patience: Patience | None = None,
        also: tuple[str, ...] = (),
    ) -> None:
        """Connect to nothing yet. `gateway` and `also` are other origins, for tests."""
        self._options = options
        self._gateway = gateway
        self._also = also
        self.patience = patience or Patience()
        self.root = options.base_url
        self._library: AtlassianRestAPI | None = None
        self._session: SourceSession | None = None

    def json(self, path: str, params: Mapping[str, Any] | None = None) -> Any:
        """Return the JSON value at a path, or at a whole URL."""
        library = self._connected()
        response = library.get(
            self.absolute(path),
            params=dict(params or {}),
            absolute=True,
            advanced_mode=True,
        )
        return json_of(response)

    def object(
        self, path: str, params: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        """Return a JSON object. Raises NotJson for any other value."""
        return _object(self.json(path, params))

    def items(
        self, path: str, params: Mapping[str, Any] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield a list's items to its end.

        Raises IncompleteListing when a link repeats, a cursor is refused in between,
        or there's no end.
        """
        page = self.object(path, params)
        followed: set[str] = set()
        while True:
            yield from results_of(page)
            link = _next_link(page)
            if not link:
                return
            if link in followed or len(followed) > MAX_PAGES:
                raise repeated()
            followed.add(link)
            try:
                page = self._followed(link)
            except BadRequest as error:
                raise IncompleteListing(
                    "Confluence refused to continue a list that it began; what was "
                    "seen so far isn't all. The next run begins it anew."
                ) from error

    def _followed(self, link: str) -> dict[str, Any]:
        """Return the page at a link, taken whole: the library would cut its end off."""
        assert self._session is not None  # noqa: S101 - for the types
        return _object(self._session.fetch_json(self.absolute(link)))

    def numbered(
        self, path: str, params: Mapping[str, Any] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield a list's items where pages have a number and no link to follow.

        A link counts where there's one; else a page that is full has another after it.
        """
        start = 0
        before: list[dict[str, Any]] = []
        while True:
            page = self.object(path, {**(params or {}), "start": start})
            found = results_of(page)
            if found and found == before:
                raise repeated()
            before = found
            yield from found
            limit = int(page.get("limit") or len(found) or 1)
            if not found or (len(found) < limit and not _next_link(page)):
                return
            start += len(found)

    def download(self, path: str, *, max_bytes: int) -> bytes:
        """Return a file's bytes. Raises TooLarge beyond the limit."""
        self._connected()
        assert self._session is not None  # noqa: S101 - for the types
        return self._session.download(self.absolute(path), max_bytes=max_bytes)

    def absolute(self, path: str) -> str:
        """Return the URL of a path or link, behind this client's root."""
        if urlsplit(path).scheme:
            return path
        context = urlsplit(self.root).path
        inside = path if path.startswith("/") else f"/{path}"
        if context and (inside == context or inside.startswith(f"{context}/")):
            inside = inside[len(context) :]
        if self._options.is_cloud and inside.startswith("/rest/"):
            # v1 links are relative to the product, v2 links to the site.
            inside = f"/wiki{inside}"
        return self.root + inside

    def _connected(self) -> AtlassianRestAPI:
        """Return the library, asking for the site's id where its token needs that."""
        if self._library is None:
            if self._options.is_scoped:
                self.root = f"{self._gateway}/ex/confluence/{self._cloud_id()}"
            self._session = self._open(self.root, with_key=True)
            self._library = AtlassianRestAPI(
                self.root, session=self._session, retry_with_header=False
            )
        return self._library

    def _cloud_id(self) -> str:
        # https://support.atlassian.com/jira/kb/retrieve-my-atlassian-sites-cloud-id/
        with self._open(self._options.base_url, with_key=False) as session:
            url = f"{self._options.base_url}/_edge/tenant_info"
            found = session.fetch_json(url)
        cloud_id = found.get("cloudId") if isinstance(found, dict) else None
        if not isinstance(cloud_id, str) or not cloud_id.replace("-", "").isalnum():
            raise NotJson("The site doesn't tell its cloud id; check the base URL.")
        return cloud_id

    def _open(self, url: str, *, with_key: bool) -> SourceSession:
        hosts = MEDIA_HOSTS if self._options.is_cloud else ()
        return SourceSession(
            Confinement.of(url, vendor_hosts=hosts, also=self._also),
            service="Confluence",
            key=self._key() if with_key else None,
            mends=MENDS,
            patience=self.patience,
        )

    def _key(self) -> HTTPBasicAuth | _Bearer:
        if self._options.email:
            return HTTPBasicAuth(self._options.email, self._options.token)
        return _Bearer(self._options.token)


class _Bearer:
    """Sends a personal access token."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


def repeated() -> IncompleteListing:
    """Return the error for a list that goes in circles."""
    return IncompleteListing(
        "Confluence sent the same part of a list twice; what was seen so far isn't "
        "all. The next run tries again."
    )


def results_of(page: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the items of a list's page. Raises NotJson where there's no list."""
    results = page.get("results")
    if not isinstance(results, list):
        raise NotJson("Confluence sent a list without items.")
    return [item for item in results if isinstance(item, dict)]


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise NotJson("Confluence sent data of another shape than its pages say.")
    return value


def _next_link(page: Mapping[str, Any]) -> str:
    links = page.get("_links")
    link = links.get("next") if isinstance(links, dict) else None
    if isinstance(link, dict):
        link = link.get("href")
    return link if isinstance(link, str) else ""
