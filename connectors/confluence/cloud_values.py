"""What v2 and v1 of Cloud say of pages, comments and files, as values.

https://developer.atlassian.com/cloud/confluence/rest/v2/ (api-group-page,
api-group-comment, api-group-attachment) and …/rest/v1/ (api-group-search, api-group-
content---attachments); read 2026-12.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from connectors.confluence.site import Attachment, Comment, Node, Parent
from connectors.confluence.v1 import (
    account_of,
    inner,
    inner_text,
    number,
    page_of,
    text,
)
from connectors.conversion.converted import aware


def node_of(item: Mapping[str, Any], kind: str, space_key: str, site_url: str) -> Node:
    """Return a page or blog post of v2."""
    parent_id = inner_text(item, "parentId")
    parent_kind = inner_text(item, "parentType") or "page"
    has_parent = parent_id and kind == "page" and parent_kind != "space"
    return Node(
        id=text(item, "id"),
        kind=kind,
        title=text(item, "title"),
        space_key=space_key,
        version=number(item, "version", "number"),
        url=web(inner_text(item, "_links", "webui"), site_url),
        updated_at=aware(inner_text(item, "version", "createdAt")),
        author=inner_text(item, "version", "authorId"),
        owner=inner_text(item, "ownerId") or inner_text(item, "authorId"),
        parent=Parent(parent_kind, parent_id) if has_parent else None,
    )


def comment_of(item: Mapping[str, Any], replies: tuple[Comment, ...]) -> Comment:
    """Return a comment of v2 with its answers."""
    return Comment(
        id=text(item, "id"),
        author=inner_text(item, "version", "authorId"),
        created_at=aware(inner_text(item, "version", "createdAt")),
        body=inner_text(item, "body", "storage", "value"),
        selection=inner_text(item, "properties", "inlineOriginalSelection"),
        is_resolved=inner_text(item, "resolutionStatus") == "resolved",
        replies=replies,
    )


def attachment_of(item: Mapping[str, Any], site_url: str) -> Attachment | None:
    """Return an attachment of v2; None where it's on no page, or isn't current."""
    page_id = inner_text(item, "pageId") or inner_text(item, "blogPostId")
    if not page_id or item.get("status", "current") != "current":
        return None
    id_ = text(item, "id")
    return Attachment(
        id=id_,
        page_id=page_id,
        name=text(item, "title"),
        size=number(item, "fileSize"),
        version=number(item, "version", "number"),
        url=web(inner_text(item, "webuiLink"), site_url),
        download=_download(page_id, id_),
        updated_at=aware(inner_text(item, "version", "createdAt")),
        author=inner_text(item, "version", "authorId"),
    )


def searched_attachment(item: Mapping[str, Any], site_url: str) -> Attachment | None:
    """Return an attachment that a search of v1 found; None where it's on no page."""
    id_, page_id = text(item, "id"), page_of(item)
    if not page_id:
        return None
    return Attachment(
        id=id_,
        page_id=page_id,
        name=text(item, "title"),
        size=number(item, "extensions", "fileSize"),
        version=number(item, "version", "number"),
        url=web(inner_text(item, "_links", "webui"), site_url),
        download=_download(page_id, id_),
        updated_at=aware(inner_text(item, "version", "when")),
        author=account_of(inner(item, "version", "by") or {}),
    )


def _download(page_id: str, attachment_id: str) -> str:
    """Return where a file is fetched with any kind of token; its link needs the site."""
    return f"/wiki/rest/api/content/{page_id}/child/attachment/{attachment_id}/download"


def web(link: str, site_url: str) -> str:
    """Return the address that people open."""
    if not link:
        return ""
    return f"{site_url}/wiki/{link.removeprefix('/wiki').lstrip('/')}"
