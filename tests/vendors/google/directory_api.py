"""The Admin SDK's directory: members of groups, and people.

https://developers.google.com/workspace/admin/directory/reference/rest/v1/members/list,
…/v1/users/list (read 2026-12-01)
"""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from tests.vendors.google.errors import drive_error
from tests.vendors.google.state import Workspace
from tests.vendors.loopback import Asked, Reply


class DirectoryApi:
    """The part of the server that is the directory."""

    workspace: Workspace

    def _members(self, asked: Asked, me: str, key: str) -> Reply:
        if me not in self.administrators:
            return self._not_authorized()
        group = self.workspace.groups.get(unquote(key))
        if (
            group is None
            or group.is_hidden
            or not group.email.endswith(f"@{self.workspace.domain}")
        ):
            return drive_error(404, "notFound", "Resource Not Found: groupKey")
        found = [self._member(member) for member in sorted(group.members)]
        return self.paged(asked, found, "members", size=200, most=200)

    def _member(self, member: str) -> dict[str, Any]:
        if member == "*":
            return {
                "kind": "admin#directory#member",
                "id": "C00000",
                "role": "MEMBER",
                "type": "CUSTOMER",
            }
        if member in self.workspace.groups:
            return {
                "email": member,
                "role": "MEMBER",
                "type": "GROUP",
                "status": "ACTIVE",
            }
        person = self.workspace.people.get(member)
        status = "ACTIVE" if person is None or person.is_active else "SUSPENDED"
        return {"email": member, "role": "MEMBER", "type": "USER", "status": status}

    def _users(self, asked: Asked, me: str) -> Reply:
        if me not in self.administrators:
            return self._not_authorized()
        assert asked.query["customer"] == "my_customer"
        found = [
            {
                "primaryEmail": person.email,
                "name": {"fullName": person.name},
                "suspended": not person.is_active,
                "archived": False,
            }
            for person in self.workspace.people.values()
            if person.in_directory
        ]
        return self.paged(asked, found, "users", size=100, most=500)

    def _not_authorized(self) -> Reply:
        return drive_error(
            403, "forbidden", "Not Authorized to access this resource/api"
        )
