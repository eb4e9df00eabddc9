"""Searching issues to the end: pages that can be resumed, and none twice or left out.

Cloud continues by a token (`/search/jql`, which tells no total); Data Center by a
number (`/search`). The window is the same for all pages of a run: `updated` from a time
in epoch milliseconds, which no time zone changes, without an end.
https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-issue-search/ and
https://developer.atlassian.com/server/jira/platform/rest/v11001/api-group-search/
(read 2026-12-01)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from connectors.atlassian.client import MAX_PAGES
from connectors.atlassian.one_thing import may_be_the_sites
from connectors.errors import ConnectorError, IncompleteListing
from connectors.http.errors import BadRequest, HttpError, TooDeep, TooLarge
from connectors.jira.client import Client

PAGE = 100
#: A smaller page of Data Center would hold no more than what it overlaps by.
LEAST = 2

#: Where a search stands, JSON values only.
Position = Mapping[str, Any]


class StalePosition(ConnectorError):
    """The search can't go on from there; begin it anew."""


@dataclass(frozen=True, slots=True)
class Page:
    """Issues as they came, and where the search goes on; None at its end.

    `total` is None where the site doesn't count.
    """

    issues: Sequence[Mapping[str, Any]]
    position: Position | None
    total: int | None = None


def window(updated_from_ms: int, clauses: Iterable[str]) -> str:
    """Return the JQL of issues that changed from a time on, by key.

    The order is one that an edit in the meantime doesn't change.
    """
    found = [f"updated >= {max(0, updated_from_ms)}", *(c for c in clauses if c)]
    return f"{' AND '.join(found)} ORDER BY key ASC"


def search(
    client: Client, jql: str, fields: Sequence[str], position: Position | None = None
) -> Iterator[Page]:
    """Yield the pages of a search from a position on.

    Raises IncompleteListing when the site doesn't lead to the end, StalePosition when
    it doesn't take the position any more.
    """
    body: dict[str, Any] = {"jql": jql, "fields": list(fields), "maxResults": PAGE}
    if client.options.is_cloud:
        return _by_token(client, body, position)
    return _by_number(client, body, position)


def _by_token(
    client: Client, body: Mapping[str, Any], position: Position | None
) -> Iterator[Page]:
    token = position.get("token") if position else None
    used: set[str] = set()
    seen: set[str] = set()
    for _ in range(MAX_PAGES):
        asked = {**body, "nextPageToken": token} if token else body
        try:
            page = _page(client, "/search/jql", asked)
        except BadRequest as error:
            if token:
                raise StalePosition("Jira doesn't know this page token.") from error
            raise
        issues = client.items_of(page, "issues")
        ids = {str(issue.get("id")) for issue in issues}
        if ids and ids <= seen:
            raise client.repeated()
        seen |= ids
        follows = page.get("nextPageToken")
        if page.get("isLast") is True or not follows:
            if page.get("isLast") is False:
                raise IncompleteListing(
                    "Jira says that a search goes on and doesn't say where. The next "
                    "run tries again."
                )
            yield Page(issues, None)
            return
        if not isinstance(follows, str) or follows in used or follows == token:
            raise client.repeated()
        used.add(follows)
        token = follows
        yield Page(issues, {"token": token})
    raise client.repeated()


def _by_number(
    client: Client, body: Mapping[str, Any], position: Position | None
) -> Iterator[Page]:
    """Read pages that overlap by one issue, which shows that nothing moved between.

    An issue that's deleted meanwhile moves all later ones up by one, and the next page
    would leave one out. So each page begins with the last issue of the one before; where
    none on it was seen, the search steps back until one was.
    """
    start = int(position["start"]) if position else 0
    seen: set[str] = {str(position["anchor"])} if position else set()
    # Up to there it was read before, so that nothing new is no sign of a circle.
    read_to = 0
    most = 0
    for _ in range(MAX_PAGES):
        page = _page(client, "/search", {**body, "startAt": start})
        issues = client.items_of(page, "issues")
        ids = [str(issue.get("id")) for issue in issues]
        most = max(most, len(ids))
        if start > 0 and not seen.intersection(ids):
            read_to = max(read_to, start)
            start = max(0, start - (most or PAGE))
            continue
        new = [item for item in issues if str(item.get("id")) not in seen]
        seen.update(ids)
        total = page.get("total")
        total = total if isinstance(total, int) else None
        if not ids or (total is not None and start + len(ids) >= total):
            if total is not None and start + len(ids) < total:
                raise IncompleteListing(
                    f"Jira says that there are {total} issues and gave "
                    f"{start + len(ids)}. The next run tries again."
                )
            yield Page(new, None, total)
            return
        if not new and start >= read_to:
            raise client.repeated()
        start += max(1, len(ids) - 1)
        yield Page(new, {"start": start, "anchor": ids[-1]}, total)
    raise client.repeated()


def _page(client: Client, path: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Ask for a page; for a smaller one where it's too much to send or to make.

    Where one issue's text spoils it (it nests too deep, is broken, or larger than any
    limit), it's asked for without texts, so that each issue on it is looked up by itself.
    """
    size = int(body["maxResults"])
    while True:
        asked = {**body, "maxResults": size}
        try:
            return client.post(path, asked)
        except HttpError as error:
            is_too_much = isinstance(error, TooLarge) or error.status == 504
            if is_too_much and size > LEAST:
                size = max(LEAST, size // 4)
                continue
            if isinstance(error, TooDeep | TooLarge) or may_be_the_sites(error):
                return client.post(path, {**asked, "fields": ["updated"]})
            raise
