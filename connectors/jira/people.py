"""The site's groups, roles and accounts with their people.

https://developer.atlassian.com/cloud/jira/platform/rest/v3/api-group-groups/,
…/api-group-users/, …/api-group-project-roles/, …/api-group-application-roles/
(read 2026-12-01). A group of Data Center is told with the members of its subgroups.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from connectors.atlassian.client import MAX_PAGES
from connectors.base import Membership
from connectors.errors import IncompleteListing
from connectors.jira.client import Client
from connectors.jira.rules import Names
from connectors.jira.schemes import EVERYBODY, REFUSED, Schemes
from connectors.jira.site import Project, User, text, user_of

USERS_PAGE = 200


@dataclass(slots=True)
class People:
    """Reads who is where. What the account can't read has nobody in it."""

    client: Client
    names: Names
    schemes: Schemes
    projects: Iterable[Project]
    _members: dict[str, tuple[User, ...]] = field(default_factory=dict)
    _accounts: dict[str, User] = field(default_factory=dict)
    _by_name: dict[str, str] = field(default_factory=dict)
    _listed: bool = False

    def memberships(self) -> Iterator[Membership]:
        """Yield accounts, groups, roles and applications; members by account id."""
        self._read_accounts()
        groups = dict(self._groups())
        for id_, name in groups.items():
            members = _ids(self._in_group(id_))
            yield Membership(self.names.group(id_), name, members)
        yield from self._roles()
        everybody: set[str] = set()
        for application in self._applications():
            everybody.update(application.members)
            yield application
        # "Any logged in user" means whoever has access to an application: the list of
        # accounts holds those of the company's other products too.
        who, members = "Everybody with access to Jira", tuple(sorted(everybody))
        yield Membership(self.names.application(""), who, members)
        for user in self._accounts.values():
            yield Membership(self.names.account(user.id), user.name, (user.id,))

    def accounts(self) -> list[User]:
        """Return all active accounts, with the e-mail addresses that the site shows.

        Those in groups too, as Data Center ends its list of accounts early.
        """
        self._read_accounts()
        for id_, _ in self._groups():
            self._in_group(id_)
        return list(self._accounts.values())

    def _read_accounts(self) -> None:
        for value in self._users():
            user = user_of(value)
            if user is None or value.get("active") is False:
                continue
            self._meet(user, value)
        self._listed = bool(self._accounts)

    def _users(self) -> Iterator[Mapping[str, Any]]:
        """Yield all users; these lists have neither a number nor an end but emptiness."""
        is_cloud = self.client.options.is_cloud
        path = "/users/search" if is_cloud else "/user/search"
        wanted = {} if is_cloud else {"username": EVERYBODY}
        start = 0
        for _ in range(MAX_PAGES):
            asked = {**wanted, "startAt": start, "maxResults": USERS_PAGE}
            try:
                found = self.client.json(path, asked)
            except REFUSED:
                return
            values = [v for v in found if isinstance(v, dict)] if found else []
            if not values:
                return
            yield from values
            start += len(found)
        raise IncompleteListing("Jira's list of users has no end.")

    def _groups(self) -> Iterator[tuple[str, str]]:
        """Yield ids and names of all groups; Data Center's id is the name."""
        try:
            if self.client.options.is_cloud:
                for value in self.client.pages("/group/bulk"):
                    yield text(value, "groupId"), text(value, "name")
                return
            found = self.client.object("/groups/picker", {"maxResults": 10_000})
        except REFUSED:
            return
        for value in found.get("groups") or ():
            if name := text(value, "name"):
                yield name, name

    def _in_group(self, id_: str) -> tuple[User, ...]:
        """Return the active members of a group, nobody where they can't be read."""
        if id_ not in self._members:
            key = "groupId" if self.client.options.is_cloud else "groupname"
            try:
                found = list(self.client.pages("/group/member", {key: id_}))
            except REFUSED:
                found = []
            active = [item for item in found if item.get("active") is not False]
            users = [(user_of(item), item) for item in active]
            self._members[id_] = tuple(user for user, _ in users if user)
            for user, value in users:
                if user is not None:
                    self._meet(user, value)
        return self._members[id_]

    def _roles(self) -> Iterator[Membership]:
        for project in self.projects:
            for name, id_ in (self.schemes.roles(project) or {}).items():
                try:
                    role = self.client.object(f"/project/{project.id}/role/{id_}")
                except REFUSED:
                    continue
                members = _ids(self._actors(role.get("actors")))
                label = f"{name} in {project.key}"
                yield Membership(self.names.role(project.id, id_), label, members)

    def _actors(self, actors: Any) -> Iterator[User]:
        """Yield the people of a role, those of its groups too."""
        for actor in actors if isinstance(actors, list) else ():
            if text(actor, "type") == "atlassian-group-role-actor":
                inner = actor.get("actorGroup") or {}
                id_ = text(inner, "groupId") or text(inner, "name")
                yield from self._in_group(id_ or text(actor, "name"))
                continue
            user = user_of(actor.get("actorUser")) or User(text(actor, "name"))
            # Data Center names a user by the name that they sign in with. Who isn't in
            # the list of active accounts has left.
            known = self._accounts.get(self._by_name.get(user.id, user.id))
            if known is not None or not self._listed:
                yield known or user

    def _applications(self) -> Iterator[Membership]:
        try:
            found = self.client.json("/applicationrole")
        except REFUSED:
            return
        for role in found if isinstance(found, list) else ():
            details = role.get("groupDetails") or [
                {"name": name} for name in role.get("groups") or ()
            ]
            ids = [text(item, "groupId") or text(item, "name") for item in details]
            members = _ids(user for id_ in ids if id_ for user in self._in_group(id_))
            key = text(role, "key")
            yield Membership(self.names.application(key), text(role, "name"), members)

    def _meet(self, user: User, value: Mapping[str, Any]) -> None:
        self._accounts.setdefault(user.id, user)
        if login := text(value, "name"):
            self._by_name[login] = user.id


def _ids(users: Iterable[User]) -> tuple[str, ...]:
    return tuple(sorted({user.id for user in users}))
