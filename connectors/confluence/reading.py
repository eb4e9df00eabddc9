"""Pages to changes: read, unchanged, denied, gone, each with its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import structlog

from connectors.atlassian.damage import damage_of
from connectors.atlassian.one_thing import OneByOne
from connectors.base import Change, Delete, Failed, Known, Notice, Unchanged, Upsert
from connectors.confluence.bodies import BodyReader
from connectors.confluence.files import FileReader
from connectors.confluence.marks import TOO_NARROW, CommentVersion, Mark, mark_of
from connectors.confluence.pages import Rendered, Renderer
from connectors.confluence.rules import Denied, Rules
from connectors.confluence.site import Attachment, Comment, Node, Site, Space
from connectors.errors import ConnectorError, ConversionError
from connectors.http.errors import HttpError
from memory.access import AccessRule

log = structlog.get_logger(__name__)

ACCESS_UNKNOWN = "access_unknown"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A page to look at, with what is known of it beside its version."""

    node: Node
    labels: Sequence[str] = ()
    comments: Sequence[CommentVersion] = ()


@dataclass(slots=True)
class PageReader:
    """Turns the pages of one run into changes."""

    site: Site
    rules: Rules
    spaces: Mapping[str, Space]
    bodies: BodyReader
    renderer: Renderer
    files: FileReader
    with_comments: bool
    #: Macros that could not be shown, and how many pages hold some.
    unhandled: Counter[str] = field(default_factory=Counter)
    pages_with_unhandled: int = 0
    _things: OneByOne = field(default_factory=OneByOne)
    _denied: dict[str, str] = field(default_factory=dict)

    def rule(self, node: Node) -> AccessRule | Failed:
        """Return who may read a page, or the change that hides it."""
        if node.id not in self._denied:
            try:
                return self.rules.of(node)
            except Denied as verdict:
                self._denied[node.id] = str(verdict)
        return Failed(node.id, node.url, ACCESS_UNKNOWN, self._denied[node.id])

    def unchanged(self, wanted: Wanted, rule: AccessRule, known: Known) -> bool:
        """Tell whether what's indexed is what would be read now."""
        old = Mark.parse(known.mark(wanted.node.id))
        if old is None or not old.is_same_page(self._mark(wanted)):
            return False
        return all(
            version == self._included_now(id_, rule)
            for id_, version in old.included.items()
        )

    def _included_now(self, page_id: str, including: AccessRule) -> str:
        node = self.rules.nodes.get(page_id)
        if node is None:
            return ""
        admits = self.renderer.library.admits(node, including)
        return str(node.version) if admits else TOO_NARROW

    def _mark(self, wanted: Wanted) -> Mark:
        space = self.spaces.get(wanted.node.space_key)
        return mark_of(
            wanted.node,
            space_name=space.name if space else "",
            labels=wanted.labels,
            comments=wanted.comments,
        )

    def labels(self, node: Node) -> Sequence[str] | Failed:
        """Return a page's labels, asked for where no list has told them."""
        if facts := self.rules.facts.get(node.id):
            return facts.labels
        try:
            found = self.site.labels_of(node.id)
        except HttpError as error:
            self._things.failed(error)
            return unread(node, error)
        self._things.read()
        return found

    def read(self, group: Sequence[Wanted]) -> Iterator[Change]:
        """Yield what became of pages that aren't as they were."""
        bodies = self.bodies.read([wanted.node.id for wanted in group])
        for wanted in group:
            found = bodies.found.get(wanted.node.id)
            if error := bodies.failed.get(wanted.node.id):
                yield unread(wanted.node, error)
                continue
            if found is None:
                # Archived, trashed or hidden since it was listed.
                yield Delete(wanted.node.id)
                continue
            # Its text may be newer than its listing, and so may its place.
            node, body = found
            rule = self.rule(node)
            if isinstance(rule, Failed):
                yield rule
            else:
                yield self.page(replace(wanted, node=node), body, rule)

    def page(self, wanted: Wanted, body: str, rule: AccessRule) -> Change:
        """Return the change for a page with this markup."""
        node = wanted.node
        warnings: list[tuple[str, str]] = []
        comments: Sequence[Comment] = ()
        if self.with_comments and wanted.comments:
            try:
                comments = self.site.comments(node)
                self._things.read()
            except HttpError as error:
                self._things.failed(error)
                warnings.append(("comments_unread", str(error)))
        try:
            rendered = self._rendered(wanted, body, rule, comments)
        except ConversionError as error:
            return Failed(node.id, node.url, error.reason, str(error))
        except ConnectorError:
            raise
        except Exception as error:  # noqa: BLE001 - one bad page never stops a run
            log.exception("conversion_failed", document=node.id)
            message = (
                f"Its text can't be read ({type(error).__name__}); the log has more."
            )
            return Failed(node.id, node.url, "converter_failed", message)
        mark = replace(self._mark(wanted), included=rendered.included)
        told = [*warnings, *rendered.warnings, *damage_of(rendered.document)]
        return Upsert(rendered.document, rule, str(mark), told)

    def _rendered(
        self,
        wanted: Wanted,
        body: str,
        rule: AccessRule,
        comments: Sequence[Comment],
    ) -> Rendered:
        space = self.spaces.get(wanted.node.space_key)
        rendered = self.renderer.page(
            wanted.node,
            body,
            rule,
            comments=comments,
            labels=wanted.labels,
            space_name=space.name if space else "",
        )
        if unhandled := rendered.document.content.unhandled:
            self.unhandled.update(unhandled)
            self.pages_with_unhandled += 1
        return rendered

    def attachments(self, page: Node, known: Known) -> Iterator[Change]:
        """Yield what became of the attachments of a page that may be read."""
        try:
            found = list(self.site.attachments_of(page))
        except HttpError as error:
            self._things.failed(error)
            message = f"The files of “{page.title}” ({page.url}) are unread. {error}"
            yield Notice(message, reason="attachments_unread")
            return
        self._things.read()
        yield from (self.attachment(each, page, known) for each in found)

    def attachment(self, attachment: Attachment, page: Node, known: Known) -> Change:
        """Return what became of an attachment of a page that may be read."""
        rule = self.rule(page)
        if isinstance(rule, Failed):
            return replace(rule, external_id=attachment.id, url=attachment.url)
        mark = self.files.mark(attachment, page)
        if known.mark(attachment.id) == mark:
            return Unchanged(attachment.id, mark, rule)
        return self.files.read(attachment, page, rule)

    def notices(self) -> Iterator[Notice]:
        """Yield what an administrator should know of the run as a whole."""
        if self._denied:
            yield Notice(
                f"Of {len(self._denied)} pages it can't be told who may view them, so "
                "nobody reads them; each is listed with its reason.",
                reason=ACCESS_UNKNOWN,
            )
        if self.unhandled:
            names = ", ".join(
                f"{name} ({count})" for name, count in self.unhandled.most_common(8)
            )
            yield Notice(
                f"{self.pages_with_unhandled} pages hold what can't be shown: {names}. "
                "The rest of their text is there.",
                reason="not_shown",
            )


def unread(node: Node, error: HttpError) -> Failed:
    """Return the change for a page that the site can't give."""
    return Failed(node.id, node.url, "unread", str(error))
