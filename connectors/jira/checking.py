"""Whether each capability of a Jira site works, and how to mend what doesn't."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from connectors.base import Check
from connectors.conversion.converted import aware
from connectors.errors import ConnectorError
from connectors.http.errors import TooLarge
from connectors.jira.client import Client
from connectors.jira.options import JiraOptions
from connectors.jira.schemes import EVERYBODY, REFUSED, Schemes, list_projects
from connectors.jira.search import search, window
from connectors.jira.site import text

#: Projects whose permissions are tried; a site may have thousands.
TRIED = 20


class _Broken(Exception):  # noqa: N818 - a check's own verdict
    """The capability doesn't work; the message says how to mend it."""


@dataclass(slots=True)
class Checking:
    """Tries a site with a handful of requests."""

    client: Client
    options: JiraOptions

    def all(self) -> list[Check]:
        """Return the checks; what the first one can't do, the others aren't asked."""
        read = _tried("read", self._read)
        if not read.ok:
            message = "Not tried, as reading doesn't work."
            others = ("access", "changes", "attachments")
            return [read, *(Check(name, ok=False, message=message) for name in others)]
        return [
            read,
            _tried("access", self._access),
            _tried("changes", self._changes),
            _tried("attachments", self._attachments),
        ]

    def _read(self) -> str:
        who = text(self.client.object("/myself"), "displayName")
        keys = {item.key for item in list_projects(self.client)}
        if missing := sorted(self.options.projects - keys):
            raise _Broken(
                f"The account {who} doesn't see the projects {', '.join(missing)}. Give "
                "it Browse Projects there, or take them out of “projects”."
            )
        if not self._first(self._clauses()):
            raise _Broken(
                f"The account {who} sees no issue. Give it Browse Projects in the "
                "projects to be read; look at “projects” and “filter”."
            )
        return f"Reads as {who}."

    def _access(self) -> str:
        schemes = Schemes(self.client)
        projects = [p for p in list_projects(self.client) if self.options.wants(p.key)]
        for project in projects[:TRIED]:
            schemes.browse(project)
        if schemes.problems:
            raise _Broken(
                f"The permissions of {', '.join(schemes.problems)} can't be read, and "
                "nobody would be shown their issues. Give the account Administer "
                "Projects there, or Administer Jira."
            )
        self._try_groups()
        holders = {h.kind for p in projects[:TRIED] for h in schemes.browse(p) or ()}
        if "applicationRole" in holders:
            self._try_applications()
        if not self.options.is_cloud:
            return self._try_viewers()
        return self._try_levels()

    def _try_groups(self) -> None:
        asked = {"maxResults": 1}
        try:
            if self.options.is_cloud:
                self.client.object("/group/bulk", asked)
                self.client.json("/users/search", asked)
            else:
                found = self.client.object("/groups/picker", asked)
                names = [text(item, "name") for item in found.get("groups") or ()]
                for name in names[:1]:
                    self.client.object("/group/member", {"groupname": name})
        except REFUSED as error:
            mend = (
                "Browse users and groups (and the scope read:jira-user to its token)"
                if self.options.is_cloud
                else "Administer Jira"
            )
            raise _Broken(
                f"Groups' members can't be read. Give the account {mend}. {error}"
            ) from error

    def _try_applications(self) -> None:
        try:
            self.client.json("/applicationrole")
        except REFUSED as error:
            raise _Broken(
                "Projects are open to everybody with application access, and who that "
                "is can't be read. Give the account Administer Jira (and its token "
                f"manage:jira-configuration). {error}"
            ) from error

    def _try_viewers(self) -> str:
        issue = self._first(self._clauses()) or {}
        asked = {"username": EVERYBODY, "issueKey": text(issue, "key"), "maxResults": 1}
        try:
            self.client.json("/user/viewissue/search", asked)
        except REFUSED:
            return (
                "Issues with a security level are shown to nobody. To show them, give "
                "the account the global permission Browse Users."
            )
        return ""

    def _try_levels(self) -> str:
        try:
            self.client.object("/issuesecurityschemes/level/member", {"maxResults": 1})
        except REFUSED:
            return (
                "Issues with a security level are shown to nobody. To show them, give "
                "the account Administer Jira (and its token manage:jira-configuration)."
            )
        return ""

    def _changes(self) -> str:
        moment = aware(self.client.object("/serverInfo").get("serverTime"))
        if moment is None:
            raise _Broken("The site doesn't tell its time, by which changes are found.")
        since = int(moment.timestamp() * 1000) - 3_600_000
        jql = window(since, self._clauses())
        next(search(self.client, jql, ["updated"]), None)
        return ""

    def _attachments(self) -> str:
        if not self.options.attachments:
            return "Attachments aren't read, by the option “attachments”."
        if self.client.object("/attachment/meta").get("enabled") is False:
            return "The site has attachments switched off."
        issue = self._first([*self._clauses(), "attachments is not EMPTY"])
        found = ((issue or {}).get("fields") or {}).get("attachment") or []
        if not found:
            return "There's no attachment to try yet."
        id_, name = text(found[0], "id"), text(found[0], "filename")
        url = f"{self.options.base_url}/secure/attachment/{id_}/{quote(name, safe='')}"
        if self.options.is_cloud:
            url = f"{self.client.root}{self.client.api}/attachment/content/{id_}"
        try:
            self.client.download(url, name=name, max_bytes=self.options.max_bytes)
        except TooLarge:
            return "An attachment was found and is larger than the limit."
        return ""

    def _clauses(self) -> list[str]:
        keys = sorted(self.options.projects - self.options.exclude_projects)
        named = ", ".join(f'"{key}"' for key in keys)
        return [
            f"project in ({named})" if keys else "",
            f"({self.options.filter})" if self.options.filter else "",
        ]

    def _first(self, clauses: list[str]) -> dict[str, Any] | None:
        """Return an issue that matches, or None."""
        for page in search(self.client, window(0, clauses), ["summary", "attachment"]):
            if page.issues:
                return dict(page.issues[0])
        return None


def _tried(capability: str, attempt: Callable[[], str]) -> Check:
    try:
        return Check(capability, ok=True, message=attempt())
    except (_Broken, ConnectorError) as error:
        return Check(capability, ok=False, message=str(error))
