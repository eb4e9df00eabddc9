"""Requests to one site of Atlassian's: its library over a session that stays there.

Cloud takes an account's address with its API token; a token that has scopes works at
the vendor's gateway alone, by the site's id. Data Center takes a personal access token.
https://developer.atlassian.com/cloud/jira/platform/basic-auth-for-rest-apis/ (read 2026-12)
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, ClassVar, Protocol
from urllib.parse import urlsplit

from atlassian.rest_client import AtlassianRestAPI
from requests import PreparedRequest
from requests.auth import HTTPBasicAuth

from connectors.errors import IncompleteListing
from connectors.http import Confinement, Patience, SourceSession
from connectors.http.errors import NotJson
from connectors.http.reading import json_of
from connectors.http.refusals import Mends

#: Where Cloud sends downloads, and where tokens with scopes work.
MEDIA_HOSTS = ("api.media.atlassian.com", "media-cdn.atlassian.com")
GATEWAY = "https://api.atlassian.com"
#: No list is longer than this many pages; a server that never ends one is broken.
MAX_PAGES = 100_000

#: Files that a web page may be.
_PAGES = (".html", ".htm", ".xhtml")

Json = Mapping[str, Any]

# The library logs whole bodies at DEBUG.
logging.getLogger("atlassian").setLevel(logging.INFO)


class SiteOptions(Protocol):
    """What an administrator sets for a site of either product."""

    @property
    def is_cloud(self) -> bool:
        """Tell whether it's Cloud, else Data Center."""
        ...

    @property
    def is_scoped(self) -> bool:
        """Tell whether the token has scopes."""
        ...

    @property
    def base_url(self) -> str:
        """Return the site's address, without a slash at its end."""
        ...

    @property
    def email(self) -> str:
        """Return the account's address, "" where the token stands alone."""
        ...

    @property
    def token(self) -> str:
        """Return the secret."""
        ...


class AtlassianClient:
    """Asks a site; `root` is what paths are put behind.

    A subclass names its product, and what an administrator does about refusals.
    """

    service: ClassVar[str]
    mends: ClassVar[Mends]

    def __init__(
        self,
        options: SiteOptions,
        *,
        gateway: str = GATEWAY,
        patience: Patience | None = None,
        also: tuple[str, ...] = (),
    ) -> None:
        """Connect to nothing yet. `gateway` and `also` are other origins, for tests."""
        self.patience = patience or Patience()
        self.root = options.base_url
        self._options = options
        self._gateway = gateway
        self._also = also
        self._library: AtlassianRestAPI | None = None
        self._session: SourceSession | None = None

    def absolute(self, path: str) -> str:
        """Return the URL of a path or link, behind this client's root."""
        return path if urlsplit(path).scheme else self.root + path

    def download(self, path: str, *, name: str, max_bytes: int) -> bytes:
        """Return the bytes of a file of this name. Raises TooLarge beyond the limit."""
        return self._connected().download(
            self.absolute(path),
            max_bytes=max_bytes,
            refuse_pages=not name.lower().endswith(_PAGES),
        )

    def repeated(self) -> IncompleteListing:
        """Return the error for a list that goes in circles."""
        return IncompleteListing(
            f"{self.service} sent the same part of a list twice; what was seen so far "
            "isn't all. The next run tries again."
        )

    def object_of(self, value: Any) -> dict[str, Any]:
        """Return a JSON object. Raises NotJson for any other value."""
        if not isinstance(value, dict):
            raise NotJson(
                f"{self.service} sent data of another shape than its pages say."
            )
        return value

    def items_of(self, page: Json, key: str) -> list[dict[str, Any]]:
        """Return the items of a list's page. Raises NotJson where there's no list."""
        found = page.get(key)
        if not isinstance(found, list):
            raise NotJson(f"{self.service} sent a list without items.")
        return [item for item in found if isinstance(item, dict)]

    def _ask(self, method: str, path: str, **more: Any) -> Any:
        """Return the JSON value that the library gets for a path or a whole URL."""
        self._connected()
        assert self._library is not None  # noqa: S101 - for the types
        response = self._library.request(
            method, self.absolute(path), absolute=True, advanced_mode=True, **more
        )
        return json_of(response)

    def _connected(self) -> SourceSession:
        """Return the session, asking for the site's id where its token needs that."""
        if self._session is None:
            if self._options.is_scoped:
                product = self.service.lower()
                self.root = f"{self._gateway}/ex/{product}/{self._cloud_id()}"
            self._session = self._open(self.root, key=self._key())
            self._library = AtlassianRestAPI(
                self.root, session=self._session, retry_with_header=False
            )
        return self._session

    def _cloud_id(self) -> str:
        # https://support.atlassian.com/jira/kb/retrieve-my-atlassian-sites-cloud-id/
        with self._open(self._options.base_url) as session:
            found = session.fetch_json(f"{self._options.base_url}/_edge/tenant_info")
        cloud_id = found.get("cloudId") if isinstance(found, dict) else None
        if not isinstance(cloud_id, str) or not cloud_id.replace("-", "").isalnum():
            raise NotJson("The site doesn't tell its cloud id; check the base URL.")
        return cloud_id

    def _open(
        self, url: str, *, key: HTTPBasicAuth | _Bearer | None = None
    ) -> SourceSession:
        hosts = MEDIA_HOSTS if self._options.is_cloud else ()
        return SourceSession(
            Confinement.of(url, vendor_hosts=hosts, also=self._also),
            service=self.service,
            key=key,
            mends=self.mends,
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
