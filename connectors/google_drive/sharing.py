"""Whom a file is shared with, asked for where a listing doesn't tell.

A listing tells the permissions of files outside of shared drives. In a shared drive an
item without rights of its own has those of the folder that it lies in, up to the drive
itself; any other is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from connectors.google_drive import files_api
from connectors.google_drive.client import Account
from connectors.google_drive.corpora import Corpora
from connectors.google_drive.rules import Rules
from connectors.google_drive.survey import Seen
from connectors.google_drive.values import File, Permission
from memory.access import AccessRule

Permissions = tuple[Permission, ...] | None


@dataclass(slots=True)
class Sharing:
    """Makes the rules of files. `files` are those whose place is known, if any are."""

    rules: Rules
    corpora: Corpora
    files: Mapping[str, Seen] = field(default_factory=dict)
    _told: dict[str, Permissions] = field(default_factory=dict)

    def rule(self, seen: Seen) -> AccessRule:
        """Return who may read a file."""
        file, account = seen.file, seen.corpus.account
        drive = self.corpora.drive(file.drive_id) if file.drive_id else None
        members: Permissions = ()
        if drive is not None and drive.is_for_members:
            members = self._asked(drive.id, account)
        told = self._permissions(file, account)
        return self.rules.of(
            file, told, drive=drive, members=members, viewers=seen.viewers
        )

    def of_place(self, file: File, account: Account) -> Permissions:
        """Return whom a folder is shared with on its own account.

        None in a shared drive for one that's shared as what it lies in.
        """
        if not file.drive_id or file.is_shortcut:
            return file.permissions
        is_plain = file.has_own_permissions is False and not file.is_limited
        return None if is_plain else self._asked(file.id, account)

    def of_drive(self, drive_id: str, account: Account) -> Permissions:
        """Return the members of a shared drive."""
        return self._asked(drive_id, account)

    def _permissions(self, file: File, account: Account) -> Permissions:
        if not file.drive_id:
            return file.permissions
        climbed: list[str] = []
        current = file
        while True:
            known = current.id in self._told or current.id in climbed
            if known or not self._is_as_around(current):
                found = self._asked(current.id, account)
                break
            climbed.append(current.id)
            (parent,) = current.parents
            if parent == current.drive_id:
                found = self._asked(parent, account)
                break
            current = self.files[parent].file
        for id_ in climbed:
            self._told[id_] = found
        return found

    def _is_as_around(self, file: File) -> bool:
        """Tell whether an item is shared just as the folder that it lies in."""
        if file.has_own_permissions is not False or file.is_limited:
            return False
        if len(file.parents) != 1 or file.parents[0] == file.id:
            return False
        parent = file.parents[0]
        if parent == file.drive_id:
            return True
        seen = self.files.get(parent)
        # A folder with limited access is open to fewer than its own list names.
        return seen is not None and not seen.file.is_limited

    def _asked(self, id_: str, account: Account) -> Permissions:
        if id_ not in self._told:
            self._told[id_] = files_api.permissions(account, id_)
        return self._told[id_]
