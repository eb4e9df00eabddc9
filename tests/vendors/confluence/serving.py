"""What both kinds of Confluence share: sign-in, lists with limits, v1's payloads."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from tests.vendors.confluence.cql import BadQuery, found
from tests.vendors.confluence.state import NODES, Item, State
from tests.vendors.loopback import Asked, LoopbackServer, Reply

Handler = Callable[..., Any]


class Refusal(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, message: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class ConfluenceServer(LoopbackServer):
    """Serves a State. Routes are (pattern of the path, handler)."""

    #: What a list gives at most, whatever is asked for.
    most = 250

    def __init__(self, state: State | None = None) -> None:
        super().__init__()
        self.state = state or State()
        self.routes: list[tuple[re.Pattern[str], Handler]] = []
        #: Faults of lists: cursors that repeat, are refused, or pages that are short.
        self.repeat_cursor_of = ""
        self.stale_cursor_of = ""
        self.short_pages_of = ""
        self.ids_only = False
        #: Cursors end with a slash, as base64 may.
        self.slash_cursors = False

    def route(self, pattern: str, handler: Handler) -> None:
        self.routes.append((re.compile(pattern + "$"), handler))

    def answer(self, asked: Asked) -> Reply:
        if not self.is_signed_in(asked):
            return Reply({"message": "Unauthorized"}, 401)
        for pattern, handler in self.routes:
            if match := pattern.match(asked.path):
                try:
                    body = handler(asked, *match.groups())
                except Refusal as refusal:
                    return self.error(refusal.status, refusal.message)
                return body if isinstance(body, Reply) else Reply(body)
        return self.error(404, "no such resource")

    def is_signed_in(self, asked: Asked) -> bool:
        sent = asked.headers.get("authorization", "")
        pair = f"{self.state.email}:{self.state.token}".encode()
        basic = f"Basic {base64.b64encode(pair).decode()}"
        return sent in (basic, f"Bearer {self.state.token}")

    def error(self, status: int, message: str) -> Reply:
        """https://developer.atlassian.com/cloud/confluence/rest/v1/intro/ (read 2026-12)."""
        body = {"statusCode": status, "data": None, "message": message}
        return Reply(body, status)

    def cut(self, asked: Asked, items: list[Any]) -> tuple[list[Any], int | None]:
        """Return one page of a list, and where the next one starts."""
        start = self._start(asked)
        limit = min(int(asked.query.get("limit", "25")), self.most)
        if self.short_pages_of and self.short_pages_of in asked.path and start:
            limit = max(1, limit // 2)
        after = start + limit
        return items[start:after], after if after < len(items) else None

    def _start(self, asked: Asked) -> int:
        cursor = asked.query.get("cursor")
        if cursor is None:
            return int(asked.query.get("start", "0"))
        if self.slash_cursors and not cursor.endswith("/"):
            raise Refusal(400, "The cursor is cut")
        cursor = cursor.rstrip("/")
        if self.stale_cursor_of and self.stale_cursor_of in asked.path:
            raise Refusal(400, "The cursor is invalid or has expired")
        try:
            return int(base64.urlsafe_b64decode(cursor).decode().removeprefix("at:"))
        except ValueError:
            raise Refusal(400, "The cursor is invalid") from None

    def next_link(
        self, asked: Asked, start: int, *, cursor: bool, strip: str = ""
    ) -> str:
        if self.repeat_cursor_of and self.repeat_cursor_of in asked.path:
            start = min(start, self.most)
        kept = {
            name: value
            for name, value in asked.query.items()
            if name not in ("cursor", "start")
        }
        if cursor:
            # Padding and slashes, as real ones have: cut out badly they break.
            kept["cursor"] = base64.urlsafe_b64encode(f"at:{start}".encode()).decode()
        else:
            kept["start"] = str(start)
        tail = "/" if self.slash_cursors and cursor else ""
        return f"{asked.path.removeprefix(strip)}?{urlencode(kept)}{tail}"

    # v1, the same for both.

    def item(self, id_: str) -> Item:
        item = self.state.items.get(id_)
        if item is None or not self.state.sees(item):
            raise Refusal(404, f"No content found with id: {id_}")
        return item

    def searched(self, asked: Asked) -> list[Item]:
        try:
            return found(self.state, asked.query["cql"])
        except BadQuery as error:
            raise Refusal(400, "Could not parse cql") from error

    def v1_list(
        self, asked: Asked, items: list[Any], *, strip: str, cursor: bool
    ) -> Any:
        """https://developer.atlassian.com/cloud/confluence/rest/v1/api-group-search/
        and /server/confluence/pagination-in-the-rest-api/ (read 2026-12)."""
        page, after = self.cut(asked, items)
        links: dict[str, Any] = {"base": self.url, "context": strip}
        if after is not None:
            links["next"] = self.next_link(asked, after, cursor=cursor, strip=strip)
        limit = min(int(asked.query.get("limit", "25")), self.most)
        return {
            "results": page,
            "start": self._start(asked),
            "limit": limit,
            "size": len(page),
            "_links": links,
        }

    def v1_user(self, account: str) -> dict[str, Any]:
        raise NotImplementedError

    def v1_group(self, id_: str) -> dict[str, Any]:
        raise NotImplementedError

    def v1_restrictions(self, item: Item, start: int = 0, limit: int = 200) -> Any:
        """…/rest/v1/api-group-content-restrictions/ (read 2026-12)."""
        if item.id in self.state.closed:
            raise Refusal(403, "Not permitted to view restrictions")

        def part(values: list[Any]) -> dict[str, Any]:
            page = values[start : start + limit]
            return {"results": page, "start": start, "limit": limit, "size": len(page)}

        users = [self.v1_user(each) for each in sorted(item.users)]
        groups = [self.v1_group(each) for each in sorted(item.groups)]
        return {"user": part(users), "group": part(groups)}

    def restriction(self, asked: Asked, id_: str) -> Any:
        item = self.item(id_)
        start = int(asked.query.get("start", "0"))
        limit = min(int(asked.query.get("limit", "100")), 100)
        lists = self.v1_restrictions(item, start, limit)
        return {"operation": "read", "restrictions": lists, "_links": {}}

    def v1_content(self, item: Item, expand: str) -> dict[str, Any]:
        """…/rest/v1/api-group-content/ (read 2026-12), with what `expand` asks for."""
        wanted = set(expand.split(","))
        body: dict[str, Any] = {
            "id": item.id,
            "type": item.type,
            "status": item.status,
            "title": item.title,
            "_links": {"webui": self.webui(item), "self": f"{self.url}/self"},
        }
        if self.ids_only:
            return {"id": item.id, "type": item.type}
        if "version" in wanted:
            body["version"] = {
                "number": item.version,
                "when": self.told(item.changed_at),
                "by": self.v1_user(item.author),
            }
        if "space" in wanted:
            body["space"] = {"key": item.space, "type": "global"}
        if "container" in wanted and item.container:
            container = self.state.items[item.container]
            body["container"] = {"id": container.id, "type": container.type}
        if "metadata.labels" in wanted:
            labels = [
                {"prefix": "global", "name": each} for each in sorted(item.labels)
            ]
            body["metadata"] = {"labels": {"results": labels, "size": len(labels)}}
        if "extensions" in wanted and item.type == "attachment":
            body["extensions"] = {"fileSize": len(item.data)}
        if "restrictions.read.restrictions.user" in wanted:
            lists = self.v1_restrictions(item)
            body["restrictions"] = {
                "read": {"operation": "read", "restrictions": lists}
            }
        return body

    def told(self, moment: datetime) -> str:
        """v1 tells times with the offset of a zone."""
        return moment.astimezone(self.state.told_zone).isoformat(
            timespec="milliseconds"
        )

    def webui(self, item: Item) -> str:
        if item.type == "attachment":
            return f"/pages/viewpageattachments.action?pageId={item.container}"
        return f"/spaces/{item.space}/pages/{item.id}"

    def groups(self, asked: Asked) -> list[Any]:
        return [self.v1_group(id_) for id_ in self.state.groups]

    def nodes(self, type_: str, space: str = "") -> list[Item]:
        assert type_ in NODES
        return self.state.current(type_, space=space)
