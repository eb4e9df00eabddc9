"""An issue, a restricted comment and an attachment as documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from urllib.parse import quote
from uuid import UUID

from connectors.conversion.adf import adf_content
from connectors.conversion.builder import ContentBuilder
from connectors.conversion.converted import Converted, short_title
from connectors.conversion.rich import Rich
from connectors.conversion.wiki_markup import wiki_content
from connectors.jira.options import JiraOptions
from connectors.jira.site import Attachment, Comment, Issue
from memory.documents import Content, Document, Link

#: What is told of an issue above its text: a word for people and the field.
_NAMED = (
    ("Type", "issuetype"),
    ("Status", "status"),
    ("Resolution", "resolution"),
    ("Priority", "priority"),
)
_LISTED = (
    ("Labels", "labels"),
    ("Components", "components"),
    ("Fix versions", "fixVersions"),
)
#: The fields of an issue that its document is made of, and its rule.
FIELDS = (
    *("summary", "description", "project", "security", "updated", "created"),
    *("issuetype", "status", "resolution", "priority", "labels", "components"),
    *("fixVersions", "assignee", "reporter", "issuelinks", "parent", "subtasks"),
)


def issue_id(issue: Issue) -> str:
    """Return an issue's id as a document; a move to another project doesn't change it."""
    return f"issue/{issue.id}"


def comment_id(issue: Issue, comment_id: str) -> str:
    """Return a restricted comment's id as a document."""
    return f"issue/{issue.id}/comment/{comment_id}"


def attachment_id(issue: Issue, attachment_id: str) -> str:
    """Return an attachment's id as a document."""
    return f"issue/{issue.id}/attachment/{attachment_id}"


class Pages:
    """Makes the documents of one source."""

    def __init__(self, source_id: UUID, options: JiraOptions) -> None:
        """Hold what all documents of a source share."""
        self._source_id = source_id
        self._base = options.base_url
        self._convert = adf_content if options.is_cloud else wiki_content

    def url(self, key: str) -> str:
        """Return the address of an issue."""
        return f"{self._base}/browse/{quote(key)}"

    def attachment_url(self, attachment: Attachment) -> str:
        """Return the address that opens a file in a browser."""
        return (
            f"{self._base}/secure/attachment/{quote(attachment.id)}/"
            f"{quote(attachment.name, safe='')}"
        )

    def comment_url(self, issue: Issue, comment: Comment) -> str:
        """Return the address that opens an issue at a comment."""
        return f"{self.url(issue.key)}?focusedCommentId={quote(comment.id)}"

    def issue(self, issue: Issue, comments: Sequence[Comment]) -> Document:
        """Return an issue with the comments that all its readers may see."""
        builder = ContentBuilder()
        builder.paragraph("\n".join(_facts(issue)))
        self._section(builder, "Description", issue.fields.get("description"))
        self._links(builder, issue)
        if comments:
            builder.heading("Comments", 1)
        for comment in comments:
            builder.heading(_headline(comment.author, comment.created_at), 2)
            builder.append(self._convert(comment.body), below=2)
        assignee, reporter = issue.user("assignee"), issue.user("reporter")
        updated = issue.updated_at
        return Document(
            source_id=self._source_id,
            external_id=issue_id(issue),
            title=title_of(issue),
            content=builder.build(),
            url=self.url(issue.key),
            kind="issue",
            author=reporter.name if reporter else "",
            owner=assignee.name if assignee else "",
            version=updated.isoformat() if updated else "",
            updated_at=updated,
        )

    def comment(self, issue: Issue, comment: Comment) -> Document:
        """Return a comment that not all readers of its issue may see."""
        builder = ContentBuilder()
        said = _headline(comment.author, comment.created_at)
        self._about(builder, f"Comment by {said} on ", issue)
        builder.append(self._convert(comment.body))
        return Document(
            source_id=self._source_id,
            external_id=comment_id(issue, comment.id),
            title=f"{title_of(issue)} (comment)",
            content=builder.build(),
            url=self.comment_url(issue, comment),
            kind="comment",
            author=comment.author,
            updated_at=comment.updated_at or comment.created_at,
        )

    def attachment(
        self, issue: Issue, attachment: Attachment, converted: Converted
    ) -> Document:
        """Return a file with a link to its issue."""
        builder = ContentBuilder()
        self._about(builder, "Attached to ", issue)
        builder.append(converted.content)
        return Document(
            source_id=self._source_id,
            external_id=attachment_id(issue, attachment.id),
            title=converted.title or short_title(attachment.name),
            content=builder.build(),
            url=self.attachment_url(attachment),
            kind=converted.kind,
            author=converted.author or attachment.author,
            version=attachment.id,
            updated_at=attachment.created_at or converted.updated_at,
            status=converted.status,
        )

    def _section(self, builder: ContentBuilder, title: str, body: object) -> None:
        content: Content = self._convert(body)
        if content.text or content.unhandled:
            builder.heading(title, 1)
            builder.append(content, below=1)

    def _links(self, builder: ContentBuilder, issue: Issue) -> None:
        links = list(dict.fromkeys(issue.links))
        if links:
            builder.heading("Links", 1)
        for link in links:
            builder.list_item(self._linked(f"{link.relation} ", link.key))

    def _about(self, builder: ContentBuilder, words: str, issue: Issue) -> None:
        builder.paragraph(self._linked(words, issue.key))

    def _linked(self, words: str, key: str) -> Rich:
        end = len(words) + len(key)
        return Rich(words + key, (Link(len(words), end, self.url(key)),))


def title_of(issue: Issue) -> str:
    """Return an issue's key and summary."""
    return short_title(f"{issue.key}: {issue.summary}" if issue.summary else issue.key)


def _facts(issue: Issue) -> Iterable[str]:
    """Yield a line for each fact that the issue has."""
    for word, name in _NAMED:
        if value := issue.named(name):
            yield f"{word}: {value}"
    for word, name in (("Assignee", "assignee"), ("Reporter", "reporter")):
        if user := issue.user(name):
            yield f"{word}: {user.name or user.id}"
    for word, name in _LISTED:
        if values := issue.names(name):
            yield f"{word}: {', '.join(values)}"
    yield f"Project: {issue.project.name or issue.project.key}"


def _headline(author: str, moment: datetime | None) -> str:
    day = moment.date().isoformat() if moment else ""
    return ", ".join(part for part in (author or "Somebody", day) if part)
