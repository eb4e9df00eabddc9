"""What becomes of one issue: its document, its restricted comments, its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import structlog

from connectors.atlassian.damage import damage_of
from connectors.base import Change, Delete, Failed, Known, Notice, Upsert
from connectors.errors import ConversionError
from connectors.jira.attachments import UNREADABLE, AttachmentReader
from connectors.jira.cursor import Window
from connectors.jira.document import Pages, attachment_id, comment_id, issue_id
from connectors.jira.options import JiraOptions
from connectors.jira.reading import Unread
from connectors.jira.rules import Rules
from connectors.jira.site import Comment, Issue
from memory.access import AccessRule
from memory.documents import Document

log = structlog.get_logger(__name__)

LEFT_OUT = "comments_left_out"
#: Between the ids in an issue's mark, which are its documents beside itself.
_BETWEEN = " "


@dataclass(frozen=True, slots=True)
class Parts:
    """An issue's comments by who may see them."""

    shown: tuple[Comment, ...]
    restricted: tuple[tuple[Comment, AccessRule], ...]
    left_out: tuple[Comment, ...]


def parts_of(issue: Issue, rule: AccessRule, rules: Rules) -> Parts:
    """Sort an issue's comments; those whose visibility can't be read are left out."""
    shown = tuple(item for item in issue.comments if not item.is_restricted)
    restricted = [item for item in issue.comments if item.is_restricted]
    ruled = [(item, rules.of_comment(issue, item, rule)) for item in restricted]
    readable = tuple((item, own) for item, own in ruled if own is not None)
    return Parts(shown, readable, tuple(item for item, own in ruled if own is None))


def hanging_on(id_: str, known: Known) -> list[str]:
    """Return the documents that hung on an issue when it was last read."""
    before = known.mark(f"issue/{id_}") or ""
    return [f"issue/{id_}/{name}" for name in before.split(_BETWEEN) if name]


@dataclass(frozen=True, slots=True)
class IssueChanges:
    """Turns issues into changes."""

    options: JiraOptions
    pages: Pages
    rules: Rules
    files: AttachmentReader
    unhandled: Counter[str] = field(default_factory=Counter)

    def notices(self) -> Iterator[Notice]:
        """Yield what could not be rendered, if anything."""
        if self.unhandled:
            named = (f"{name} ({n})" for name, n in self.unhandled.most_common(8))
            message = (
                f"Texts hold what Attest can't show: {', '.join(named)}. What they say "
                "in words was kept."
            )
            yield Notice(message, "unhandled")

    def of(
        self, issue: Issue | Unread, known: Known, window: Window
    ) -> Iterator[Change]:
        """Yield what became of an issue and of what hangs on it."""
        if isinstance(issue, Unread):
            window.read_again(issue.id)
            name = f"issue/{issue.id}"
            url = self.pages.url(issue.key) if issue.key else ""
            yield Failed(name, url, UNREADABLE, str(issue.error))
            message = f"What hangs on the issue {issue.key or issue.id} is unknown."
            yield Notice(
                message, UNREADABLE, incomplete=True, external_prefix=f"{name}/"
            )
            return
        rule = self.rules.of_issue(issue)
        parts = parts_of(issue, rule, self.rules)
        yield from self._gone(issue, parts, known)
        yield self._issue(issue, parts, rule)
        for comment, own in parts.restricted:
            yield self._comment(issue, comment, own)
        for attachment in issue.attachments:
            change = self.files.change(issue, attachment, rule, known)
            if isinstance(change, Failed) and change.reason == UNREADABLE:
                window.read_again(issue.id)
            yield change

    def _gone(self, issue: Issue, parts: Parts, known: Known) -> Iterator[Delete]:
        """Yield the issue's documents of the last time that it hasn't any more."""
        now = {f"{issue_id(issue)}/{name}" for name in self._inside(issue, parts)}
        for name in hanging_on(issue.id, known):
            if name not in now:
                yield Delete(name)

    def _inside(self, issue: Issue, parts: Parts) -> list[str]:
        """Return what an issue's mark holds: the ids of its other documents, cut short."""
        names = [comment_id(issue, comment.id) for comment, _ in parts.restricted]
        names += [attachment_id(issue, item.id) for item in issue.attachments]
        start = len(issue_id(issue)) + 1
        return [name[start:] for name in names]

    def _issue(self, issue: Issue, parts: Parts, rule: AccessRule) -> Change:
        warnings = []
        if parts.left_out:
            count = len(parts.left_out)
            message = (
                f"{count} of its comments {'is' if count == 1 else 'are'} left out: who "
                "may see them can't be read."
            )
            warnings.append((LEFT_OUT, message))
        name, url = issue_id(issue), self.pages.url(issue.key)
        try:
            document = self.pages.issue(issue, parts.shown)
        except Exception as error:  # noqa: BLE001 - one bad issue never stops a run
            return _failed(name, url, error)
        mark = _BETWEEN.join(self._inside(issue, parts))
        self.unhandled.update(document.content.unhandled)
        return Upsert(document, rule, mark, [*warnings, *damage_of(document)])

    def _comment(self, issue: Issue, comment: Comment, rule: AccessRule) -> Change:
        name = comment_id(issue, comment.id)
        try:
            document: Document = self.pages.comment(issue, comment)
        except Exception as error:  # noqa: BLE001
            return _failed(name, self.pages.comment_url(issue, comment), error)
        self.unhandled.update(document.content.unhandled)
        return Upsert(document, rule, warnings=damage_of(document))


def _failed(name: str, url: str, error: Exception) -> Failed:
    if isinstance(error, ConversionError):
        return Failed(name, url, error.reason, str(error))
    log.error("conversion_failed", document=name, error=type(error).__name__)
    message = f"Its converter failed ({type(error).__name__}); the log has more."
    return Failed(name, url, "converter_failed", message)
