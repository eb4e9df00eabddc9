"""Requests to one Confluence, and its lists to their end.

A list is followed by its `next` links alone, taken whole and resolved against the base
that was given, never against one that an answer names. Its end is a page without a link.
https://developer.atlassian.com/cloud/confluence/rest/v2/intro/ (read 2026-12),
https://developer.atlassian.com/server/confluence/pagination-in-the-rest-api/ (2018-10)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from connectors.atlassian.client import MAX_PAGES, AtlassianClient, Json
from connectors.errors import IncompleteListing
from connectors.http.errors import BadRequest
from connectors.http.refusals import Mends


class Client(AtlassianClient):
    """Asks a site; see connectors.atlassian.client."""

    service = "Confluence"
    mends = Mends(
        not_signed_in="Make a new token as the account that reads, save it in the "
        "source, and look whether e-mail and token belong together.",
        forbidden="Give the account that reads view permission, and the token the "
        "scopes that the option “token” names.",
        not_found="It may be deleted or moved, or hidden from the account that reads.",
    )

    def json(self, path: str, params: Json | None = None) -> Any:
        """Return the JSON value at a path, or at a whole URL."""
        return self._ask("GET", path, params=dict(params or {}))

    def object(self, path: str, params: Json | None = None) -> dict[str, Any]:
        """Return a JSON object. Raises NotJson for any other value."""
        return self.object_of(self.json(path, params))

    def items(self, path: str, params: Json | None = None) -> Iterator[dict[str, Any]]:
        """Yield a list's items to its end.

        Raises IncompleteListing when a link repeats, a cursor is refused in between,
        or there's no end.
        """
        page = self.object(path, params)
        followed: set[str] = set()
        while True:
            yield from self.items_of(page, "results")
            link = _next_link(page)
            if not link:
                return
            if link in followed or len(followed) > MAX_PAGES:
                raise self.repeated()
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
        return self.object_of(self._connected().fetch_json(self.absolute(link)))

    def numbered(
        self, path: str, params: Json | None = None
    ) -> Iterator[dict[str, Any]]:
        """Yield a list's items where pages have a number and no link to follow.

        A link counts where there's one; else a page that is full has another after it.
        """
        start = 0
        before: list[dict[str, Any]] = []
        while True:
            page = self.object(path, {**(params or {}), "start": start})
            found = self.items_of(page, "results")
            if found and found == before:
                raise self.repeated()
            before = found
            yield from found
            limit = int(page.get("limit") or len(found) or 1)
            if not found or (len(found) < limit and not _next_link(page)):
                return
            start += len(found)

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


def _next_link(page: Json) -> str:
    links = page.get("_links")
    link = links.get("next") if isinstance(links, dict) else None
    if isinstance(link, dict):
        link = link.get("href")
    return link if isinstance(link, str) else ""
