"""Who may see what, as the site's schemes say: holders of permissions and levels.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-permission-schemes/
(“Holder object”), …/api-group-project-permission-schemes/,
…/api-group-issue-security-schemes/ and …/api-group-project-roles/ (read 2026-12-01).
What the account can't read is None, and grants nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from connectors.http.errors import BadRequest, Forbidden, NotFound
from connectors.jira.client import Client
from connectors.jira.site import Project, project_of, text, user_of

#: A refusal of one thing; whatever else goes wrong ends the run instead.
REFUSED = (Forbidden, NotFound, BadRequest)

BROWSE = "BROWSE_PROJECTS"
#: Who works in a service desk: internal comments are theirs.
AGENT = "SERVICEDESK_AGENT"
#: Data Center's search of accounts finds all by this: it's in every address.
EVERYBODY = "."
MOST_VIEWERS = 100
CUSTOM_FIELDS = ("userCustomField", "groupCustomField")


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a permission: `kind` as the vendor names it, `id` where it has one."""

    kind: str
    id: str = ""


Holders = frozenset[Holder]


@dataclass(slots=True)
class Schemes:
    """Reads schemes once each. `problems` says what could not be read, by project."""

    client: Client
    problems: dict[str, str] = field(default_factory=dict)
    _grants: dict[str, Mapping[str, Holders] | None] = field(default_factory=dict)
    _levels: dict[str, Holders | None] = field(default_factory=dict)
    _roles: dict[str, Mapping[str, str] | None] = field(default_factory=dict)
    _leveled: dict[str, bool] = field(default_factory=dict)

    def browse(self, project: Project) -> Holders | None:
        """Return who may see a project's issues."""
        return self._holders(project, BROWSE)

    def agents(self, project: Project) -> Holders | None:
        """Return who sees internal comments of a service desk."""
        return self._holders(project, AGENT)

    def level(self, project: Project, level_id: str) -> Holders | None:
        """Return who is in a security level of Cloud."""
        if level_id not in self._levels:
            self._levels[level_id] = self._read_level(project, level_id)
        return self._levels[level_id]

    def viewers(self, project: Project, key: str) -> Holders | None:
        """Return whom Data Center names when it's asked who may see an issue.

        It has no resource for the members of a level. This one names active accounts,
        the first hundred; those after them are denied, and that is told.
        https://developer.atlassian.com/server/jira/platform/rest/v11001/ “user”,
        /user/viewissue/search (read 2026-12-01)
        """
        asked = {"username": EVERYBODY, "issueKey": key, "maxResults": MOST_VIEWERS}
        try:
            found = self.client.json("/user/viewissue/search", asked)
        except REFUSED as error:
            self.problems[f"{project.key} levels"] = (
                f"Who sees issues of {project.key} with a security level can't be read, "
                f"so nobody is shown them. {error}"
            )
            return None
        users = [user_of(value) for value in _objects(found)]
        if len(users) >= MOST_VIEWERS:
            self.problems[f"{project.key} viewers"] = (
                f"Issues of {project.key} with a security level are seen by more people "
                f"than Jira Data Center tells; the first {MOST_VIEWERS} are shown them."
            )
        return frozenset(Holder("user", user.id) for user in users if user)

    def may_have_levels(self, project: Project) -> bool:
        """Tell whether a project's issues may have security levels."""
        if project.id not in self._leveled:
            path = f"/project/{project.id}/issuesecuritylevelscheme"
            try:
                self.client.object(path)
                self._leveled[project.id] = True
            except REFUSED as error:
                self._leveled[project.id] = not isinstance(error, NotFound)
        return self._leveled[project.id]

    def roles(self, project: Project) -> Mapping[str, str] | None:
        """Return the ids of a project's roles by their names."""
        if project.id not in self._roles:
            self._roles[project.id] = self._read_roles(project)
        return self._roles[project.id]

    def custom_fields(self, project: Project, level_id: str) -> set[str]:
        """Return the fields of an issue that decide who sees it."""
        holders = set(self.browse(project) or ())
        holders |= (
            (self.agents(project) or frozenset()) if project.is_service_desk else set()
        )
        if level_id and self.client.options.is_cloud:
            holders |= self.level(project, level_id) or frozenset()
        return {holder.id for holder in holders if holder.kind in CUSTOM_FIELDS}

    def _holders(self, project: Project, permission: str) -> Holders | None:
        if project.id not in self._grants:
            self._grants[project.id] = self._read_grants(project)
        grants = self._grants[project.id]
        return None if grants is None else grants.get(permission, frozenset())

    def _read_grants(self, project: Project) -> Mapping[str, Holders] | None:
        path = f"/project/{project.id}/permissionscheme"
        try:
            scheme = self.client.object(path, {"expand": "all"})
            if "permissions" not in scheme:
                inner = f"/permissionscheme/{text(scheme, 'id')}"
                scheme = self.client.object(inner, {"expand": "all"})
        except REFUSED as error:
            self.problems[project.key] = (
                f"The permissions of the project {project.key} can't be read, so nobody "
                f"is shown its issues. {error}"
            )
            return None
        grants: dict[str, set[Holder]] = {}
        for grant in _objects(scheme.get("permissions")):
            holder = holder_of(grant.get("holder"))
            grants.setdefault(text(grant, "permission"), set()).add(holder)
        return {name: frozenset(held) for name, held in grants.items()}

    def _read_level(self, project: Project, level_id: str) -> Holders | None:
        # https://developer.atlassian.com/cloud/jira/platform/rest/v3/
        # api-group-issue-security-schemes/ “Get issue security level members”
        asked = {"levelId": level_id, "expand": "all"}
        try:
            found = list(self.client.pages("/issuesecurityschemes/level/member", asked))
        except REFUSED as error:
            self.problems[f"{project.key} level {level_id}"] = (
                f"Who is in a security level of {project.key} can't be read, so nobody "
                f"is shown its issues of that level. {error}"
            )
            return None
        return frozenset(
            holder_of(member.get("holder"))
            for member in found
            if text(member, "issueSecurityLevelId") in ("", level_id)
        )

    def _read_roles(self, project: Project) -> Mapping[str, str] | None:
        try:
            found = self.client.object(f"/project/{project.id}/role")
        except REFUSED:
            return None
        # Names with addresses, which end in the role's id.
        return {
            name: str(url).rstrip("/").rpartition("/")[2] for name, url in found.items()
        }


def list_projects(client: Client) -> list[Project]:
    """Return all projects that the account sees; archived ones aren't among them."""
    expand = {"expand": "lead"}
    if client.options.is_cloud:
        return [project_of(item) for item in client.pages("/project/search", expand)]
    return [project_of(item) for item in _objects(client.json("/project", expand))]


def holder_of(value: Any) -> Holder:
    """Return a holder by the id that doesn't change, "" where only a name is told.

    Cloud has ids in `value`, names in `parameter`; Data Center has no `value`.
    """
    kind = text(value, "type")
    id_ = text(value, "value")
    if not id_ and kind == "user" and isinstance(value, Mapping):
        user = value.get("user")
        id_ = text(user, "accountId") or text(user, "key")
    if not id_ and kind == "group" and isinstance(value, Mapping):
        id_ = text(value.get("group"), "groupId")
    return Holder(kind, id_ or text(value, "parameter"))


def _objects(value: Any) -> Iterator[Mapping[str, Any]]:
    found = value if isinstance(value, list) else []
    yield from (item for item in found if isinstance(item, Mapping))
