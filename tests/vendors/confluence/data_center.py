"""Confluence Data Center on loopback: v1, under a context path.

Paths, parameters and payloads by https://developer.atlassian.com/server/confluence/rest/v1000/
(read read 2026-12); lists continue by `start`.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from tests.vendors.confluence.serving import ConfluenceServer, Refusal
from tests.vendors.confluence.state import Item, State
from tests.vendors.loopback import Asked, Reply

CONTEXT = "/confluence"
API = f"{CONTEXT}/rest/api"


class DataCenterServer(ConfluenceServer):
    """One server of a company's own."""

    def __init__(self, state: State | None = None) -> None:
        super().__init__(state)
        for pattern, handler in (
            (rf"{API}/space", self.spaces),
            (rf"{API}/space/([^/]+)/permissions", self.permissions),
            (rf"{API}/content", self.contents),
            (rf"{API}/content/search", self.search),
            (rf"{API}/content/(\d+)", self.content),
            (rf"{API}/content/(\d+)/child/comment", self.comments),
            (rf"{API}/content/(\d+)/child/attachment", self.attachments),
            (rf"{API}/content/(\w+)/restriction/byOperation/read", self.restriction),
            (rf"{CONTEXT}/download/attachments/(\d+)/(\w+)", self.download),
            (rf"{API}/group", self.all_groups),
            (rf"{API}/group/([^/]+)/member", self.members),
            (rf"{API}/user/current", self.me),
            (rf"{API}/user", self.user),
        ):
            self.route(pattern, handler)

    def is_signed_in(self, asked: Asked) -> bool:
        return asked.headers.get("authorization") == f"Bearer {self.state.token}"

    def listed(self, asked: Asked, items: list[Any]) -> Any:
        return self.v1_list(asked, items, strip=CONTEXT, cursor=False)

    # api-group-space, api-group-space-permissions

    def spaces(self, asked: Asked) -> Any:
        found = [
            {"id": int(each.id), "key": each.key, "name": each.name, "type": "global"}
            for each in self.state.spaces.values()
            if each.status == asked.query.get("status", "current")
        ]
        return self.listed(asked, found)

    def permissions(self, asked: Asked, key: str) -> Any:
        space = self.state.spaces.get(key)
        if space is None:
            raise Refusal(404)
        if key in self.state.closed_spaces:
            raise Refusal(403)
        subjects = [self.v1_user(each) for each in sorted(space.users)]
        subjects += [self.v1_group(each) for each in sorted(space.groups)]
        if space.anonymous:
            subjects.append({"type": "anonymous", "displayName": "Anonymous"})
        operations = [("space", "read"), ("page", "create")]
        return [
            {
                "operation": {"targetType": target, "operationKey": key_},
                "subject": subject,
                "spaceKey": key,
                "spaceId": int(space.id),
            }
            for subject in subjects
            for target, key_ in operations
        ]

    # api-group-content-resource, api-group-child-content, api-group-attachments

    def contents(self, asked: Asked) -> Any:
        items = self.nodes(asked.query["type"], asked.query["spaceKey"])
        if title := asked.query.get("title"):
            items = [item for item in items if item.title == title]
        return self._listed_items(asked, items)

    def _listed_items(self, asked: Asked, items: list[Item]) -> Any:
        expand = asked.query.get("expand", "")
        return self.listed(asked, [self.v1_content(item, expand) for item in items])

    def content(self, asked: Asked, id_: str) -> Any:
        item = self.item(id_)
        if item.status != "current":
            raise Refusal(404)
        return self.v1_content(item, asked.query.get("expand", ""))

    def comments(self, asked: Asked, id_: str) -> Any:
        page = self.item(id_)
        items = [i for i in self.state.current("comment") if i.container == page.id]
        return self._listed_items(asked, items)

    def attachments(self, asked: Asked, id_: str) -> Any:
        page = self.item(id_)
        items = [i for i in self.state.current("attachment") if i.container == page.id]
        return self._listed_items(asked, items)

    def search(self, asked: Asked) -> Any:
        return self._listed_items(asked, self.searched(asked))

    def download(self, asked: Asked, page_id: str, id_: str) -> Reply:
        return Reply(self.item(id_).data)

    def v1_content(self, item: Item, expand: str) -> dict[str, Any]:
        body = super().v1_content(item, expand)
        wanted = set(expand.split(","))
        if "body.storage" in wanted:
            body["body"] = {"storage": {"value": item.body}}
        if "history" in wanted:
            body["history"] = {
                "createdBy": self.v1_user(item.author),
                "createdDate": self.told(item.created_at),
            }
        if "ancestors" in wanted:
            above = self.state.ancestors(item)
            body["ancestors"] = [{"id": a.id, "type": a.type} for a in above]
            if item.answers:
                body["ancestors"] = [{"id": item.answers, "type": "comment"}]
        if item.type == "attachment":
            body["extensions"] = {"fileSize": len(item.data)}
            body["_links"]["download"] = (
                f"/download/attachments/{item.container}/{item.id}?version=1"
            )
        if item.type == "comment":
            status = "resolved" if item.resolved else "open"
            body["extensions"] = {
                "location": "inline" if item.inline else "footer",
                "inlineProperties": {"originalSelection": item.selection},
                "resolution": {"status": status},
            }
        return body

    # api-group-group, api-group-user

    def all_groups(self, asked: Asked) -> Any:
        return self.listed(asked, self.groups(asked))

    def members(self, asked: Asked, name: str) -> Any:
        name = unquote(name)
        if name not in self.state.groups:
            raise Refusal(404)
        members = [self.v1_user(each) for each in self.state.groups[name][1]]
        return self.listed(asked, members)

    def me(self, asked: Asked) -> Any:
        return self.v1_user("u-bot")

    def user(self, asked: Asked) -> Any:
        if asked.query["key"] not in self.state.users:
            raise Refusal(404)
        return self.v1_user(asked.query["key"])

    def v1_user(self, account: str) -> dict[str, Any]:
        name = self.state.users.get(account, account)
        return {
            "type": "known",
            "username": name.lower(),
            "userKey": account,
            "displayName": name,
        }

    def v1_group(self, id_: str) -> dict[str, Any]:
        # The name is all that there is; the state's id is used as the name here.
        return {"type": "group", "name": id_}
