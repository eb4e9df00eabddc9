"""Jira as a source: issues with their comments, restricted comments, attachments.

A run reads what changed since a time of the site's own clock; deletions are found by
`listing`, changed permissions by `access`. docs/connectors/jira.md says what is read.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any
from uuid import UUID

from connectors.base import (
    Change,
    Check,
    Checkpoint,
    Complete,
    Cursor,
    Known,
    Membership,
    Notice,
    Total,
)
from connectors.conversion.converted import aware
from connectors.errors import ConnectorError, IncompleteListing, PermanentError
from connectors.files.converting import Converter, PackageConverter
from connectors.http import Patience
from connectors.http.errors import BadRequest, HttpError, RateLimited
from connectors.jira import document
from connectors.jira.attachments import AttachmentReader
from connectors.jira.checking import Checking
from connectors.jira.client import Client
from connectors.jira.cursor import Window
from connectors.jira.document import FIELDS, Pages, attachment_id, comment_id, issue_id
from connectors.jira.issue_changes import IssueChanges, hanging_on, parts_of
from connectors.jira.options import OPTIONS as OPTIONS
from connectors.jira.options import JiraOptions
from connectors.jira.people import People
from connectors.jira.reading import Found, IssueReader, Unread
from connectors.jira.rules import Names, Rules
from connectors.jira.schemes import list_projects
from connectors.jira.search import StalePosition, window
from connectors.jira.site import Issue, User
from connectors.jira.visit import Visit
from connectors.models import Source
from memory.access import NOBODY_RULE, AccessRule

#: What decides who sees an issue, beside fields that its project's schemes name.
ACCESS_FIELDS = ("project", "security", "assignee", "reporter")


def connect(source: Source, options: Mapping[str, Any]) -> Jira:
    """Return the connector of a source; raises OptionError for wrong options."""
    return Jira(source.id, JiraOptions.of(options))


class Jira:
    """Reads a Jira site; implements connectors.base.Connector."""

    def __init__(
        self,
        source_id: UUID,
        options: JiraOptions,
        *,
        client: Client | None = None,
        converter: Converter | None = None,
    ) -> None:
        """Connect to nothing yet."""
        self._options = options
        self._client = client or Client(options)
        self.patience: Patience = self._client.patience
        self._names = Names(source_id)
        self._pages = Pages(source_id, options)
        self._converter = converter or PackageConverter()

    def check(self) -> list[Check]:
        """Try reading, access, changes and attachments."""
        return Checking(self._client, self._options).all()

    def changes(self, since: Cursor | None, known: Known) -> Iterator[Change]:
        """Yield what changed since a cursor, a Checkpoint after each page.

        All is read anew where the options or what makes texts are others than the
        cursor's. A read from the start ends with Complete unless a project was out of
        sight.
        """
        reads = self._reads()
        if since is not None and since.get("reads") != reads:
            since = None
        visit = self._visit()
        yield from visit.notices()
        begun = Window.begun(since, self._now_ms(), reads)
        fields = {*FIELDS, *self._inside_fields()}
        if since is None:
            fields |= visit.custom_fields()
        reader = visit.reader(self._client, fields)
        rules = self._rules(visit, reader)
        files = AttachmentReader(
            self._client, self._options, self._pages, self._converter
        )
        turn = IssueChanges(self._options, self._pages, rules, files)
        yield from self._read(visit, reader, turn, begun, known)
        yield from _told(rules)
        yield from turn.notices()
        yield Checkpoint(begun.done())
        if since is None and not visit.hidden:
            yield Complete()

    def listing(self) -> Iterator[str]:
        """Yield the ids of all issues, restricted comments and attachments."""
        fields = {"project", *self._inside_fields()}
        with _complete_or_not():
            visit = self._visit()
            visit.check_whole()
            reader = visit.reader(self._client, fields)
            for issue in self._all(visit, reader):
                if isinstance(issue, Unread):
                    yield f"issue/{issue.id}"
                    continue
                yield issue_id(issue)
                for comment in issue.comments:
                    if comment.is_restricted:
                        yield comment_id(issue, comment.id)
                for attachment in issue.attachments:
                    yield attachment_id(issue, attachment.id)

    def access(self, known: Known | None = None) -> Iterator[tuple[str, AccessRule]]:
        """Yield the rules of all issues, restricted comments and attachments.

        A comment that is left out has a rule that grants nobody. So has, with `known`,
        what hangs on an issue that can't be read; then the end isn't seen.
        """
        with _complete_or_not():
            visit = self._visit()
            visit.check_whole()
            fields = {*ACCESS_FIELDS, *self._inside_fields(), *visit.custom_fields()}
            reader = visit.reader(self._client, fields)
            rules = self._rules(visit, reader)
            for issue in self._all(visit, reader):
                if isinstance(issue, Unread):
                    yield from _ruled_unread(issue, rules, known)
                else:
                    yield from _ruled(issue, rules)

    def memberships(self) -> Iterator[Membership]:
        """Yield accounts, groups, project roles and applications, by account id."""
        yield from self._people().memberships()

    def accounts(self) -> list[User]:
        """Return the site's active accounts, with what e-mail addresses it shows."""
        return self._people().accounts()

    def _people(self) -> People:
        visit = self._visit()
        return People(self._client, self._names, visit.schemes, visit.projects)

    def _visit(self) -> Visit:
        return Visit(self._client, self._options, list_projects(self._client))

    def _rules(self, visit: Visit, reader: IssueReader) -> Rules:
        return Rules(
            self._names, visit.schemes, self._options.anonymous, reader.look_up
        )

    def _inside_fields(self) -> set[str]:
        wanted = {
            "comment": self._options.comments,
            "attachment": self._options.attachments,
        }
        return {name for name, is_read in wanted.items() if is_read}

    def _reads(self) -> str:
        """Name what is read and how: options, converters, what makes documents."""
        chosen = self._options
        lists = (sorted(chosen.projects), sorted(chosen.exclude_projects))
        parts = (
            *(self._converter.version, _makes_documents(), chosen.base_url),
            *(*lists, chosen.filter, chosen.comments, chosen.attachments),
            *(chosen.anonymous, chosen.max_file_mb, chosen.is_cloud),
        )
        return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]

    def _now_ms(self) -> int | None:
        """Return the site's clock, which `updated` is by, None where it isn't told."""
        moment = aware(self._client.object("/serverInfo").get("serverTime"))
        return int(moment.timestamp() * 1000) if moment else None

    def _read(
        self,
        visit: Visit,
        reader: IssueReader,
        turn: IssueChanges,
        begun: Window,
        known: Known,
    ) -> Iterator[Change]:
        for found in self._pages_of(visit, reader, begun):
            if found.total is not None:
                yield Total(found.total)
            for issue in found.issues:
                yield from turn.of(issue, known, begun)
            if found.position is not None:
                yield Checkpoint(begun.between(found.position))
        for id_ in begun.waiting:
            again = reader.read(id_)
            if isinstance(again, Unread) or (again and visit.wants(again)):
                yield from turn.of(again, known, begun)

    def _pages_of(
        self, visit: Visit, reader: IssueReader, begun: Window
    ) -> Iterator[Found]:
        """Yield the window's pages; a position that isn't taken any more begins anew."""
        jql = window(begun.updated_from, visit.clauses())
        position = begun.position
        for _ in range(3):
            try:
                yield from reader.search(jql, position)
            except StalePosition:
                position = None
                continue
            except BadRequest as error:
                raise self._bad_query(error) from error
            return
        raise IncompleteListing(
            "Jira forgot three times where a search was. The next run tries again."
        )

    def _bad_query(self, error: BadRequest) -> ConnectorError:
        if self._options.filter:
            return PermanentError(
                f"Jira doesn't take the query. Mend the option “filter”. {error}"
            )
        return error

    def _all(self, visit: Visit, reader: IssueReader) -> Iterator[Issue | Unread]:
        """Yield all issues. Raises IncompleteListing at the end if some weren't whole."""
        unread: list[Unread] = []
        for found in reader.search(window(0, visit.clauses())):
            for issue in found.issues:
                if isinstance(issue, Unread):
                    unread.append(issue)
                yield issue
        if unread:
            names = ", ".join(issue.key or issue.id for issue in unread[:10])
            raise IncompleteListing(
                f"{len(unread)} issues can't be read whole ({names}), so what hangs on "
                f"them is unknown. {unread[0].error}"
            )


@cache
def _makes_documents() -> str:
    """Return a hash of the module that makes issues into documents."""
    return hashlib.sha256(Path(document.__file__).read_bytes()).hexdigest()


def _ruled(issue: Issue, rules: Rules) -> Iterator[tuple[str, AccessRule]]:
    """Yield the rules of an issue and of what hangs on it."""
    rule = rules.of_issue(issue)
    yield issue_id(issue), rule
    parts = parts_of(issue, rule, rules)
    for comment, own in parts.restricted:
        yield comment_id(issue, comment.id), own
    for comment in parts.left_out:
        # It may have been readable, and indexed, before.
        yield comment_id(issue, comment.id), NOBODY_RULE
    for attachment in issue.attachments:
        yield attachment_id(issue, attachment.id), rule


def _ruled_unread(
    unread: Unread, rules: Rules, known: Known | None
) -> Iterator[tuple[str, AccessRule]]:
    """Yield what is known of an issue's rules; a doubt means no."""
    told: dict[str, AccessRule] = {}
    if unread.known is not None:
        told = dict(_ruled(replace(unread.known, comments=()), rules))
    yield from told.items()
    for name in (f"issue/{unread.id}", *hanging_on(unread.id, known or _Nothing())):
        if name not in told:
            yield name, NOBODY_RULE


class _Nothing:
    """Knows no document."""

    def mark(self, _: str) -> None:
        return None


def _told(rules: Rules) -> Iterator[Notice]:
    """Yield what an administrator should know about access."""
    for message in rules.schemes.problems.values():
        yield Notice(message, "access_unreadable")
    for kind in sorted(rules.unknown):
        message = f"Permissions are given to “{kind}”, which Attest doesn't know; nobody is shown what they open."
        yield Notice(message, "unknown_holder")


@contextmanager
def _complete_or_not() -> Iterator[None]:
    """Turn what breaks a listing off into IncompleteListing."""
    try:
        yield
    except RateLimited:
        raise
    except (HttpError, StalePosition) as error:
        raise IncompleteListing(str(error)) from error
