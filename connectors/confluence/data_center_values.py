"""What v1 of Data Center says of pages, comments and files, as values.

https://developer.atlassian.com/server/confluence/rest/v1000/ (api-group-content-resource,
api-group-child-content, api-group-attachments; read 2026-12)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from connectors.confluence.site import Attachment, Comment, Node, Parent
from connectors.confluence.v1 import account_of, inner, inner_text, number, text
from connectors.conversion.converted import aware

#: The vendor's types of pages, by ours.
TYPES = {"page": "page", "blogpost": "blog_post"}
Items = list[Mapping[str, Any]]


def node_of(item: Mapping[str, Any], parent: Parent | None, site_url: str) -> Node:
    """Return a page or blog post."""
    return Node(
        id=text(item, "id"),
        kind=TYPES[text(item, "type")],
        title=text(item, "title"),
        space_key=inner_text(item, "space", "key"),
        version=number(item, "version", "number"),
        url=web(item, site_url),
        updated_at=aware(inner_text(item, "version", "when")),
        author=account_of(inner(item, "version", "by") or {}),
        owner=account_of(inner(item, "history", "createdBy") or {}),
        parent=parent,
    )


def threads_of(items: Iterable[Mapping[str, Any]]) -> list[Comment]:
    """Return comments with what answers them; the order stays."""
    below: dict[str, Items] = {}
    for item in items:
        above = item.get("ancestors") or []
        comments = [place for place in above if place.get("type") == "comment"]
        answered = text(comments[-1], "id") if comments else ""
        below.setdefault(answered, []).append(item)
    return [_comment(item, below) for item in below.get("", [])]


def _comment(item: Mapping[str, Any], below: Mapping[str, Items]) -> Comment:
    id_ = text(item, "id")
    status = inner_text(item, "extensions", "resolution", "status")
    return Comment(
        id=id_,
        author=account_of(inner(item, "history", "createdBy") or {}),
        created_at=aware(inner_text(item, "history", "createdDate")),
        body=inner_text(item, "body", "storage", "value"),
        selection=inner_text(
            item, "extensions", "inlineProperties", "originalSelection"
        ),
        is_resolved=status == "resolved",
        replies=tuple(_comment(reply, below) for reply in below.get(id_, [])),
    )


def attachment_of(
    item: Mapping[str, Any], page_id: str, site_url: str
) -> Attachment | None:
    """Return an attachment; None where it's on no page, or isn't current."""
    if not page_id or item.get("status", "current") != "current":
        return None
    return Attachment(
        id=text(item, "id"),
        page_id=page_id,
        name=text(item, "title"),
        size=number(item, "extensions", "fileSize"),
        version=number(item, "version", "number"),
        url=web(item, site_url),
        download=inner_text(item, "_links", "download"),
        updated_at=aware(inner_text(item, "version", "when")),
        author=account_of(inner(item, "version", "by") or {}),
    )


def web(item: Mapping[str, Any], site_url: str) -> str:
    """Return the address that people open."""
    link = inner_text(item, "_links", "webui")
    return f"{site_url}/{link.lstrip('/')}" if link else ""
