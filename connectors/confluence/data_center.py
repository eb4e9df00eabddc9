"""A Data Center site: v1 for everything, from Confluence 9.1 on.

Earlier ones don't tell who may view a space.
https://developer.atlassian.com/server/confluence/rest/v1000/ (api-group-space,
api-group-space-permissions, api-group-content-resource, api-group-attachments,
api-group-child-content, api-group-group; read 2026-12)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, quote_plus

from connectors.confluence.client import Client
from connectors.confluence.data_center_values import (
    TYPES,
    attachment_of,
    node_of,
    threads_of,
)
from connectors.confluence.site import (
    Attachment,
    Bodies,
    Comment,
    Facts,
    Group,
    Node,
    Parent,
    Space,
    Subjects,
    User,
)
from connectors.confluence.v1 import (
    FACTS,
    account_of,
    inner,
    inner_text,
    labels_of,
    page_of,
    quoted,
    text,
)
from connectors.confluence.v1_site import V1Site
from connectors.conversion.converted import aware
from connectors.http.errors import NotFound, NotJson, NotSignedIn

API = "/rest/api"
LIST_LIMIT = 200
_NODE = "version,space,ancestors,history"
NEVER = datetime.min.replace(tzinfo=UTC)
_COMMENT = "body.storage,version,history,extensions.inlineProperties,extensions.resolution,ancestors"


class DataCenterSite(V1Site):
    """Implements connectors.confluence.site.Site."""

    def __init__(self, client: Client, site_url: str) -> None:
        """Ask through `client`; links that people follow start with `site_url`."""
        super().__init__(client, site_url, api=API)
        #: Ancestors come with each page; they needn't be asked for again.
        self._above: dict[str, tuple[Parent, ...]] = {}

    def whoami(self) -> str:
        """Return the name of the account that is signed in."""
        found = self._client.object(f"{API}/user/current")
        if found.get("type") == "anonymous":
            raise NotSignedIn(
                "Confluence takes this token for nobody. Make a new personal access "
                "token as the account that reads, and save it in the source."
            )
        return inner_text(found, "displayName") or inner_text(found, "username")

    def spaces(self) -> Iterator[Space]:
        """Yield the current spaces that the account sees."""
        params = {"status": "current", "limit": LIST_LIMIT}
        for item in self._client.items(f"{API}/space", params):
            yield Space(text(item, "id"), text(item, "key"), inner_text(item, "name"))

    def space_readers(self, space: Space) -> Subjects:
        """Return who has the permission to view a space."""
        path = f"{API}/space/{quote(space.key, safe='')}/permissions"
        try:
            found = self._client.json(path)
        except NotFound as error:
            raise NotFound(f"{error} Confluence tells it from 9.1 on.", 404) from error
        if not isinstance(found, list):
            raise NotJson("Confluence sent a space's permissions in another shape.")
        users: set[str] = set()
        groups: set[str] = set()
        anonymous = False
        for item in found:
            operation = inner(item, "operation") or {}
            if operation.get("operationKey") != "read":
                continue
            if operation.get("targetType") != "space":
                continue
            subject = inner(item, "subject") or {}
            if subject.get("type") == "group":
                groups.add(text(subject, "name"))
            elif account := account_of(subject):
                users.add(account)
            elif subject.get("type") == "anonymous":
                anonymous = True
        return Subjects(frozenset(users), frozenset(groups), anonymous)

    def nodes(self, space: Space) -> Iterator[Node]:
        """Yield a space's current pages and blog posts."""
        for kind in TYPES:
            params = {
                "spaceKey": space.key,
                "type": kind,
                "status": "current",
                "expand": _NODE,
                "limit": LIST_LIMIT,
            }
            for item in self._client.items(f"{API}/content", params):
                if item.get("status", "current") == "current":
                    yield self._node(item)

    def facts(self, space: Space) -> Iterator[tuple[str, Facts]]:
        """Yield readers and labels in bulk."""
        for kind in TYPES:
            params = {
                "spaceKey": space.key,
                "type": kind,
                "status": "current",
                "expand": FACTS,
                "limit": LIST_LIMIT,
            }
            for item in self._client.items(f"{API}/content", params):
                yield text(item, "id"), self._v1.facts(item)

    def labels_of(self, page_id: str) -> tuple[str, ...]:
        """Return a page's labels."""
        path = f"{API}/content/{page_id}"
        return labels_of(self._client.object(path, {"expand": "metadata.labels"}))

    def ancestors(self, node: Parent) -> Sequence[Parent]:
        """Return all pages that a page lies under, the highest first."""
        if node.id not in self._above:
            path = f"{API}/content/{node.id}"
            self._node(self._client.object(path, {"expand": _NODE}))
        return self._above[node.id]

    def bodies(self, nodes: Iterable[str]) -> Bodies:
        """Return current pages and blog posts with their storage format."""
        bodies = Bodies()
        for id_ in nodes:
            path = f"{API}/content/{id_}"
            try:
                item = self._client.object(path, {"expand": f"{_NODE},body.storage"})
            except NotFound:
                continue
            if item.get("status") == "current" and item.get("type") in TYPES:
                body = inner_text(item, "body", "storage", "value")
                bodies.found[id_] = (self._node(item), body)
        return bodies

    def page_titled(self, space_key: str, title: str) -> Node | None:
        """Return a current page by its title."""
        params = {
            "spaceKey": space_key,
            "title": title,
            "type": "page",
            "status": "current",
            "expand": _NODE,
        }
        for item in self._client.items(f"{API}/content", params):
            if text(item, "title") == title:
                return self._node(item)
        return None

    def comments(self, node: Node) -> Sequence[Comment]:
        """Return a page's comments, answers with what they answer."""
        path = f"{API}/content/{node.id}/child/comment"
        params = {"depth": "all", "expand": _COMMENT, "limit": 100}
        items = sorted(
            self._client.items(path, params),
            key=lambda item: aware(inner_text(item, "history", "createdDate")) or NEVER,
        )
        return threads_of(items)

    def attachments(self, spaces: Sequence[Space]) -> Iterator[Attachment]:
        """Yield all attachments of the spaces, as the search index has them."""
        for space in spaces:
            cql = f"type = attachment and space = {quoted(space.key)}"
            for item in self._v1.search(cql, "version,container,extensions"):
                if found := attachment_of(item, page_of(item), self._site_url):
                    yield found

    def attachments_of(self, node: Node) -> Iterator[Attachment]:
        """Yield a page's attachments."""
        path = f"{API}/content/{node.id}/child/attachment"
        params = {"expand": "version,extensions", "limit": LIST_LIMIT}
        for item in self._client.items(path, params):
            if found := attachment_of(item, node.id, self._site_url):
                yield found

    def user_name(self, account: str) -> str:
        """Return a person's name."""
        found = self._client.object(f"{API}/user", {"key": account})
        return inner_text(found, "displayName")

    def members(self, group: Group) -> Iterator[User]:
        """Yield a group's members by user key."""
        return self._v1.members(f"group/{quote(group.name, safe='')}/member")

    def page_url(self, space_key: str, title: str, anchor: str) -> str:
        """Return the address of a page by its title."""
        words = "".join(title.split()) + "-" + "".join(anchor.split())
        fragment = f"#{quote(words)}" if anchor else ""
        return f"{self._site_url}/display/{space_key}/{quote_plus(title)}{fragment}"

    def id_url(self, content_id: str) -> str:
        """Return an address that leads on to a content."""
        return f"{self._site_url}/pages/viewpage.action?pageId={quote(content_id)}"

    def file_url(self, page_id: str, name: str) -> str:
        """Return the address of a file on a page."""
        return f"{self._site_url}/download/attachments/{page_id}/{quote(name)}"

    def issue_url(self, key: str) -> str:
        """Return "": which Jira is meant isn't in the page."""
        return ""

    def _node(self, item: Mapping[str, Any]) -> Node:
        id_ = text(item, "id")
        above = item.get("ancestors")
        if not isinstance(above, list):
            raise NotJson("Confluence sent a page without its ancestors.")
        self._above[id_] = tuple(Parent("page", text(each, "id")) for each in above)
        parent = self._above[id_][-1] if above else None
        return node_of(item, parent, self._site_url)
