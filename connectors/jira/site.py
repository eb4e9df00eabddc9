"""What a Jira site is to the connector: values read from its JSON.

Ids are the vendor's, as text. A person is named by account id (Cloud) or user key (Data
Center), a group by its id (Cloud) or its name (Data Center, which gives no id).
https://developer.atlassian.com/cloud/jira/platform/rest/v3/intro/ and
https://developer.atlassian.com/server/jira/platform/rest/v11001/intro/ (read 2026-12-01)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from connectors.conversion.converted import aware


@dataclass(frozen=True, slots=True)
class User:
    """Somebody at the source. `email` is "" where the site hides it."""

    id: str
    name: str = ""
    email: str = ""


@dataclass(frozen=True, slots=True)
class Project:
    """A project that the account sees."""

    id: str
    key: str
    name: str = ""
    is_service_desk: bool = False
    lead_id: str = ""


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment. `role` and `group` say who alone may see it.

    `is_public` is False for an internal comment of a service desk, None where a service
    desk doesn't say.
    """

    id: str
    author: str
    body: object
    created_at: datetime | None = None
    updated_at: datetime | None = None
    role: str = ""
    group: str = ""
    #: It has a visibility of a kind that nobody here knows.
    is_strange: bool = False
    is_public: bool | None = True

    @property
    def is_restricted(self) -> bool:
        """Tell whether not everybody who sees the issue may see it."""
        return bool(self.role or self.group or self.is_strange) or not self.is_public


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file on an issue."""

    id: str
    name: str
    size: int
    author: str = ""
    created_at: datetime | None = None
    content_url: str = ""


@dataclass(frozen=True, slots=True)
class IssueLink:
    """How an issue is linked: “blocks” OPS-3. No more is told of the other one.

    Its summary and status are its own readers' to see.
    """

    relation: str
    key: str


@dataclass(frozen=True, slots=True)
class Issue:
    """An issue as a search or a look-up gives it."""

    id: str
    key: str
    project: Project
    fields: Mapping[str, Any] = field(repr=False)
    comments: tuple[Comment, ...] = ()
    comments_total: int = 0
    attachments: tuple[Attachment, ...] = ()

    def named(self, name: str) -> str:
        """Return the name of a field's value (status, priority, …), else ""."""
        value = self.fields.get(name)
        return text(value, "name") if isinstance(value, dict) else ""

    def names(self, name: str) -> list[str]:
        """Return the names in a field that holds several (components, labels)."""
        found = self.fields.get(name)
        values = found if isinstance(found, list) else []
        names = (v if isinstance(v, str) else text(v, "name") for v in values)
        return [item for item in names if item]

    def user(self, name: str) -> User | None:
        """Return the user in a field, or None."""
        return user_of(self.fields.get(name))

    @property
    def summary(self) -> str:
        """Return its one line."""
        return text(self.fields, "summary")

    @property
    def updated_at(self) -> datetime | None:
        """Return when it was last changed."""
        return aware(self.fields.get("updated"))

    @property
    def level_id(self) -> str:
        """Return the id of its security level, "" without one."""
        level = self.fields.get("security")
        return text(level, "id") if isinstance(level, dict) else ""

    @property
    def links(self) -> Iterator[IssueLink]:
        """Yield its links to other issues, its parent and its children."""
        if key := text(self.fields.get("parent"), "key"):
            yield IssueLink("is part of", key)
        for child in _objects(self.fields.get("subtasks")):
            if key := text(child, "key"):
                yield IssueLink("has the part", key)
        for link in _objects(self.fields.get("issuelinks")):
            kind = link.get("type")
            for way in ("outward", "inward"):
                if key := text(link.get(f"{way}Issue"), "key"):
                    yield IssueLink(text(kind, way) or "relates to", key)


def text(value: Any, name: str) -> str:
    """Return an entry of an object as text, "" where there's none."""
    found = value.get(name) if isinstance(value, Mapping) else None
    if isinstance(found, bool) or not isinstance(found, str | int):
        return ""
    return str(found)


def user_of(value: Any) -> User | None:
    """Return a user, or None for what names nobody."""
    if not isinstance(value, Mapping):
        return None
    id_ = text(value, "accountId") or text(value, "key") or text(value, "name")
    if not id_:
        return None
    name = text(value, "displayName") or text(value, "name")
    return User(id_, name, text(value, "emailAddress"))


def project_of(value: Mapping[str, Any]) -> Project:
    """Return a project."""
    lead = user_of(value.get("lead"))
    return Project(
        id=text(value, "id"),
        key=text(value, "key"),
        name=text(value, "name"),
        is_service_desk=text(value, "projectTypeKey") == "service_desk",
        lead_id=lead.id if lead else "",
    )


def issue_of(value: Mapping[str, Any], projects: Mapping[str, Project]) -> Issue | None:
    """Return an issue, or None for an answer that holds no more than its id.

    `projects` are those known by id; they tell more than an issue does.
    """
    fields = value.get("fields")
    if not isinstance(fields, Mapping) or not isinstance(
        fields.get("project"), Mapping
    ):
        return None
    own = project_of(fields["project"])
    project = projects.get(own.id, own)
    held = fields.get("comment")
    held = held if isinstance(held, Mapping) else {}
    comments = comments_of(held.get("comments"), project)
    total = held.get("total")
    return Issue(
        id=text(value, "id"),
        key=text(value, "key"),
        project=project,
        fields=fields,
        comments=comments,
        comments_total=total if isinstance(total, int) else len(comments),
        attachments=tuple(map(_attachment, _objects(fields.get("attachment")))),
    )


def comments_of(values: Any, project: Project) -> tuple[Comment, ...]:
    """Return the comments of an issue."""
    return tuple(_comment(value, project) for value in _objects(values))


def _comment(value: Mapping[str, Any], project: Project) -> Comment:
    author = user_of(value.get("author"))
    visibility = value.get("visibility")
    kind = text(visibility, "type")
    # A group is named by its id where there's one; a role has its name in both.
    name = text(visibility, "identifier") or text(visibility, "value")
    return Comment(
        id=text(value, "id"),
        author=author.name if author else "",
        body=value.get("body"),
        created_at=aware(value.get("created")),
        updated_at=aware(value.get("updated")),
        role=text(visibility, "value") if kind == "role" else "",
        group=name if kind == "group" else "",
        is_strange=bool(visibility) and (kind not in ("role", "group") or not name),
        is_public=_is_public(value, project),
    )


def _is_public(value: Mapping[str, Any], project: Project) -> bool | None:
    """Tell whether customers of a service desk see a comment.

    Cloud says `jsdPublic`; Data Center keeps the property sd.public.comment.
    """
    public = value.get("jsdPublic")
    if isinstance(public, bool):
        return public
    for entry in _objects(value.get("properties")):
        if entry.get("key") == "sd.public.comment":
            inner = entry.get("value")
            internal = inner.get("internal") if isinstance(inner, Mapping) else None
            # Older versions wrote it as text.
            if isinstance(internal, bool | str):
                return {"true": False, "false": True}.get(str(internal).lower())
    return None if project.is_service_desk else True


def _attachment(value: Mapping[str, Any]) -> Attachment:
    author = user_of(value.get("author"))
    size = value.get("size")
    return Attachment(
        id=text(value, "id"),
        name=text(value, "filename") or f"attachment {text(value, 'id')}",
        size=size if isinstance(size, int) else 0,
        author=author.name if author else "",
        created_at=aware(value.get("created")),
        content_url=text(value, "content"),
    )


def _objects(value: Any) -> Sequence[Mapping[str, Any]]:
    found = value if isinstance(value, list) else []
    return [item for item in found if isinstance(item, Mapping)]
