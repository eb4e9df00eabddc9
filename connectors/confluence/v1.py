"""API v1: what both kinds of sites say in the same words.

Restrictions, search and groups: https://developer.atlassian.com/cloud/confluence/rest/v1/
(api-group-content-restrictions, api-group-search, api-group-group; read 2026-12) and
https://developer.atlassian.com/server/confluence/rest/v1000/ (read 2026-12).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from connectors.confluence.client import Client
from connectors.confluence.site import Changed, Facts, Group, Subjects, User
from connectors.conversion.converted import aware
from connectors.http.errors import NotJson

RESTRICTIONS = (
    "restrictions.read.restrictions.user,restrictions.read.restrictions.group"
)
FACTS = f"{RESTRICTIONS},metadata.labels"
SEARCH_LIMIT = 100


class V1:
    """The v1 requests of a site; `api` is what its paths start with."""

    def __init__(self, client: Client, api: str) -> None:
        """Ask through `client`."""
        self._client = client
        self._api = api

    def search(self, cql: str, expand: str) -> Iterator[dict[str, Any]]:
        """Yield the contents that a query finds, to the end."""
        params = {"cql": cql, "expand": expand, "limit": SEARCH_LIMIT}
        return self._client.items(f"{self._api}/content/search", params)

    def facts_in(self, space_key: str) -> Iterator[tuple[str, Facts]]:
        """Yield readers and labels of a space's pages as the search index has them."""
        cql = f"space = {quoted(space_key)} and type in (page, blogpost)"
        for item in self.search(cql, FACTS):
            yield text(item, "id"), self.facts(item)

    def facts(self, item: Mapping[str, Any]) -> Facts:
        """Return readers and labels of an expanded content."""
        return Facts(self.readers(item), labels_of(item))

    def readers(self, item: Mapping[str, Any]) -> Subjects:
        """Return who may view a content by its own list; a long list is read on."""
        read = inner(item, "restrictions", "read", "restrictions")
        if read is None:
            raise NotJson("Confluence sent a page without its restrictions.")
        if is_cut(read):
            return self.restriction(text(item, "id"))
        return subjects_of(read)

    def restriction(self, content_id: str) -> Subjects:
        """Return who may view a content by its own list, complete."""
        path = f"{self._api}/content/{content_id}/restriction/byOperation/read"
        users: set[str] = set()
        groups: set[str] = set()
        start = 0
        while True:
            page = self._client.object(
                path,
                {
                    "expand": "restrictions.user,restrictions.group",
                    "start": start,
                    "limit": SEARCH_LIMIT,
                },
            )
            read = inner(page, "restrictions")
            if read is None:
                raise NotJson("Confluence sent a restriction without its lists.")
            found = subjects_of(read)
            size = max(_count(read, "user"), _count(read, "group"))
            if start and found.users <= users and found.groups <= groups and size:
                raise self._client.repeated()
            users |= found.users
            groups |= found.groups
            if not is_cut(read):
                return Subjects(frozenset(users), frozenset(groups))
            start += size

    def changed_since(self, literal: str) -> Iterator[Changed]:
        """Yield pages that changed, or whose comments or attachments did."""
        cql = (
            f'lastmodified >= "{literal}" and type in (page, blogpost, comment, '
            "attachment) order by lastmodified asc"
        )
        for item in self.search(cql, "version,container,space"):
            if page_id := page_of(item):
                changed_at = aware(inner_text(item, "version", "when"))
                yield Changed(page_id, changed_at, inner_text(item, "space", "key"))

    def comment_versions(self, cql: str) -> Iterator[tuple[str, str, int]]:
        """Yield page, comment and version of the comments that a query finds."""
        for item in self.search(f"type = comment and {cql}", "version,container"):
            if page_id := page_of(item):
                yield page_id, text(item, "id"), number(item, "version", "number")

    def groups(self) -> Iterator[Group]:
        """Yield all groups; without ids, their names are what stays."""
        for item in self._client.numbered(f"{self._api}/group", {"limit": 200}):
            name = text(item, "name")
            yield Group(str(item.get("id") or name), name)

    def members(self, path: str) -> Iterator[User]:
        """Yield the members that a path lists."""
        for item in self._client.numbered(f"{self._api}/{path}", {"limit": 200}):
            if account := account_of(item):
                name, email = item.get("displayName"), item.get("email")
                yield User(account, str(name or ""), str(email or ""))


def page_of(item: Mapping[str, Any]) -> str:
    """Return the page that a content is or hangs on; "" for none."""
    if item.get("type") in ("page", "blogpost"):
        return text(item, "id")
    container = inner(item, "container") or {}
    if container.get("type") in ("page", "blogpost"):
        return text(container, "id")
    return ""


def scope(space_key: str | None, page_ids: Sequence[str]) -> str:
    """Return the part of a query that names a space, or pages that things hang on."""
    if space_key is not None:
        return f"space = {quoted(space_key)}"
    return f"container in ({', '.join(page_ids)})"


def subjects_of(read: Mapping[str, Any]) -> Subjects:
    """Return who two lists, of users and of groups, name."""
    users = frozenset(filter(None, map(account_of, _results(read, "user"))))
    groups = frozenset(
        str(item.get("id") or item.get("name") or "")
        for item in _results(read, "group")
    )
    if len(users) < len(_results(read, "user")) or "" in groups:
        # A list whose entries can't be told would look shorter, or like none at all.
        raise NotJson("Confluence sent a restriction that names somebody without id.")
    return Subjects(users, groups)


def is_cut(read: Mapping[str, Any]) -> bool:
    """Tell whether either list may go on."""
    for name in ("user", "group"):
        part = read.get(name) or {}
        limit = int(part.get("limit") or 0)
        if limit and len(_results(read, name)) >= limit:
            return True
    return False


def _count(read: Mapping[str, Any], name: str) -> int:
    return len(_results(read, name))


def _results(read: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    part = read.get(name)
    results = part.get("results") if isinstance(part, dict) else None
    if not isinstance(results, list):
        raise NotJson(f"Confluence sent a restriction without its {name}s.")
    return results


def account_of(item: Mapping[str, Any]) -> str:
    """Return a person's account id (Cloud) or user key (Data Center)."""
    for name in ("accountId", "userKey", "username"):
        if value := item.get(name):
            return str(value)
    return ""


def labels_of(item: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the labels of an expanded content, in order."""
    results = (inner(item, "metadata", "labels") or {}).get("results") or []
    return tuple(sorted({text(label, "name") for label in results}))


def inner(item: Mapping[str, Any], *names: str) -> dict[str, Any] | None:
    """Return an object inside of an object, or None."""
    value: Any = item
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def inner_text(item: Mapping[str, Any], *names: str) -> str:
    """Return a text inside of an object, or ""."""
    parent = inner(item, *names[:-1]) if len(names) > 1 else item
    value = (parent or {}).get(names[-1])
    return "" if value is None else str(value)


def text(item: Mapping[str, Any], name: str) -> str:
    """Return a text that has to be there. Raises NotJson."""
    value = item.get(name)
    if value is None or isinstance(value, dict | list):
        raise NotJson(f"Confluence sent data without “{name}”.")
    return str(value)


def number(item: Mapping[str, Any], *names: str) -> int:
    """Return a whole number inside of an object, 0 where there's none."""
    value = inner_text(item, *names)
    return int(value) if value.isascii() and value.isdigit() else 0


def quoted(value: str) -> str:
    """Return a text as CQL takes it."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
