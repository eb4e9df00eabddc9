"""Requests to Google: its own client library over sessions that stay there.

One `Account` is whoever is read as. The discovery documents are those that come with
the library, so nothing is asked for them.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any

from connectors.errors import IncompleteListing
from connectors.google_drive.json_parts import text
from connectors.google_drive.options import DIRECTORY_SCOPES, SCOPES, DriveOptions
from connectors.google_drive.signing_in import Key, Token
from connectors.google_drive.transport import ROOTS, ApiSession, Transport, confined
from connectors.google_drive.values import User
from connectors.http import Patience
from connectors.http.errors import NotJson

with warnings.catch_warnings():
    # The library warns of a grpcio that isn't the newest; it isn't used here.
    warnings.simplefilter("ignore", FutureWarning)
    from googleapiclient.discovery import build

#: No list is longer than this many pages; a server that never ends one is broken.
MAX_PAGES = 100_000

VERSIONS = {
    "drive": "v3",
    "docs": "v1",
    "sheets": "v4",
    "slides": "v1",
    "admin": "directory_v1",
}

#: What an API's address has before the paths of its methods.
PATHS = {"drive": "drive/v3/"}

Json = dict[str, Any]

# The library logs reasons and addresses of refusals, which are raised and told anyway.
for _name in ("googleapiclient", "google_auth_httplib2"):
    logging.getLogger(_name).setLevel(logging.ERROR)


class _NoTransport:
    """Stands where the library wants a connection before there's an account."""

    def request(self, *_: object, **__: object) -> tuple[Any, bytes]:
        raise AssertionError("Every request is given its account's transport.")

    def close(self) -> None:
        """Hold nothing."""


@cache
def _resource(path: str, root: str) -> Any:
    """Return the library's object for a part of an API, such as drive.files.

    It belongs to no account, and takes the library a while to make. The library wants
    an address for all of an API, its path included.
    """
    api, _, names = path.partition(".")
    if names:
        above, _, name = path.rpartition(".")
        return getattr(_resource(above, root), name)()
    # The stubs know each API's own type; here one function makes any of them.
    make: Any = build
    return make(
        api,
        VERSIONS[api],
        http=_NoTransport(),
        client_options={"api_endpoint": f"{root}/{PATHS.get(api, '')}"},
        static_discovery=True,
        cache_discovery=False,
    )


class Account:
    """One account, and what may be asked as it. `subject` is "" for the key's own.

    Raises AccountRefused, at the first request, for one that the key can't read as.
    """

    def __init__(
        self,
        options: DriveOptions,
        key: Key,
        patience: Patience,
        *,
        subject: str = "",
        is_directory: bool = False,
    ) -> None:
        """Ask for nothing yet."""
        self.subject = subject
        self._base_url = options.base_url
        token = Token(
            key,
            subject=subject,
            scopes=DIRECTORY_SCOPES if is_directory else SCOPES,
            patience=patience,
        )
        session = ApiSession(confined(options.base_url), patience=patience, key=token)
        self._transport = Transport(session, token.renew)
        self._files = Transport(session, token.renew, max_bytes=options.max_bytes)
        self._me: User | None = None
        self._permission_id = ""

    @property
    def name(self) -> str:
        """Name the account for people."""
        return self.subject or "the account of the key"

    def me(self) -> User:
        """Return who the account is; `id` is its permission id."""
        if self._me is None:
            asked = self.api("drive.about").get(fields="user")
            user = self.ask(asked).get("user")
            if not isinstance(user, Mapping):
                raise wrong_shape()
            email = text(user, "emailAddress").lower() or self.subject
            name = text(user, "displayName")
            self._me = User(text(user, "permissionId"), name, email)
        return self._me

    def api(self, path: str) -> Any:
        """Return a part of an API, such as drive.files, to make requests for `ask`."""
        root = self._base_url or ROOTS[path.partition(".")[0]]
        return _resource(path, root)

    def ask(self, request: Any) -> Json:
        """Return the JSON object that a request gets. Raises NotJson for another."""
        try:
            found = request.execute(http=self._transport)
        except (ValueError, RecursionError) as error:
            raise wrong_shape() from error
        if not isinstance(found, dict):
            raise wrong_shape()
        return found

    def fetch(self, request: Any) -> bytes:
        """Return the file that a request gets, of at most the option's size."""
        found = request.execute(http=self._files)
        return found if isinstance(found, bytes) else b""

    def pages(
        self, make: Callable[[str | None], Any], *, first: str | None = None
    ) -> Iterator[Json]:
        """Yield the pages of a list, which `make` asks for by their tokens.

        A short or empty page isn't the end: only a page without a token is. Raises
        IncompleteListing when a token comes again or there's no end.
        """
        token, before = first, {first}
        for _ in range(MAX_PAGES):
            page = self.ask(make(token))
            yield page
            found = page.get("nextPageToken")
            if not found:
                return
            if not isinstance(found, str) or found in before:
                break
            before.add(found)
            token = found
        raise repeated()


def items_of(page: Mapping[str, Any], key: str) -> list[Json]:
    """Return the objects of a list's page; a list without any has no such key."""
    found = page.get(key, [])
    if not isinstance(found, list):
        raise wrong_shape()
    return [item for item in found if isinstance(item, dict)]


def wrong_shape() -> NotJson:
    """Return the error for data that the vendor's pages don't know."""
    return NotJson("Google sent data of another shape than its pages say.")


def repeated() -> IncompleteListing:
    """Return the error for a list that goes in circles."""
    return IncompleteListing(
        "Google sent the same part of a list twice; what was seen so far isn't all. The "
        "next run tries again."
    )
