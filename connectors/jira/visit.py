"""What one run knows of a site: its projects, its schemes, and the query."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from connectors.base import Notice
from connectors.errors import IncompleteListing, PermanentError
from connectors.jira.client import Client
from connectors.jira.options import JiraOptions
from connectors.jira.reading import IssueReader
from connectors.jira.schemes import Schemes
from connectors.jira.site import Issue, Project


class Visit:
    """What one run knows of the site: projects and schemes, each asked for once."""

    def __init__(
        self, client: Client, options: JiraOptions, visible: Sequence[Project]
    ) -> None:
        """Take the projects that the account sees."""
        self._options = options
        self._visible = visible
        self.projects = [item for item in visible if options.wants(item.key)]
        keys = {item.key for item in visible}
        #: Projects that are asked for by key and not seen: deleted, or hidden.
        self.hidden = sorted(options.projects - options.exclude_projects - keys)
        self.schemes = Schemes(client)

    def wants(self, issue: Issue) -> bool:
        """Tell whether an issue's project is read."""
        return self._options.wants(issue.project.key)

    def reader(self, client: Client, fields: set[str]) -> IssueReader:
        """Return what reads issues with these fields."""
        by_id = {item.id: item for item in self._visible}
        return IssueReader(client, by_id, sorted(fields))

    def custom_fields(self) -> set[str]:
        """Return the custom fields that the projects' permissions depend on."""
        found: set[str] = set()
        for project in self.projects:
            found |= self.schemes.custom_fields(project, "")
        return found

    def clauses(self) -> list[str]:
        """Return the JQL of the options: which projects, and the filter."""
        found = []
        if self._options.projects:
            if not self.projects:
                raise PermanentError(self._message())
            found.append(f"project in ({_ids(self.projects)})")
        elif len(self.projects) < len(self._visible):
            left_out = [item for item in self._visible if item not in self.projects]
            found.append(f"project not in ({_ids(left_out)})")
        if self._options.filter:
            found.append(f"({self._options.filter})")
        return found

    def notices(self) -> Iterator[Notice]:
        """Yield a notice where a project that is asked for isn't seen."""
        if self.hidden:
            yield Notice(self._message(), "hidden_project", incomplete=True)

    def check_whole(self) -> None:
        """Raise IncompleteListing where a project that is asked for isn't seen."""
        if self.hidden:
            raise IncompleteListing(self._message())

    def _message(self) -> str:
        return (
            f"The account doesn't see the projects {', '.join(self.hidden)}, so nothing "
            "is deleted. Give it Browse Projects there; if they're gone, take them out "
            "of the option “projects”."
        )


def _ids(projects: Sequence[Project]) -> str:
    return ", ".join(item.id for item in projects)
