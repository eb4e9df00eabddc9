"""Access rules from permissions.

Rights add up at Google: whoever one permission of the item lets in may read it, be it on
the item or inherited. That's one layer. A shared drive that's limited to its members, or
to its domain, adds a layer, which all readers must satisfy too. A doubt grants nobody.

https://developers.google.com/workspace/drive/api/guides/manage-sharing,
…/guides/limited-expansive-access (read 2026-12-01)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

from connectors.google_drive.options import DriveOptions
from connectors.google_drive.values import Drive, File, Permission, User
from memory.access import ANYONE, NOBODY_RULE, WORKSPACE, AccessRule, Principal, group

Layer = frozenset[Principal]

#: Those who may open a folder with limited access though they aren't named on it.
_ALWAYS = frozenset(("owner", "organizer"))
#: Views of an item that hold less than its content.
_READS = frozenset(
    ("owner", "organizer", "fileOrganizer", "writer", "commenter", "reader")
)


@dataclass(frozen=True, slots=True)
class Names:
    """Names the source's principals, each by the vendor's id."""

    source_id: UUID

    def account(self, permission_id: str) -> Principal:
        """Return the principal of one account: a group of one."""
        return group(self.source_id, f"account:{permission_id}")

    def group(self, permission_id: str) -> Principal:
        """Return the principal of a group."""
        return group(self.source_id, f"group:{permission_id}")

    def domain(self, name: str) -> Principal:
        """Return the principal of all who have an address in a domain."""
        return group(self.source_id, f"domain:{name}")


@dataclass(slots=True)
class Met:
    """Who was named by permissions, by id: what memberships are told of."""

    accounts: dict[str, User] = field(default_factory=dict)
    groups: dict[str, User] = field(default_factory=dict)
    domains: set[str] = field(default_factory=set)
    #: Ids of files that a link alone opens, for whom the options don't count it.
    only_by_link: set[str] = field(default_factory=set)
    #: Ids of files whose permissions the accounts that read aren't told.
    untold: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Rules:
    """Makes the rules of one source and remembers whom they name."""

    names: Names
    options: DriveOptions
    clock: Callable[[], datetime] = lambda: datetime.now(UTC)
    met: Met = field(default_factory=Met)
    _made: dict[frozenset[Layer], AccessRule] = field(default_factory=dict)

    def of(
        self,
        file: File,
        permissions: Iterable[Permission] | None,
        *,
        drive: Drive | None = None,
        members: Iterable[Permission] | None = (),
        viewers: Iterable[User] = (),
    ) -> AccessRule:
        """Return who may read a file that these permissions let in.

        None for them means that they aren't told: then the `viewers`, who read it, are
        all that is known. `members` are the permissions of its shared drive itself.
        """
        if permissions is None:
            self.met.untold.add(file.id)
            layer = frozenset(self._account(viewer) for viewer in viewers if viewer.id)
        else:
            given = list(permissions)
            layer = self._layer(given, is_limited=file.is_limited)
            if not layer and any(item.kind in ("anyone", "domain") for item in given):
                self.met.only_by_link.add(file.id)
        layers = [layer]
        if drive is not None and drive.is_for_members:
            layers.append(self._layer(members or (), is_limited=False))
        if drive is not None and drive.is_for_its_domain:
            layers.append(self._of_its_domain(viewers))
        return self._rule(layers)

    def _rule(self, layers: list[Layer]) -> AccessRule:
        if not all(layers):
            return NOBODY_RULE
        key = frozenset(layers)
        return self._made.setdefault(key, AccessRule(key))

    def _layer(self, permissions: Iterable[Permission], *, is_limited: bool) -> Layer:
        found: set[Principal] = set()
        for item in permissions:
            if self._counts(item, is_limited=is_limited):
                found |= self._principals(item)
        return frozenset(found)

    def _counts(self, item: Permission, *, is_limited: bool) -> bool:
        if item.is_deleted or item.view or item.role not in _READS:
            return False
        if item.expires_at is not None and item.expires_at <= self.clock():
            return False
        if is_limited or item.is_cut:
            return item.is_direct or item.role in _ALWAYS
        return True

    def _principals(self, item: Permission) -> set[Principal]:
        match item.kind:
            case "user" if item.id:
                return {self._account(User(item.id, item.name, item.email))}
            case "group" if item.id:
                self.met.groups[item.id] = User(item.id, item.name, item.email)
                return {self.names.group(item.id)}
            case "domain" if item.domain:
                return self._domain(item)
            case "anyone":
                return self._anyone(item)
        return set()

    def _account(self, user: User) -> Principal:
        known = self.met.accounts.get(user.id)
        if known is None or (user.email and not known.email):
            self.met.accounts[user.id] = user
        return self.names.account(user.id)

    def _domain(self, item: Permission) -> set[Principal]:
        if not item.is_findable and not self.options.company_links:
            return set()
        if item.domain in self.options.company_domains:
            return {WORKSPACE}
        self.met.domains.add(item.domain)
        return {self.names.domain(item.domain)}

    def _anyone(self, item: Permission) -> set[Principal]:
        if item.is_findable:
            return {ANYONE}
        chosen = self.options.anyone_with_link
        return {chosen} if chosen is not None else set()

    def _of_its_domain(self, viewers: Iterable[User]) -> Layer:
        """Return who has an address in a shared drive's own domain.

        Google doesn't say which that is: it's that of whoever reads the drive as one of
        its people, and the company's.
        """
        domains = {viewer.email.rpartition("@")[2] for viewer in viewers}
        domains = {name for name in domains if name} | self.options.company_domains
        self.met.domains |= domains
        found = {self.names.domain(name) for name in domains}
        company = domains & self.options.company_domains
        return frozenset(found | {WORKSPACE} if company else found)
