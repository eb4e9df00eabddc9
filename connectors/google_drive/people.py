"""Who is in the groups that files are shared with, and who the accounts are.

Google tells members to administrators alone, by the Admin SDK's Directory API. People
are named by their e-mail addresses there and here.
https://developers.google.com/workspace/admin/directory/reference/rest/v1/members
(read 2026-12-01)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import structlog

from connectors.base import Membership
from connectors.errors import ConnectorError
from connectors.google_drive.client import Account, items_of
from connectors.google_drive.json_parts import Json, part, text
from connectors.google_drive.refusals import AccountRefused, Refused
from connectors.google_drive.rules import Met, Names
from connectors.google_drive.values import User
from connectors.http.errors import BadRequest, NotFound, NotSignedIn

log = structlog.get_logger(__name__)

MEMBERS_PAGE = 200
USERS_PAGE = 500
#: What the directory answers where it can't tell, now and at the next run.
REFUSED = (Refused, NotFound, BadRequest, AccountRefused, NotSignedIn)


@dataclass(slots=True)
class Directory:
    """Reads the company's directory; nothing can be read without an `account`."""

    account: Account | None
    _members: dict[str, tuple[Json, ...] | None] = field(default_factory=dict)
    _users: list[User] | None = None

    def people_in(self, email: str) -> list[str] | None:
        """Return the addresses of all people in a group, those of its groups too.

        None where the group, or one inside it, can't be read: the people known so far
        might be all or not, and who isn't known isn't granted anything.
        """
        if not email:
            return None
        found: dict[str, None] = {}
        waiting, seen = [email], {email}
        is_first = True
        while waiting:
            members = self._in(waiting.pop())
            if members is None:
                if is_first:
                    return None
                continue
            is_first = False
            for member in members:
                self._add(member, found, waiting, seen)
        return sorted(found)

    def users(self) -> list[User]:
        """Return the directory's active people; none where they can't be read."""
        if self._users is None:
            try:
                self._users = list(self._listed_users())
            except REFUSED as error:
                _tell("users_unreadable", error)
                self._users = []
        return self._users

    def _add(
        self, member: Json, found: dict[str, None], waiting: list[str], seen: set[str]
    ) -> None:
        email = text(member, "email").lower()
        if text(member, "status") == "SUSPENDED":
            return
        match text(member, "type"):
            case "USER" if email:
                found[email] = None
            case "GROUP" if email and email not in seen:
                seen.add(email)
                waiting.append(email)
            case "CUSTOMER":
                # Everybody in the company's directory.
                found.update((user.email, None) for user in self.users())

    def _in(self, email: str) -> tuple[Json, ...] | None:
        if email not in self._members:
            try:
                self._members[email] = tuple(self._listed(email))
            except REFUSED as error:
                _tell("group_unreadable", error)
                self._members[email] = None
        return self._members[email]

    def _listed(self, email: str) -> Iterator[Json]:
        account = self.account
        if account is None:
            raise NotFound("No directory is read.")

        def make(token: str | None) -> object:
            return account.api("admin.members").list(
                groupKey=email,
                maxResults=MEMBERS_PAGE,
                pageToken=token,
                fields="nextPageToken,members(email,type,status)",
            )

        for page in account.pages(make):
            yield from items_of(page, "members")

    def _listed_users(self) -> Iterator[User]:
        account = self.account
        if account is None:
            return

        def make(token: str | None) -> object:
            return account.api("admin.users").list(
                customer="my_customer",
                maxResults=USERS_PAGE,
                pageToken=token,
                fields="nextPageToken,users(primaryEmail,name(fullName),suspended,archived)",
            )

        for page in account.pages(make):
            for value in items_of(page, "users"):
                email = text(value, "primaryEmail").lower()
                is_gone = (
                    value.get("suspended") is True or value.get("archived") is True
                )
                if email and not is_gone:
                    yield User(email, text(part(value, "name"), "fullName"), email)


@dataclass(frozen=True, slots=True)
class People:
    """Tells who is whom among those that permissions name."""

    names: Names
    directory: Directory
    met: Met

    def memberships(self) -> Iterator[Membership]:
        """Yield accounts, groups and domains, with their people by e-mail address."""
        everybody = {user.email for user in self.directory.users()}
        for id_, found in self.met.groups.items():
            people = self.directory.people_in(found.email)
            name = found.name or found.email
            if people is None:
                name = f"{name} (its members can't be read)"
            everybody.update(people or ())
            yield Membership(self.names.group(id_), name, tuple(people or ()))
        for id_, user in self.met.accounts.items():
            emails = (user.email,) if user.email else ()
            everybody.update(emails)
            yield Membership(self.names.account(id_), user.name or user.email, emails)
        for domain in sorted(self.met.domains):
            there = sorted(e for e in everybody if e.rpartition("@")[2] == domain)
            name = f"Everybody at {domain}"
            yield Membership(self.names.domain(domain), name, tuple(there))

    def accounts(self) -> list[User]:
        """Return the directory's people and those that files are shared with."""
        found = {user.email: user for user in self.directory.users()}
        for user in self.met.accounts.values():
            if user.email:
                known = User(user.email, user.name, user.email)
                found.setdefault(user.email, known)
        return list(found.values())


def _tell(event: str, error: ConnectorError) -> None:
    log.warning(event, reason=str(error))
