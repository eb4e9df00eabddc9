"""Confluence Cloud on loopback: v2, and of v1 what v2 lacks.

Paths, parameters and payloads by https://developer.atlassian.com/cloud/confluence/rest/v2/
and …/rest/v1/ (read read 2026-12); the groups of pages are named at each handler.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from tests.vendors.confluence.serving import ConfluenceServer, Refusal
from tests.vendors.confluence.state import Item, State
from tests.vendors.loopback import Asked, LoopbackServer, Reply

V1, V2 = "/wiki/rest/api", "/wiki/api/v2"
_TYPES = {"pages": "page", "blogposts": "blogpost"}
_PLACES = {"folders": "folder", "whiteboards": "whiteboard", **_TYPES}


class CloudServer(ConfluenceServer):
    """One site of Cloud. `media` is the host that downloads are sent to."""

    def __init__(self, state: State | None = None) -> None:
        super().__init__(state)
        self.media: MediaHost | None = None
        self.cloud_id = "11111111-2222-3333-4444-555555555555"
        space, content = r"/spaces/(\d+)", rf"{V1}/content"
        for pattern, handler in (
            (rf"{V2}/spaces", self.spaces),
            (V2 + space, self.one_space),
            (rf"{V2}{space}/permissions", self.permissions),
            (rf"{V2}{space}/(pages|blogposts)", self.in_space),
            (rf"{V2}/(pages|blogposts)", self.by_id),
            (rf"{V2}/(pages|blogposts)/(\d+)/labels", self.labels),
            (rf"{V2}/(pages|blogposts)/(\d+)/attachments", self.attachments),
            (rf"{V2}/(pages|blogposts)/(\d+)/(footer|inline)-comments", self.comments),
            (rf"{V2}/(footer|inline)-comments/(\d+)/children", self.answers),
            (rf"{V2}/(\w+)/(\d+)/ancestors", self.ancestors),
            (rf"{V2}/attachments", self.attachments),
            (rf"{content}/search", self.search),
            (rf"{content}/(\w+)/restriction/byOperation/read", self.restriction),
            (rf"{content}/(\d+)/child/attachment/(\w+)/download", self.download),
            (rf"{V1}/group", self.all_groups),
            (rf"{V1}/group/([^/]+)/membersByGroupId", self.members),
            (rf"{V1}/user/current", self.me),
            (rf"{V1}/user", self.user),
        ):
            self.route(pattern, handler)

    def answer(self, asked: Asked) -> Reply:
        if asked.path == "/_edge/tenant_info":
            return Reply({"cloudId": self.cloud_id})
        return super().answer(asked)

    def listed(self, asked: Asked, items: list[Any]) -> dict[str, Any]:
        """v2/intro: `next` is relative to the site, and opaque."""
        page, after = self.cut(asked, items)
        links = {"base": "https://example.atlassian.net/wiki"}
        if after is not None:
            links["next"] = self.next_link(asked, after, cursor=True)
        return {"results": page, "_links": links}

    # v2/api-group-space, api-group-space-permissions

    def spaces(self, asked: Asked) -> Any:
        keys = asked.query.get("keys")
        return self.listed(
            asked,
            [
                {
                    "id": space.id,
                    "key": space.key,
                    "name": space.name,
                    "type": "global",
                    "status": space.status,
                    "_links": {"webui": f"/spaces/{space.key}"},
                }
                for space in self.state.spaces.values()
                if space.status == asked.query.get("status", space.status)
                and (keys is None or space.key in keys.split(","))
            ],
        )

    def _space(self, id_: str) -> Any:
        for space in self.state.spaces.values():
            if space.id == id_:
                return space
        raise Refusal(404)

    def one_space(self, asked: Asked, id_: str) -> Any:
        space = self._space(id_)
        return {"id": space.id, "key": space.key, "name": space.name}

    def permissions(self, asked: Asked, id_: str) -> Any:
        space = self._space(id_)
        if space.key in self.state.closed_spaces:
            raise Refusal(403)
        named = [("user", each) for each in sorted(space.users)]
        named += [("group", each) for each in sorted(space.groups)]
        named += [("role", each) for each in sorted(space.classes)]
        if space.anonymous:
            named.append(("role", "anonymous-users"))
        entries = []
        for number, (kind, principal) in enumerate(named):
            for key, target in (("read", "space"), ("create", "comment")):
                entries.append(
                    {
                        "id": f"{number}-{key}",
                        "principal": {"type": kind, "id": principal},
                        "operation": {"key": key, "targetType": target},
                    }
                )
        # Somebody who may only delete pages doesn't see the space for that.
        other = {"type": "group", "id": "g-nobody"}
        operation = {"key": "delete", "targetType": "page"}
        entries.append({"id": "x", "principal": other, "operation": operation})
        return self.listed(asked, entries)

    # v2/api-group-page, api-group-blog-post

    def in_space(self, asked: Asked, space_id: str, collection: str) -> Any:
        space = self._space(space_id)
        items = self._with_status(asked, _TYPES[collection], space.key)
        return self.listed(asked, [self._page(item, asked) for item in items])

    def by_id(self, asked: Asked, collection: str) -> Any:
        items = self._with_status(asked, _TYPES[collection], "")
        if ids := asked.query.get("id"):
            items = [item for item in items if item.id in ids.split(",")]
        if title := asked.query.get("title"):
            items = [item for item in items if item.title == title]
        if space_id := asked.query.get("space-id"):
            key = self._space(space_id).key
            items = [item for item in items if item.space == key]
        return self.listed(asked, [self._page(item, asked) for item in items])

    def _with_status(self, asked: Asked, type_: str, space: str) -> list[Item]:
        # Without a status the vendor gives archived pages too.
        wanted = asked.query.get("status", "current,archived").split(",")
        return [
            item
            for item in self.state.items.values()
            if item.type == type_
            and item.status in wanted
            and self.state.sees(item)
            and (not space or item.space == space)
        ]

    def _page(self, item: Item, asked: Asked) -> dict[str, Any]:
        parent = self.state.items.get(item.parent)
        page: dict[str, Any] = {
            "id": item.id,
            "status": item.status,
            "title": item.title,
            "spaceId": self.state.spaces[item.space].id,
            "authorId": item.author,
            "createdAt": _time(item.created_at),
            "version": self._version(item),
            "_links": {"webui": f"/spaces/{item.space}/pages/{item.id}/x"},
        }
        if item.type == "page":
            page["parentId"] = item.parent or None
            page["parentType"] = parent.type if parent else None
            page["ownerId"] = item.author
        if asked.query.get("body-format") == "storage":
            page["body"] = {
                "storage": {"representation": "storage", "value": item.body}
            }
        return page

    def _version(self, item: Item) -> dict[str, Any]:
        return {
            "number": item.version,
            "createdAt": _time(item.changed_at),
            "authorId": item.author,
            "minorEdit": False,
        }

    # v2/api-group-label, api-group-ancestors

    def labels(self, asked: Asked, collection: str, id_: str) -> Any:
        item = self.item(id_)
        if item.type != _TYPES[collection]:
            raise Refusal(404)
        labels = [{"id": each, "name": each} for each in sorted(item.labels)]
        return self.listed(asked, labels)

    def ancestors(self, asked: Asked, collection: str, id_: str) -> Any:
        item = self.item(id_)
        if _PLACES.get(collection) != item.type:
            raise Refusal(404)
        above = self.state.ancestors(item)
        limit = min(int(asked.query.get("limit", "25")), 250)
        return {"results": [{"id": a.id, "type": a.type} for a in above[-limit:]]}

    # v2/api-group-comment

    def comments(self, asked: Asked, collection: str, id_: str, kind: str) -> Any:
        item = self.item(id_)
        return self.listed(asked, self._comments(item.id, "", kind))

    def answers(self, asked: Asked, kind: str, id_: str) -> Any:
        comment = self.item(id_)
        return self.listed(asked, self._comments(comment.container, id_, kind))

    def _comments(self, page_id: str, answers: str, kind: str) -> list[Any]:
        return [
            {
                "id": item.id,
                "status": "current",
                "title": "",
                "pageId": page_id,
                "version": self._version(item),
                "body": {"storage": {"value": item.body}},
                "resolutionStatus": "resolved" if item.resolved else "open",
                "properties": {"inlineOriginalSelection": item.selection or None},
            }
            for item in self.state.current("comment")
            if item.container == page_id
            and item.answers == answers
            and item.inline == (kind == "inline")
        ]

    # v2/api-group-attachment; v1/api-group-content---attachments

    def attachments(self, asked: Asked, collection: str = "", id_: str = "") -> Any:
        if id_:
            self.item(id_)
        found = []
        for item in self.state.current("attachment"):
            if id_ and item.container != id_:
                continue
            is_page = self.state.items[item.container].type == "page"
            found.append(
                {
                    "id": item.id,
                    "status": item.status,
                    "title": item.title,
                    "pageId" if is_page else "blogPostId": item.container,
                    "mediaType": "application/octet-stream",
                    "fileSize": len(item.data),
                    "webuiLink": f"/pages/viewpage.action?pageId={item.container}",
                    "downloadLink": f"/download/attachments/{item.container}/x",
                    "version": self._version(item),
                }
            )
        return self.listed(asked, found)

    def download(self, asked: Asked, page_id: str, id_: str) -> Reply:
        item = self.item(id_)
        if item.container != page_id:
            raise Refusal(404)
        if self.media is None:
            return Reply(item.data, 200, {"Content-Type": "application/octet-stream"})
        self.media.files[f"/file/{id_}"] = item.data
        return Reply(b"", 302, {"Location": f"{self.media.url}/file/{id_}?token=x"})

    # v1/api-group-search, api-group-group, api-group-users

    def search(self, asked: Asked) -> Any:
        items = self.searched(asked)
        expand = asked.query.get("expand", "")
        found = [self.v1_content(item, expand) for item in items]
        return self.v1_list(asked, found, strip="/wiki", cursor=True)

    def all_groups(self, asked: Asked) -> Any:
        return self.v1_list(asked, self.groups(asked), strip="/wiki", cursor=False)

    def members(self, asked: Asked, id_: str) -> Any:
        id_ = unquote(id_)
        if id_ not in self.state.groups:
            raise Refusal(404)
        members = [self.v1_user(each) for each in self.state.groups[id_][1]]
        return self.v1_list(asked, members, strip="/wiki", cursor=False)

    def me(self, asked: Asked) -> Any:
        return self.v1_user("u-bot")

    def user(self, asked: Asked) -> Any:
        account = asked.query["accountId"]
        if account not in self.state.users:
            raise Refusal(404)
        return self.v1_user(account)

    def v1_user(self, account: str) -> dict[str, Any]:
        return {
            "type": "known",
            "accountId": account,
            "accountType": "atlassian",
            "email": self.state.emails.get(account, ""),
            "publicName": self.state.users.get(account, ""),
            "displayName": self.state.users.get(account, ""),
        }

    def v1_group(self, id_: str) -> dict[str, Any]:
        name = self.state.groups.get(id_, (id_, []))[0]
        return {"type": "group", "name": name, "id": id_, "_links": {}}


class Gateway(LoopbackServer):
    """api.atlassian.com: the same site under /ex/confluence/{cloudId}."""

    def __init__(self, site: CloudServer) -> None:
        super().__init__()
        self.site = site

    def answer(self, asked: Asked) -> Reply:
        prefix = f"/ex/confluence/{self.site.cloud_id}"
        if not asked.path.startswith(f"{prefix}/wiki/"):
            return Reply({"message": "no such tenant"}, 404)
        inside = Asked(
            asked.method,
            asked.path.removeprefix(prefix),
            asked.query,
            asked.queries,
            asked.headers,
            asked.body,
        )
        return self.site.answer(inside)


class MediaHost(LoopbackServer):
    """Where downloads are sent: it wants no key, and gets none."""

    def __init__(self) -> None:
        super().__init__()
        self.files: dict[str, bytes] = {}

    def answer(self, asked: Asked) -> Reply:
        if asked.path not in self.files:
            return Reply(b"", 404)
        return Reply(self.files[asked.path])


def _time(moment: Any) -> str:
    return str(moment.strftime("%Y-%m-%dT%H:%M:%S.000Z"))
