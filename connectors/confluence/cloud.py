"""A Cloud site: v2 for content, v1 for restrictions, search and groups.

https://developer.atlassian.com/cloud/confluence/rest/v2/ (api-group-space,
api-group-page, api-group-blog-post, api-group-comment, api-group-attachment,
api-group-ancestors, api-group-space-permissions; read 2026-12)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import quote, quote_plus

from connectors.confluence.client import Client
from connectors.confluence.cloud_values import (
    attachment_of,
    comment_of,
    node_of,
    searched_attachment,
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
    chunked,
)
from connectors.confluence.v1 import (
    inner,
    inner_text,
    quoted,
    text,
)
from connectors.confluence.v1_site import V1Site
from connectors.errors import IncompleteListing
from connectors.http.errors import NotFound, NotJson

V2 = "/wiki/api/v2"
LIST_LIMIT = 250
#: Pages with their bodies in one answer.
BODIES_LIMIT = 25
#: Up to so many spaces, their attachments are searched for instead of listing all.
FEW_SPACES = 20
_COLLECTIONS = {"page": "pages", "blog_post": "blogposts"}
#: Where each kind of parent is asked for what it lies under.
_PARENTS = {
    "page": "pages",
    "folder": "folders",
    "whiteboard": "whiteboards",
    "database": "databases",
    "embed": "embeds",
}


class CloudSite(V1Site):
    """Implements connectors.confluence.site.Site."""

    def __init__(self, client: Client, site_url: str) -> None:
        """Ask through `client`; links that people follow start with `site_url`."""
        super().__init__(client, site_url, api="/wiki/rest/api")
        self._keys: dict[str, str] = {}

    def whoami(self) -> str:
        """Return the name of the account that is signed in."""
        found = self._client.object("/wiki/rest/api/user/current")
        return inner_text(found, "displayName") or text(found, "accountId")

    def spaces(self) -> Iterator[Space]:
        """Yield the current spaces that the account sees."""
        params = {"status": "current", "limit": LIST_LIMIT}
        for item in self._client.items(f"{V2}/spaces", params):
            space = Space(text(item, "id"), text(item, "key"), inner_text(item, "name"))
            self._keys[space.id] = space.key
            yield space

    def space_readers(self, space: Space) -> Subjects:
        """Return who has the permission to view a space."""
        named: dict[str, set[str]] = {"user": set(), "group": set(), "role": set()}
        path = f"{V2}/spaces/{space.id}/permissions"
        for item in self._client.items(path, {"limit": LIST_LIMIT}):
            operation = inner(item, "operation") or {}
            if (operation.get("key"), operation.get("targetType")) != ("read", "space"):
                continue
            kind = inner_text(item, "principal", "type").lower()
            # The list of permissions says role, the list of roles access_class.
            kind = "role" if kind == "access_class" else kind
            if principal := inner_text(item, "principal", "id"):
                named.setdefault(kind, set()).add(principal)
        anonymous = {"anonymous-users", "anonymous"}
        return Subjects(
            frozenset(named["user"]),
            frozenset(named["group"]),
            bool(named["role"] & anonymous),
            frozenset(named["role"] - anonymous),
        )

    def nodes(self, space: Space) -> Iterator[Node]:
        """Yield a space's current pages and blog posts."""
        self._keys[space.id] = space.key
        for kind, collection in _COLLECTIONS.items():
            path = f"{V2}/spaces/{space.id}/{collection}"
            params = {"status": "current", "limit": LIST_LIMIT}
            for item in self._client.items(path, params):
                if item.get("status", "current") == "current":
                    yield self._node(item, kind)

    def facts(self, space: Space) -> Iterator[tuple[str, Facts]]:
        """Yield readers and labels in bulk."""
        return self._v1.facts_in(space.key)

    def labels_of(self, page_id: str) -> tuple[str, ...]:
        """Return a page's labels."""
        # Only pages and blog posts are asked for, and ids are of one kind alone.
        for collection in _COLLECTIONS.values():
            path = f"{V2}/{collection}/{page_id}/labels"
            try:
                found = self._client.items(path, {"limit": LIST_LIMIT})
                return tuple(sorted({text(item, "name") for item in found}))
            except NotFound:
                continue
        return ()

    def ancestors(self, node: Parent) -> Sequence[Parent]:
        """Return all that a page or folder lies under, the highest first."""
        collection = _PARENTS.get(node.kind)
        if collection is None:
            raise NotJson(f"A page lies under a “{node.kind}”, which isn't known here.")
        path = f"{V2}/{collection}/{node.id}/ancestors"
        page = self._client.object(path, {"limit": LIST_LIMIT})
        found = [
            Parent(text(item, "type"), text(item, "id")) for item in page["results"]
        ]
        if len(found) < LIST_LIMIT:
            return found
        if found[0].id == node.id:
            raise IncompleteListing("A page's ancestors go in a circle.")
        return [*self.ancestors(found[0]), *found]

    def bodies(self, nodes: Iterable[str]) -> Bodies:
        """Return current pages and blog posts with their storage format."""
        bodies = Bodies()
        for ids in chunked(nodes, BODIES_LIMIT):
            for kind, collection in _COLLECTIONS.items():
                params = {
                    "id": ",".join(ids),
                    "status": "current",
                    "body-format": "storage",
                    "limit": BODIES_LIMIT,
                }
                for item in self._client.items(f"{V2}/{collection}", params):
                    if item.get("status", "current") != "current":
                        continue
                    body = inner_text(item, "body", "storage", "value")
                    bodies.found[text(item, "id")] = (self._node(item, kind), body)
        return bodies

    def page_titled(self, space_key: str, title: str) -> Node | None:
        """Return a current page by its title."""
        space_id = self._space_id(space_key)
        if not space_id:
            return None
        params = {"space-id": space_id, "title": title, "status": "current"}
        for item in self._client.items(f"{V2}/pages", params):
            if text(item, "title") == title:
                return self._node(item, "page")
        return None

    def comments(self, node: Node) -> Sequence[Comment]:
        """Return footer comments, then those on a text, each oldest first."""
        path = f"{V2}/{_COLLECTIONS[node.kind]}/{node.id}"
        return [
            *self._comments(f"{path}/footer-comments", "footer-comments"),
            *self._comments(f"{path}/inline-comments", "inline-comments"),
        ]

    def _comments(self, path: str, kind: str, *, depth: int = 0) -> Iterator[Comment]:
        params = {"body-format": "storage", "limit": LIST_LIMIT, "sort": "created-date"}
        for item in self._client.items(path, params):
            replies: tuple[Comment, ...] = ()
            if depth < 5:
                inside = f"{V2}/{kind}/{text(item, 'id')}/children"
                replies = tuple(self._comments(inside, kind, depth=depth + 1))
            yield comment_of(item, replies)

    def attachments(self, spaces: Sequence[Space]) -> Iterator[Attachment]:
        """Yield all current attachments of the site, or of a few spaces of many.

        v2 lists those of all spaces only; the search index knows spaces.
        """
        if len(spaces) <= FEW_SPACES and len(spaces) < len(self._keys):
            for space in spaces:
                cql = f"type = attachment and space = {quoted(space.key)}"
                for item in self._v1.search(cql, "version,container,extensions"):
                    if found := searched_attachment(item, self._site_url):
                        yield found
            return
        params = {"status": "current", "limit": LIST_LIMIT}
        for item in self._client.items(f"{V2}/attachments", params):
            if found := attachment_of(item, self._site_url):
                yield found

    def attachments_of(self, node: Node) -> Iterator[Attachment]:
        """Yield a page's attachments."""
        path = f"{V2}/{_COLLECTIONS[node.kind]}/{node.id}/attachments"
        params = {"status": "current", "limit": LIST_LIMIT}
        for item in self._client.items(path, params):
            if found := attachment_of(item, self._site_url):
                yield found

    def user_name(self, account: str) -> str:
        """Return a person's public name."""
        path = "/wiki/rest/api/user"
        found = self._client.object(path, {"accountId": account})
        return inner_text(found, "displayName") or inner_text(found, "publicName")

    def members(self, group: Group) -> Iterator[User]:
        """Yield a group's members by account id."""
        return self._v1.members(f"group/{quote(group.id, safe='')}/membersByGroupId")

    def page_url(self, space_key: str, title: str, anchor: str) -> str:
        """Return an address that leads on to the page."""
        anchor = f"#{quote('-'.join(anchor.split()))}" if anchor else ""
        return f"{self._site_url}/wiki/display/{space_key}/{quote_plus(title)}{anchor}"

    def id_url(self, content_id: str) -> str:
        """Return an address that leads on to a content."""
        return f"{self._site_url}/wiki/pages/viewpage.action?pageId={quote(content_id)}"

    def file_url(self, page_id: str, name: str) -> str:
        """Return the address of a file on a page."""
        return f"{self._site_url}/wiki/download/attachments/{page_id}/{quote(name)}"

    def issue_url(self, key: str) -> str:
        """Return the address of an issue in the site's own Jira."""
        return f"{self._site_url}/browse/{quote(key)}"

    def _space_id(self, key: str) -> str:
        known = {value: id_ for id_, value in self._keys.items()}
        if key in known:
            return known[key]
        for item in self._client.items(f"{V2}/spaces", {"keys": key, "limit": 1}):
            self._keys[text(item, "id")] = text(item, "key")
        return next((id_ for id_, found in self._keys.items() if found == key), "")

    def _space_key(self, space_id: str) -> str:
        if space_id not in self._keys:
            space = self._client.object(f"{V2}/spaces/{space_id}")
            self._keys[space_id] = text(space, "key")
        return self._keys[space_id]

    def _node(self, item: Mapping[str, Any], kind: str) -> Node:
        key = self._space_key(text(item, "spaceId"))
        return node_of(item, kind, key, self._site_url)
