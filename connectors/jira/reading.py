"""Reading issues whole: what a search leaves out is asked for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from connectors.atlassian.one_thing import OneByOne
from connectors.errors import ConnectorError, IncompleteListing
from connectors.http.errors import HttpError, NotFound
from connectors.jira.client import Client
from connectors.jira.search import Page, Position, search
from connectors.jira.site import Issue, Project, comments_of, issue_of

COMMENTS_PAGE = 100


@dataclass(frozen=True, slots=True)
class Unread:
    """An issue that could not be read whole, and what is known of it."""

    id: str
    error: ConnectorError
    #: The issue without its comments, None where nothing could be read.
    known: Issue | None = None

    @property
    def key(self) -> str:
        """Return its key, "" where that's not known."""
        return self.known.key if self.known else ""


@dataclass(frozen=True, slots=True)
class Found:
    """A page's issues, and where the search goes on; None at its end."""

    issues: Sequence[Issue | Unread]
    position: Position | None
    total: int | None


class IssueReader:
    """Reads the issues of one site. `projects` are those that are known, by id."""

    def __init__(
        self, client: Client, projects: Mapping[str, Project], fields: Sequence[str]
    ) -> None:
        """Ask for these fields by name: without, Cloud tells ids alone."""
        self._client = client
        self._projects = projects
        self._fields = list(fields)
        self._things = OneByOne()

    def search(self, jql: str, position: Position | None = None) -> Iterator[Found]:
        """Yield pages of issues; see connectors.jira.search.search."""
        for page in search(self._client, jql, self._fields, position):
            yield Found(list(self._issues(page)), page.position, page.total)

    def read(self, id_: str) -> Issue | Unread | None:
        """Return one issue, or None where there's none (any more) for this account."""
        try:
            asked = {"fields": ",".join(self._fields)}
            value = self._client.object(f"/issue/{id_}", asked)
        except NotFound:
            return None
        except HttpError as error:
            self._things.failed(error)
            return Unread(id_, error)
        self._things.read()
        issue = issue_of(value, self._projects)
        return self._whole(issue) if issue else None

    def look_up(self, issue: Issue, names: set[str]) -> Mapping[str, Any]:
        """Return fields of an issue that a search left out; nothing where refused."""
        try:
            asked = {"fields": ",".join(sorted(names))}
            value = self._client.object(f"/issue/{issue.id}", asked)
        except HttpError as error:
            self._things.failed(error)
            return {}
        self._things.read()
        fields = value.get("fields")
        return fields if isinstance(fields, Mapping) else {}

    def _issues(self, page: Page) -> Iterator[Issue | Unread]:
        for value in page.issues:
            issue = issue_of(value, self._projects)
            whole = self._whole(issue) if issue else self.read(str(value.get("id")))
            if whole is not None:
                yield whole

    def _whole(self, issue: Issue) -> Issue | Unread:
        """Return an issue with all its comments and what is told of them.

        Both kinds of site cut the comments in an issue off where there are many, and
        tell the true number beside them. Data Center tells whether a comment of a
        service desk is internal in a property, which only the list of comments has.
        """
        asked = {"maxResults": COMMENTS_PAGE, "expand": "properties"}
        enough = issue.comments_total <= len(issue.comments)
        if enough and all(item.is_public is not None for item in issue.comments):
            return issue
        path = f"/issue/{issue.id}/comment"
        try:
            values = list(self._client.counted(path, asked, key="comments"))
        except IncompleteListing as error:
            return Unread(issue.id, error, issue)
        except HttpError as error:
            self._things.failed(error)
            return Unread(issue.id, error, issue)
        self._things.read()
        comments = comments_of(values, issue.project)
        return replace(issue, comments=comments, comments_total=len(comments))
