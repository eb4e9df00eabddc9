"""What a Drive is to the connector: values read from its JSON, and what is asked for.

https://developers.google.com/workspace/drive/api/reference/rest/v3 (read 2026-12-01).
Every mask of a list names nextPageToken: a mask without it gets one page, silently.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from connectors.conversion.converted import aware
from connectors.google_drive.json_parts import part, parts, text

GOOGLE = "application/vnd.google-apps."
FOLDER, SHORTCUT = f"{GOOGLE}folder", f"{GOOGLE}shortcut"
DOCUMENT, SHEET, SLIDES = (
    f"{GOOGLE}document",
    f"{GOOGLE}spreadsheet",
    f"{GOOGLE}presentation",
)
DRAWING = f"{GOOGLE}drawing"

PERMISSION = (
    "id,type,emailAddress,displayName,domain,role,view,allowFileDiscovery,deleted,"
    "expirationTime,inheritedPermissionsDisabled,permissionDetails(inherited)"
)
#: Where a file is, and no more: what a listing needs.
PLACE = (
    "id,name,mimeType,parents,driveId,trashed,ownedByMe,"
    "shortcutDetails(targetId,targetMimeType)"
)
#: And who may read it.
READERS = (
    f"{PLACE},permissions({PERMISSION}),hasAugmentedPermissions,"
    "inheritedPermissionsDisabled"
)
#: And what its document is made of.
WHOLE = (
    f"{READERS},modifiedTime,md5Checksum,size,webViewLink,capabilities(canDownload),"
    "owners(displayName,emailAddress),lastModifyingUser(displayName)"
)
DRIVE = "id,name,restrictions(driveMembersOnly,domainUsersOnly)"

#: What a browser's address says of whoever copied it, not of the file.
_OF_THE_READER = frozenset(("usp", "ouid", "rtpof", "sd", "authuser"))


@dataclass(frozen=True, slots=True)
class Permission:
    """Whom a file is shared with."""

    id: str
    kind: str  # user, group, domain, anyone
    role: str
    email: str = ""
    name: str = ""
    domain: str = ""
    view: str = ""
    is_findable: bool = False
    is_deleted: bool = False
    #: The inherited part of it is switched off here.
    is_cut: bool = False
    #: It's on the item itself, not only on what the item lies in.
    is_direct: bool = False
    expires_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Drive:
    """A shared drive; its id is that of its topmost folder too."""

    id: str
    name: str = ""
    is_for_members: bool = False
    is_for_its_domain: bool = False


@dataclass(frozen=True, slots=True)
class File:
    """A file, folder or shortcut as one account sees it."""

    id: str
    name: str
    mime: str
    parents: tuple[str, ...] = ()
    drive_id: str = ""
    is_trashed: bool = False
    is_own: bool = False
    target_id: str = ""
    target_mime: str = ""
    #: None where the account isn't told; so it is always in a shared drive.
    permissions: tuple[Permission, ...] | None = None
    #: Whether somebody has rights on the item itself; None where that isn't told.
    has_own_permissions: bool | None = None
    #: Only those with rights on the item itself may open it, and managers.
    is_limited: bool = False
    modified: str = ""
    md5: str = ""
    size: int = 0
    url: str = ""
    can_download: bool = True
    owner: str = ""
    owner_email: str = ""
    editor: str = ""

    @property
    def is_folder(self) -> bool:
        """Tell whether it holds others."""
        return self.mime == FOLDER

    @property
    def is_shortcut(self) -> bool:
        """Tell whether it only points at another one."""
        return self.mime == SHORTCUT

    @property
    def updated_at(self) -> datetime | None:
        """Return when its content was changed."""
        return aware(self.modified)


@dataclass(frozen=True, slots=True)
class Change:
    """An entry of a change log; `file` is None for what is out of sight."""

    file_id: str
    file: File | None = None
    drive: Drive | None = None


@dataclass(frozen=True, slots=True)
class User:
    """Somebody at the source. `id` is the address, by which people are known there."""

    id: str
    name: str = ""
    email: str = ""


def file_of(value: Mapping[str, Any]) -> File:
    """Read a file's JSON."""
    shortcut = part(value, "shortcutDetails")
    owner = next(iter(parts(value, "owners")), {})
    has_own = value.get("hasAugmentedPermissions")
    parents = value.get("parents")
    return File(
        id=text(value, "id"),
        name=text(value, "name"),
        mime=text(value, "mimeType"),
        parents=tuple(id_ for id_ in parents if isinstance(id_, str))
        if isinstance(parents, list)
        else (),
        drive_id=text(value, "driveId"),
        is_trashed=value.get("trashed") is True,
        is_own=value.get("ownedByMe") is True,
        target_id=text(shortcut, "targetId"),
        target_mime=text(shortcut, "targetMimeType"),
        permissions=permissions_of(value) if "permissions" in value else None,
        has_own_permissions=has_own if isinstance(has_own, bool) else None,
        is_limited=value.get("inheritedPermissionsDisabled") is True,
        modified=text(value, "modifiedTime"),
        md5=text(value, "md5Checksum"),
        size=_number(value.get("size")),
        url=_address(text(value, "webViewLink")),
        can_download=part(value, "capabilities").get("canDownload") is not False,
        owner=text(owner, "displayName"),
        owner_email=text(owner, "emailAddress").lower(),
        editor=text(part(value, "lastModifyingUser"), "displayName"),
    )


def permissions_of(value: Mapping[str, Any]) -> tuple[Permission, ...]:
    """Read a list of permissions."""
    return tuple(_permission(item) for item in parts(value, "permissions"))


def _permission(value: Mapping[str, Any]) -> Permission:
    details = parts(value, "permissionDetails")
    return Permission(
        id=text(value, "id"),
        kind=text(value, "type"),
        role=text(value, "role"),
        email=text(value, "emailAddress").lower(),
        name=text(value, "displayName"),
        domain=text(value, "domain").lower(),
        view=text(value, "view"),
        is_findable=value.get("allowFileDiscovery") is True,
        is_deleted=value.get("deleted") is True,
        is_cut=value.get("inheritedPermissionsDisabled") is True,
        is_direct=any(item.get("inherited") is False for item in details),
        expires_at=aware(value.get("expirationTime")),
    )


def drive_of(value: Mapping[str, Any]) -> Drive:
    """Read a shared drive's JSON."""
    limits = part(value, "restrictions")
    return Drive(
        id=text(value, "id"),
        name=text(value, "name"),
        is_for_members=limits.get("driveMembersOnly") is True,
        is_for_its_domain=limits.get("domainUsersOnly") is True,
    )


def change_of(value: Mapping[str, Any]) -> Change:
    """Read an entry of a change log."""
    is_gone = value.get("removed") is True
    if text(value, "changeType") == "drive":
        drive = part(value, "drive")
        return Change(
            text(value, "driveId"),
            drive=drive_of(drive) if drive and not is_gone else None,
        )
    file = part(value, "file")
    return Change(
        text(value, "fileId"), file_of(file) if file and not is_gone else None
    )


def _number(value: Any) -> int:
    # Google writes numbers of 64 bits as text.
    found = str(value or "")
    return int(found) if found.isascii() and found.isdigit() else 0


def _address(url: str) -> str:
    """Return a link without what it says of whoever asked for it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    if parts.scheme not in ("http", "https"):
        return ""
    kept = [pair for pair in parse_qsl(parts.query) if pair[0] not in _OF_THE_READER]
    return urlunsplit((*parts[:3], urlencode(kept), ""))
