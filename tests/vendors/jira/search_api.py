"""Searches by token and by number, with their faults."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any

from tests.vendors.jira.jql import BadJql, parsed
from tests.vendors.jira.listing import Listing, refused
from tests.vendors.jira.state import Issue
from tests.vendors.loopback import Asked, Reply

TOKEN_LIVES_MS = 7 * 86_400_000


class SearchApi(Listing):
    """“Issue search”."""

    # Faults, spent as they happen.
    ids_only_pages = 0
    repeats_token = False
    repeats_page = False
    goes_in_circles = False
    short_pages: list[int]
    forgets_tokens = 0
    hides_end = False
    before_page: Callable[[int], None] | None = None
    _pages_served = 0
    _tokens_made = 0

    def _matching(self, body: dict[str, Any]) -> list[Issue]:
        matches = parsed(body["jql"], self.site, self.payloads.account_zone)
        found = [
            issue
            for issue in self.site.issues.values()
            if not self.site.projects[issue.project].is_hidden
            and self.site.is_searchable(issue)
            and matches(issue)
        ]
        return sorted(found, key=_key_order)

    def _page_begins(self) -> None:
        self._pages_served += 1
        if self.before_page is not None:
            self.before_page(self._pages_served)

    def _size(self, body: dict[str, Any]) -> int:
        size = min(int(body.get("maxResults", 50)), self.largest_page)
        return min(size, self.short_pages.pop(0)) if self.short_pages else size

    def _search_by_token(self, asked: Asked) -> Reply:
        """“Search for issues using JQL enhanced search (POST)”: no total, no startAt."""
        body = asked.json() if asked.method == "POST" else dict(asked.query)
        self._page_begins()
        try:
            found = self._matching(body)
        except BadJql as error:
            return refused(400, str(error))
        after = ("", 0)
        if token := body.get("nextPageToken"):
            try:
                after = self._read_token(token, body["jql"])
            except ValueError:
                return refused(400, "The provided nextPageToken is invalid or expired.")
        if self.goes_in_circles:
            after = ("", 0)
        rest = [issue for issue in found if _key_order(issue) > after]
        size = self._size(body)
        page = rest[:size]
        told: dict[str, Any] = {"issues": self._told(page, body)}
        if len(rest) > len(page):
            last = _key_order(page[-1]) if page else after
            told["nextPageToken"] = self._token(last, body["jql"])
            if self.repeats_token and token:
                told["nextPageToken"] = token
            told["isLast"] = False
            if self.hides_end:
                del told["nextPageToken"]
        else:
            told["isLast"] = True
        return Reply(told)

    def _told(
        self, page: Sequence[Issue], body: dict[str, Any]
    ) -> list[dict[str, Any]]:
        """Without `fields` there are ids and nothing else."""
        fields = body.get("fields")
        if not fields or self.ids_only_pages > 0:
            self.ids_only_pages -= 1
            return [{"id": issue.id} for issue in page]
        wanted = set(fields.split(",") if isinstance(fields, str) else fields)
        return [self.payloads.issue(issue, wanted) for issue in page]

    def _token(self, after: tuple[str, int], jql: str) -> str:
        query = hashlib.sha256(jql.encode()).hexdigest()[:8]
        self._tokens_made += 1
        value = [*after, query, self.site.now, self._tokens_made]
        return base64.urlsafe_b64encode(json.dumps(value).encode()).decode()

    def _read_token(self, token: str, jql: str) -> tuple[str, int]:
        if self.forgets_tokens > 0:
            self.forgets_tokens -= 1
            raise ValueError("forgotten")
        project, number, query, made, _ = json.loads(base64.urlsafe_b64decode(token))
        if query != hashlib.sha256(jql.encode()).hexdigest()[:8]:
            raise ValueError("another query's")
        if self.site.now - made > TOKEN_LIVES_MS:
            raise ValueError("expired")
        return project, number

    def _search_by_number(self, asked: Asked) -> Reply:
        """“Search”, v2: startAt, maxResults, total; fields default to all navigable."""
        body = asked.json()
        self._page_begins()
        try:
            found = self._matching(body)
        except BadJql as error:
            return refused(400, str(error))
        start = 0 if self.repeats_page else int(body.get("startAt", 0))
        size = self._size(body)
        page = found[start : start + size]
        return Reply(
            {
                "startAt": int(body.get("startAt", 0)),
                "maxResults": size,
                "total": len(found) + (1 if self.hides_end else 0),
                "issues": self._told(page, body),
            }
        )


def _key_order(issue: Issue) -> tuple[str, int]:
    project, _, number = issue.key.rpartition("-")
    return project, int(number)
