"""Access rules of issues and comments from holders: layers of principals.

Issue: who may browse, and the security level's members. Comment: the issue's layers and
its own. A doubt adds a layer without principals, which grants nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from connectors.jira.schemes import CUSTOM_FIELDS, Holder, Holders, Schemes
from connectors.jira.site import Comment, Issue, Project, User, text, user_of
from memory.access import AccessRule, Principal, group

Layer = frozenset[Principal]
NOBODY: Layer = frozenset()


@dataclass(frozen=True, slots=True)
class Names:
    """Names the source's principals, each by the vendor's id."""

    source_id: UUID

    def account(self, account_id: str) -> Principal:
        """Return the principal of one account: a group of one."""
        return group(self.source_id, f"account:{account_id}")

    def group(self, group_id: str) -> Principal:
        """Return the principal of a group."""
        return group(self.source_id, f"group:{group_id}")

    def role(self, project_id: str, role_id: str) -> Principal:
        """Return the principal of a project's role."""
        return group(self.source_id, f"role:{project_id}:{role_id}")

    def application(self, key: str) -> Principal:
        """Return who has access to an application; "" is everybody who can sign in."""
        return group(self.source_id, f"application:{key}" if key else "users")


@dataclass(slots=True)
class Rules:
    """Makes the rules of one source. `look_up` reads fields that a search left out."""

    names: Names
    schemes: Schemes
    anonymous: Principal
    look_up: Callable[[Issue, set[str]], Mapping[str, Any]]
    #: Kinds of holders that nobody here knows; they grant nobody.
    unknown: set[str] = field(default_factory=set)

    def of_issue(self, issue: Issue) -> AccessRule:
        """Return who may see an issue."""
        project, level_id = issue.project, issue.level_id
        fields = self._fields(issue)
        layers = [self._layer(self.schemes.browse(project), issue, fields)]
        if level_id:
            layers.append(self._layer(self._level(issue), issue, fields))
        elif "security" not in issue.fields and self.schemes.may_have_levels(project):
            # The field is hidden: the issue may have a level, and nobody tells which.
            layers.append(NOBODY)
        return AccessRule.of(*layers)

    def _level(self, issue: Issue) -> Holders | None:
        if self.schemes.client.options.is_cloud:
            return self.schemes.level(issue.project, issue.level_id)
        return self.schemes.viewers(issue.project, issue.key)

    def of_comment(
        self, issue: Issue, comment: Comment, rule: AccessRule
    ) -> AccessRule | None:
        """Return who may see a restricted comment of an issue with this rule.

        None where its visibility can't be read, or names nobody.
        """
        layers: list[Layer] = []
        if comment.is_strange or comment.is_public is None:
            return None
        if comment.role:
            layers.append(self._role(issue.project, comment.role))
        if comment.group:
            layers.append(frozenset({self.names.group(comment.group)}))
        if not comment.is_public:
            agents = self.schemes.agents(issue.project)
            layers.append(self._layer(agents, issue, self._fields(issue)))
        if not layers or not all(layers):
            return None
        return AccessRule.of(*rule.layers, *layers)

    def _role(self, project: Project, name: str) -> Layer:
        id_ = (self.schemes.roles(project) or {}).get(name)
        return frozenset({self.names.role(project.id, id_)}) if id_ else NOBODY

    def _fields(self, issue: Issue) -> Mapping[str, Any]:
        wanted = self.schemes.custom_fields(issue.project, issue.level_id)
        missing = wanted - issue.fields.keys()
        return (
            {**issue.fields, **self.look_up(issue, missing)}
            if missing
            else issue.fields
        )

    def _layer(
        self, holders: Holders | None, issue: Issue, fields: Mapping[str, Any]
    ) -> Layer:
        found: set[Principal] = set()
        for holder in holders or ():
            found |= self._principals(holder, issue, fields)
        return frozenset(found)

    def _principals(
        self, holder: Holder, issue: Issue, fields: Mapping[str, Any]
    ) -> set[Principal]:
        names = self.names
        match holder.kind:
            case "anyone":
                return {self.anonymous}
            case "applicationRole":
                return {names.application(holder.id)}
            case "group":
                return {names.group(holder.id)} if holder.id else set()
            case "projectRole":
                return {names.role(issue.project.id, holder.id)} if holder.id else set()
            case "user":
                return {names.account(holder.id)} if holder.id else set()
            case "projectLead":
                lead = issue.project.lead_id
                return {names.account(lead)} if lead else set()
            case "reporter" | "assignee":
                return self._users([issue.user(holder.kind)])
            case kind if kind in CUSTOM_FIELDS:
                return self._of_field(kind, fields.get(holder.id))
            case "sd.customer.portal.only":
                # Customers see requests in the portal, not issues.
                return set()
            case kind:
                self.unknown.add(kind)
                return set()

    def _of_field(self, kind: str, value: Any) -> set[Principal]:
        values = value if isinstance(value, list) else [value]
        if kind == "userCustomField":
            return self._users([user_of(item) for item in values])
        ids = (text(item, "groupId") or text(item, "name") for item in values)
        return {self.names.group(id_) for id_ in ids if id_}

    def _users(self, users: list[User | None]) -> set[Principal]:
        return {self.names.account(user.id) for user in users if user}
