"""JSON of Drive's resources, written from the vendor's reference.

https://developers.google.com/workspace/drive/api/reference/rest/v3: files, permissions,
drives, changes, about; and the discovery document of drive v3, revision 20261106 (read
2026-12-01). Each function names the resource that it is from.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime

from tests.vendors.google.state import (
    FOLDER,
    GOOGLE,
    READS,
    SHORTCUT,
    Drive,
    Grant,
    Group,
    Item,
    Person,
    Workspace,
)


class Payloads:
    """Renders a workspace as one account sees it."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        #: What has just expired may still be listed.
        self.keeps_expired = False

    def moment(self, at: datetime) -> str:
        """RFC 3339 with milliseconds, always in UTC."""
        return (
            at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.")
            + f"{at.microsecond // 1000:03d}Z"
        )

    def user(self, email: str, me: str) -> dict:
        """“User”; people are called by their permission ids here."""
        person = self.workspace.people.get(email)
        return {
            "kind": "drive#user",
            "displayName": person.name if person else email,
            "me": email == me,
            "permissionId": person.id if person else "0",
            "emailAddress": email,
        }

    def file(self, item: Item, me: str) -> dict:
        """“files”: fields of shared drives' items are missing elsewhere, and vice versa."""
        space = self.workspace
        value: dict = {
            "kind": "drive#file",
            "id": item.id,
            "name": item.name,
            "mimeType": item.mime,
            "parents": [item.parent],
            "trashed": space.is_in_trash(item),
            "explicitlyTrashed": item.is_trashed,
            "modifiedTime": self.moment(item.modified),
            "webViewLink": self.link(item),
            "inheritedPermissionsDisabled": item.is_limited,
            "capabilities": {"canDownload": self.can_download(item, me)},
            "lastModifyingUser": self.user(item.editor or item.owner or me, me),
        }
        if item.drive:
            value |= {
                "driveId": item.drive,
                "hasAugmentedPermissions": bool(item.grants),
            }
        else:
            value |= {
                "ownedByMe": item.owner == me,
                "owners": [self.user(item.owner, me)],
                "shared": len(space.effective(item)) > 1,
            }
            if space.may_share(me, item):
                value["permissions"] = self.permissions(item)
        if item.mime == SHORTCUT:
            target = space.items.get(item.target)
            kind = target.mime if target else ""
            value["shortcutDetails"] = {"targetId": item.target, "targetMimeType": kind}
        elif item.mime != FOLDER:
            size = len(item.data) if item.size is None else item.size
            value["size"] = str(size)
            if not item.mime.startswith(GOOGLE):
                value["md5Checksum"] = hashlib.md5(item.data).hexdigest()  # noqa: S324
                value["headRevisionId"] = f"rev-{value['md5Checksum'][:8]}"
        return value

    def link(self, item: Item) -> str:
        kinds = {
            "document": "document",
            "spreadsheet": "spreadsheets",
            "presentation": "presentation",
        }
        kind = kinds.get(item.mime.removeprefix(GOOGLE))
        if kind:
            return f"https://docs.google.com/{kind}/d/{item.id}/edit?usp=drivesdk"
        if item.mime == FOLDER:
            return f"https://drive.google.com/drive/folders/{item.id}"
        return f"https://drive.google.com/file/d/{item.id}/view?usp=drivesdk"

    def can_download(self, item: Item, me: str) -> bool:
        return not item.is_locked or self.workspace.may_share(me, item)

    def permissions(self, item: Item) -> list[dict]:
        """“permissions” of a file: one a grantee, inherited ones too.

        In a folder with limited access those who come from around it see that it's
        there: the view `metadata`.
        """
        found: dict[str, dict] = {}
        for grant, is_inherited in self.workspace.effective(item):
            if self.keeps_expired or not self._has_ended(grant):
                self._merge(found, self.permission(grant), is_inherited)
        if item.is_limited and item.mime == FOLDER:
            for grant in self._around(item):
                value = self.permission(grant)
                if value["id"] not in found:
                    value |= {"role": "reader", "view": "metadata"}
                    self._merge(found, value, True)
        return list(found.values())

    def _has_ended(self, grant: Grant) -> bool:
        return grant.expires_at is not None and grant.expires_at <= self.workspace.now

    def _around(self, item: Item) -> list[Grant]:
        space = self.workspace
        found = [grant for step in space.path(item)[1:] for grant in step.grants]
        return found + (space.drives[item.drive].members if item.drive else [])

    def _merge(self, found: dict[str, dict], value: dict, is_inherited: bool) -> None:
        known = found.setdefault(value["id"], value)
        details = known.setdefault("permissionDetails", [])
        details.append(
            {"permissionType": "file", "role": value["role"], "inherited": is_inherited}
        )
        ends = [v.get("expirationTime", "") for v in (known, value)]
        known.pop("expirationTime", None)
        if all(ends):
            known["expirationTime"] = max(ends)
        if READS.index(value["role"]) < READS.index(known["role"]):
            known["role"] = value["role"]

    def members(self, drive: Drive) -> list[dict]:
        """“permissions” of a shared drive itself."""
        found: dict[str, dict] = {}
        for grant in drive.members:
            if not self._has_ended(grant):
                self._merge(found, self.permission(grant), False)
        for value in found.values():
            for detail in value["permissionDetails"]:
                detail["permissionType"] = "member"
        return list(found.values())

    def _grantee(self, who: Person | Group) -> dict:
        return {"id": who.id, "displayName": who.name, "emailAddress": who.email}

    def permission(self, grant: Grant) -> dict:
        space = self.workspace
        value: dict = {
            "kind": "drive#permission",
            "type": grant.kind,
            "role": grant.role,
        }
        match grant.kind:
            case "user":
                person = space.people[grant.to]
                value |= self._grantee(person) | {"deleted": person.is_deleted}
            case "group":
                value |= self._grantee(space.groups[grant.to]) | {"deleted": False}
            case "domain":
                id_ = (
                    f"{grant.to.encode().hex()[:18]}{'k' if grant.is_findable else 'l'}"
                )
                value |= {"id": id_, "domain": grant.to, "displayName": grant.to}
                value["allowFileDiscovery"] = grant.is_findable
            case "anyone":
                id_ = "anyone" if grant.is_findable else "anyoneWithLink"
                value |= {"id": id_, "allowFileDiscovery": grant.is_findable}
        if grant.expires_at is not None:
            value["expirationTime"] = self.moment(grant.expires_at)
        if grant.view:
            value["view"] = grant.view
        return value

    def drive(self, drive: Drive) -> dict:
        """“drives”."""
        return {
            "kind": "drive#drive",
            "id": drive.id,
            "name": drive.name,
            "restrictions": {
                "adminManagedRestrictions": False,
                "copyRequiresWriterPermission": False,
                "domainUsersOnly": drive.is_for_its_domain,
                "driveMembersOnly": drive.is_for_members,
            },
        }
