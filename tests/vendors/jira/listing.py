"""Lists that are paged by startAt, and the site's error bodies."""

from __future__ import annotations

from typing import Any

from tests.vendors.jira.payloads import Payloads
from tests.vendors.jira.state import Site
from tests.vendors.loopback import Asked, Reply


def refused(status: int, message: str) -> Reply:
    return Reply({"errorMessages": [message], "errors": {}}, status)


class Listing:
    """What the parts of the server share."""

    site: Site
    payloads: Payloads
    is_cloud: bool
    is_admin: bool
    may_browse_users: bool
    largest_page: int

    def _cut(self, asked: Asked, items: list[Any]) -> tuple[int, list[Any]]:
        start = int(asked.query.get("startAt", 0))
        size = min(int(asked.query.get("maxResults", 50)), self.largest_page)
        return start, items[start : start + size]

    def _values(self, asked: Asked, items: list[Any]) -> Reply:
        start, page = self._cut(asked, items)
        return Reply(
            {
                "startAt": start,
                "maxResults": len(page),
                "total": len(items),
                "isLast": start + len(page) >= len(items),
                "values": page,
            }
        )
