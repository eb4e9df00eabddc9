"""One page as a document: its text, its comments, and what is known about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from connectors.confluence.references import Library, PageReferences, People
from connectors.confluence.site import Comment, Node, Site
from connectors.confluence.storage_format import convert
from connectors.conversion.builder import ContentBuilder
from connectors.conversion.converted import Warnings, short_title
from memory.access import AccessRule
from memory.documents import Content, Document

COMMENTS_HEADING = "Comments"
ABOUT_HEADING = "About this page"


@dataclass(frozen=True, slots=True)
class Rendered:
    """A page's document, with what became of the pages that it includes."""

    document: Document
    included: dict[str, str]
    warnings: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Renderer:
    """Makes documents of pages of one site."""

    source_id: UUID
    site: Site
    people: People
    library: Library
    is_cloud: bool

    def page(
        self,
        node: Node,
        body: str,
        rule: AccessRule,
        *,
        comments: Sequence[Comment] = (),
        labels: Sequence[str] = (),
        space_name: str = "",
    ) -> Rendered:
        """Return the page's document.

        Its text comes first, then comments, then space and labels in a section of
        their own, so that a question that names them finds the page.
        """
        references = PageReferences(node, rule, self.site, self.people, self.library)
        warnings = Warnings()
        builder = ContentBuilder()
        builder.append(self._converted(body, node, references, warnings))
        if comments:
            builder.heading(COMMENTS_HEADING, 2)
            for comment in comments:
                self._comment(builder, comment, node, references)
        self._about(builder, node, labels, space_name)
        document = Document(
            source_id=self.source_id,
            external_id=node.id,
            title=short_title(node.title) or node.id,
            content=builder.build(),
            url=node.url,
            kind=node.kind,
            author=self.people.name(node.author),
            owner=self.people.name(node.owner),
            version=str(node.version),
            updated_at=node.updated_at,
        )
        return Rendered(document, references.included_versions, tuple(warnings.found))

    def _converted(
        self, body: str, node: Node, references: PageReferences, warnings: Warnings
    ) -> Content:
        anchors = "dashes" if self.is_cloud else node.title
        return convert(body, references, warnings, anchors=anchors)

    def _comment(
        self,
        builder: ContentBuilder,
        comment: Comment,
        node: Node,
        references: PageReferences,
        *,
        answers: str = "",
    ) -> None:
        who = self.people.name(comment.author) or "Somebody"
        when = f", {comment.created_at:%Y-%m-%d}" if comment.created_at else ""
        place = f" on “{comment.selection}”" if comment.selection else ""
        to = f" to {answers}" if answers else ""
        done = " (resolved)" if comment.is_resolved else ""
        builder.paragraph(f"{who}{to}{when}{place}{done}:")
        builder.append(
            self._converted(comment.body, node, references, Warnings()), below=2
        )
        for reply in comment.replies:
            self._comment(builder, reply, node, references, answers=who)

    def _about(
        self,
        builder: ContentBuilder,
        node: Node,
        labels: Sequence[str],
        space_name: str,
    ) -> None:
        if builder.is_empty:
            # Nothing but its place is no text; the run says that it's empty.
            return
        space = space_name or node.space_key
        if not labels and not space:
            return
        builder.heading(ABOUT_HEADING, 2)
        if space:
            builder.list_item(f"Space: {space}")
        if labels:
            builder.list_item(f"Labels: {', '.join(labels)}")
