"""What a Jira site holds, and what a person does there: created, edited, restricted …

It knows nothing of HTTP nor of the connector. `may_see` and `may_see_comment` say who
sees what by reading the state plainly; the access suite compares with them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime

BROWSE, AGENT = "BROWSE_PROJECTS", "SERVICEDESK_AGENT"
#: 2026-03-02 12:00 UTC.
START_MS = int(datetime(2026, 3, 2, 12, tzinfo=UTC).timestamp() * 1000)


@dataclass
class User:
    id: str
    name: str
    email: str = ""
    login: str = ""
    is_active: bool = True
    kind: str = "atlassian"  # app, customer


@dataclass
class Group:
    id: str
    name: str
    members: set[str] = field(default_factory=set)
    subgroups: set[str] = field(default_factory=set)


@dataclass
class Role:
    id: str
    name: str


@dataclass(frozen=True)
class Grant:
    """A holder: `kind` as the vendor names it, `of` an id (or a group's name)."""

    kind: str
    of: str = ""


@dataclass
class Project:
    id: str
    key: str
    name: str
    kind: str = "software"
    lead: str = ""
    #: Grants by permission.
    scheme: dict[str, list[Grant]] = field(default_factory=dict)
    #: Users and groups by role.
    role_users: dict[str, set[str]] = field(default_factory=dict)
    role_groups: dict[str, set[str]] = field(default_factory=dict)
    is_hidden: bool = False
    #: The account lacks Administer Projects.
    is_not_administered: bool = False
    #: It has an issue security scheme.
    has_levels: bool = False
    next_number: int = 1


@dataclass
class Comment:
    id: str
    author: str
    body: object
    created: int
    updated: int
    role: str = ""
    group: str = ""
    is_public: bool = True
    #: The site doesn't say whether it's internal.
    tells_nothing: bool = False


@dataclass
class Attachment:
    id: str
    name: str
    data: bytes
    author: str
    created: int


@dataclass
class Issue:
    id: str
    key: str
    project: str
    summary: str
    created: int
    updated: int
    #: When a search knows of the last write; the vendor's index lags.
    searchable_from: int
    indexed_updated: int
    description: object = None
    kind: str = "Task"
    status: str = "To Do"
    resolution: str = ""
    priority: str = "Medium"
    labels: list[str] = field(default_factory=list)
    components: list[str] = field(default_factory=list)
    assignee: str = ""
    reporter: str = ""
    level: str = ""
    parent: str = ""
    links: list[tuple[str, str]] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    attachments: list[Attachment] = field(default_factory=list)
    #: Values of custom fields: ids of users or of groups.
    custom: dict[str, list[str]] = field(default_factory=dict)


class Site:
    """One site. Times are epoch milliseconds of the site's own clock."""

    def __init__(self) -> None:
        self.now = START_MS
        self.search_lag_ms = 0
        self.users: dict[str, User] = {}
        self.groups: dict[str, Group] = {}
        self.roles: dict[str, Role] = {}
        self.projects: dict[str, Project] = {}
        self.levels: dict[str, list[Grant]] = {}
        self.applications: dict[str, set[str]] = {}
        self.issues: dict[str, Issue] = {}
        self._ids = 10_000

    # Making

    def new_id(self) -> str:
        self._ids += 1
        return str(self._ids)

    def pass_time(self, seconds: float) -> None:
        self.now += int(seconds * 1000)

    def add_user(self, id_: str, name: str = "", **more) -> User:
        made = User(id_, name or id_.title(), login=f"{id_}.login", **more)
        self.users[id_] = made
        return made

    def add_group(self, id_: str, *members: str, name: str = "") -> Group:
        made = Group(id_, name or id_, set(members))
        self.groups[id_] = made
        return made

    def add_role(self, name: str) -> Role:
        made = Role(self.new_id(), name)
        self.roles[made.id] = made
        return made

    def add_project(self, key: str, *browse: Grant, **more) -> Project:
        made = Project(self.new_id(), key, more.pop("name", f"{key} project"), **more)
        made.scheme.setdefault(BROWSE, list(browse))
        self.projects[made.id] = made
        return made

    def add_level(self, *grants: Grant) -> str:
        id_ = self.new_id()
        self.levels[id_] = list(grants)
        return id_

    def put_in_role(self, project: Project, role: Role, *, users=(), groups=()) -> None:
        project.role_users.setdefault(role.id, set()).update(users)
        project.role_groups.setdefault(role.id, set()).update(groups)

    # What people do with issues; each is a write at the site's time.

    def create(self, project: Project, summary: str, **fields) -> Issue:
        key = f"{project.key}-{project.next_number}"
        project.next_number += 1
        at = self.now
        made = Issue(self.new_id(), key, project.id, summary, at, at, at, at, **fields)
        made.searchable_from = at + self.search_lag_ms
        self.issues[made.id] = made
        return made

    def edit(self, issue: Issue, **fields) -> None:
        for name, value in fields.items():
            assert hasattr(issue, name), name
            setattr(issue, name, value)
        self._touch(issue)

    def transition(self, issue: Issue, status: str, resolution: str = "") -> None:
        self.edit(issue, status=status, resolution=resolution)

    def comment(self, issue: Issue, body: object, author: str = "", **more) -> Comment:
        made = Comment(self.new_id(), author, body, self.now, self.now, **more)
        issue.comments.append(made)
        self._touch(issue)
        return made

    def restrict(self, issue: Issue, comment: Comment, **more) -> None:
        for name in ("role", "group", "is_public"):
            if name in more:
                setattr(comment, name, more[name])
        comment.updated = self.now
        self._touch(issue)

    def delete_comment(self, issue: Issue, comment: Comment) -> None:
        issue.comments.remove(comment)
        self._touch(issue)

    def attach(
        self, issue: Issue, name: str, data: bytes, author: str = ""
    ) -> Attachment:
        made = Attachment(self.new_id(), name, data, author, self.now)
        issue.attachments.append(made)
        self._touch(issue)
        return made

    def detach(self, issue: Issue, attachment: Attachment) -> None:
        issue.attachments.remove(attachment)
        self._touch(issue)

    def move(self, issue: Issue, project: Project) -> None:
        issue.project = project.id
        issue.key = f"{project.key}-{project.next_number}"
        project.next_number += 1
        self._touch(issue)

    def delete(self, issue: Issue) -> None:
        del self.issues[issue.id]

    def _touch(self, issue: Issue) -> None:
        """Write: a search goes on seeing the last state that it indexed."""
        if issue.searchable_from <= self.now:
            issue.indexed_updated = issue.updated
        issue.updated = self.now
        issue.searchable_from = self.now + self.search_lag_ms

    def searched_updated(self, issue: Issue) -> int:
        """Return the time by which a search finds an issue now."""
        known = issue.searchable_from <= self.now
        return issue.updated if known else issue.indexed_updated

    def is_searchable(self, issue: Issue) -> bool:
        return issue.created + self.search_lag_ms <= self.now or (
            issue.searchable_from <= self.now
        )

    # Who sees what, plainly.

    def members_of(self, group_id: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """Return a group's active members, those of its subgroups too."""
        group = self.groups.get(group_id)
        if group is None or group_id in seen:
            return set()
        found = set(group.members)
        for inner in group.subgroups:
            found |= self.members_of(inner, seen | {group_id})
        return {id_ for id_ in found if self.users[id_].is_active}

    def in_role(self, project: Project, role_id: str) -> set[str]:
        found = set(project.role_users.get(role_id, ()))
        for group_id in project.role_groups.get(role_id, ()):
            found |= self.members_of(group_id)
        return {id_ for id_ in found if self.users[id_].is_active}

    def holds(self, user_id: str, grant: Grant, issue: Issue) -> bool:
        """Tell whether somebody is whom a grant means, for an issue."""
        project = self.projects[issue.project]
        if grant.kind == "applicationRole":
            named = [grant.of] if grant.of else list(self.applications)
            groups = {g for key in named for g in self.applications.get(key, ())}
            return any(user_id in self.members_of(g) for g in groups)
        holders = {
            "group": lambda: self.members_of(grant.of),
            "projectRole": lambda: self.in_role(project, grant.of),
            "user": lambda: {grant.of},
            "projectLead": lambda: {project.lead},
            "reporter": lambda: {issue.reporter},
            "assignee": lambda: {issue.assignee},
            "userCustomField": lambda: set(issue.custom.get(grant.of, [])),
            "groupCustomField": lambda: {
                member
                for group in issue.custom.get(grant.of, [])
                for member in self.members_of(group)
            },
        }
        if grant.kind == "anyone":
            return True
        return grant.kind in holders and user_id in holders[grant.kind]()

    def may_see(self, user_id: str, issue: Issue) -> bool:
        project = self.projects[issue.project]
        if not self.users[user_id].is_active:
            return False
        browse = project.scheme.get(BROWSE, [])
        if not any(self.holds(user_id, grant, issue) for grant in browse):
            return False
        if not issue.level:
            return True
        return any(self.holds(user_id, g, issue) for g in self.levels[issue.level])

    def may_see_comment(self, user_id: str, issue: Issue, comment: Comment) -> bool:
        if not self.may_see(user_id, issue):
            return False
        project = self.projects[issue.project]
        if comment.role:
            ids = [role.id for role in self.roles.values() if role.name == comment.role]
            if not any(user_id in self.in_role(project, id_) for id_ in ids):
                return False
        if comment.group and user_id not in self.members_of(comment.group):
            return False
        if not comment.is_public:
            agents = project.scheme.get(AGENT, [])
            return any(self.holds(user_id, grant, issue) for grant in agents)
        return True
