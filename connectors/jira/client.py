"""Requests to one Jira, and its lists to their end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from connectors.atlassian.client import (
    GATEWAY,
    MAX_PAGES,
    AtlassianClient,
    Json,
)
from connectors.errors import IncompleteListing
from connectors.http import Patience
from connectors.http.refusals import Mends
from connectors.jira.options import JiraOptions

PAGE = 50


class Client(AtlassianClient):
    """Asks a site; `api` is the path that its REST resources lie under."""

    service = "Jira"
    mends = Mends(
        not_signed_in="Make a new token as the account that reads, save it in the "
        "source, and look whether e-mail and token belong together.",
        forbidden="Give the account that reads the permissions that the option “email” "
        "names, and the token the scopes that the option “token” names.",
        not_found="It may be deleted or moved, or hidden from the account that reads.",
    )

    def __init__(
        self,
        options: JiraOptions,
        *,
        gateway: str = GATEWAY,
        patience: Patience | None = None,
        also: tuple[str, ...] = (),
    ) -> None:
        """Connect to nothing yet. `gateway` and `also` are other origins, for tests."""
        super().__init__(options, gateway=gateway, patience=patience, also=also)
        self.options = options
        self.api = "/rest/api/3" if options.is_cloud else "/rest/api/2"

    def json(self, path: str, params: Json | None = None) -> Any:
        """Return the JSON value of a resource below `api`."""
        return self._ask("GET", self.api + path, params=dict(params or {}))

    def object(self, path: str, params: Json | None = None) -> dict[str, Any]:
        """Return a JSON object. Raises NotJson for any other value."""
        return self.object_of(self.json(path, params))

    def post(self, path: str, body: Json) -> dict[str, Any]:
        """Ask by a body, for questions that are too long for an address."""
        return self.object_of(self._ask("POST", self.api + path, json=dict(body)))

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
            found = self.items_of(page, key)
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
        raise self.repeated()
