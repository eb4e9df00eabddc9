"""Drive: files, exports, permissions, shared drives, changes."""

from __future__ import annotations

import re
from typing import Any

from tests.vendors.google.errors import drive_error
from tests.vendors.google.state import GOOGLE, Drive, Item, Workspace
from tests.vendors.loopback import Asked, Reply


def is_on(asked: Asked, name: str) -> bool:
    return asked.query.get(name) == "true"


class DriveApi:
    """The part of the server that is Drive v3; see server.py for what it relies on."""

    workspace: Workspace

    def _about(self, asked: Asked, me: str) -> Reply:
        if "fields" not in asked.query:
            return drive_error(400, "required", "The 'fields' parameter is required.")
        return Reply({"kind": "drive#about", "user": self.payloads.user(me, me)})

    def _drives(self, asked: Asked, me: str) -> Reply:
        """“drives.list”: at most 100 a page, and 10 unless asked for."""
        space = self.workspace
        seen = [d for d in space.drives.values() if space.is_member(me, d)]
        found = [self.payloads.drive(item) for item in seen]
        return self.paged(asked, found, "drives", size=10, most=100)

    def _files(self, asked: Asked, me: str) -> Reply:
        """“files.list”, for the corpora `user` and `drive`."""
        corpora = asked.query.get("corpora", "user")
        if corpora == "drive":
            drive = self._seen_drive(asked, me)
            if isinstance(drive, Reply):
                return drive
            items = [
                i for i in self._items() if i.drive == drive.id and self._sees(me, i)
            ]
        else:
            assert corpora == "user", corpora
            items = [i for i in self._items() if not i.drive and self._has(me, i)]
        found = [i for i in items if self._matches(asked.query.get("q", ""), i, me)]
        reply = self.paged(
            asked,
            [self.payloads.file(i, me) for i in found],
            "files",
            size=100,
            most=1000,
        )
        if reply.status == 200:
            reply.body["incompleteSearch"] = self.searches_incompletely
        return reply

    def _seen_drive(self, asked: Asked, me: str) -> Drive | Reply:
        """A shared drive by `driveId`, which needs two parameters more."""
        if not (
            is_on(asked, "includeItemsFromAllDrives")
            and is_on(asked, "supportsAllDrives")
        ):
            text = "The driveId parameter needs includeItemsFromAllDrives and supportsAllDrives."
            return drive_error(403, "teamDrivesParameterRequired", text)
        drive = self.workspace.drives.get(asked.query.get("driveId", ""))
        if drive is None or not self.workspace.is_member(me, drive):
            return drive_error(404, "notFound", "Shared drive not found")
        return drive

    def _items(self) -> list[Item]:
        return list(self.workspace.items.values())

    def _sees(self, me: str, item: Item) -> bool:
        return self.workspace.may_read(me, item)

    def _has(self, me: str, item: Item) -> bool:
        """What is in somebody's corpus: their own, and what is shared with them by name."""
        if item.owner == me:
            return True
        space = self.workspace
        named = [g for g, _ in space.effective(item) if g.kind in ("user", "group")]
        return any(space.opens(grant, me) for grant in named)

    def _matches(self, query: str, item: Item, me: str) -> bool:
        """The part of the query language that is used: terms, `and`, `or`."""
        return any(
            all(self._term(term.strip(), item, me) for term in part.split(" and "))
            for part in query.split(" or ")
        )

    def _term(self, term: str, item: Item, me: str) -> bool:
        if not term:
            return True
        if match := re.fullmatch(r"trashed\s*=\s*(true|false)", term):
            return self.workspace.is_in_trash(item) is (match[1] == "true")
        if match := re.fullmatch(r"'([^']+)' in parents", term):
            return item.parent == match[1]
        if match := re.fullmatch(r"'([^']+)' in owners", term):
            return item.owner == (me if match[1] == "me" else match[1])
        raise AssertionError(term)

    def _found(self, asked: Asked, me: str, id_: str) -> Item | Reply:
        item = self.workspace.items.get(id_)
        is_seen = item is not None and self._sees(me, item)
        if (
            item is None
            or not is_seen
            or (item.drive and not is_on(asked, "supportsAllDrives"))
        ):
            return drive_error(404, "notFound", f"File not found: {id_}.")
        return item

    def _file(self, asked: Asked, me: str, id_: str) -> Reply:
        """“files.get”, with alt=media its bytes."""
        item = self._found(asked, me, id_)
        if isinstance(item, Reply):
            return item
        if asked.query.get("alt") != "media":
            return Reply(self.payloads.file(item, me))
        if item.mime.startswith(GOOGLE):
            return drive_error(
                403, "fileNotDownloadable", "Use Export with Docs Editors files."
            )
        if not self.payloads.can_download(item, me):
            return drive_error(
                403, "cannotDownloadFile", "This file cannot be downloaded by the user."
            )
        return Reply(item.data)

    def _export(self, asked: Asked, me: str, id_: str) -> Reply:
        """“files.export”: at most 10 MB."""
        item = self.workspace.items.get(id_)
        if item is None or not self._sees(me, item):
            return drive_error(404, "notFound", f"File not found: {id_}.")
        if id_ in self.broken_exports:
            return drive_error(500, "internalError", "Internal Error")
        if not self.payloads.can_download(item, me):
            return drive_error(
                403, "cannotExportFile", "This file cannot be exported by the user."
            )
        data = item.exported.get(asked.query.get("mimeType", ""))
        if data is None:
            return drive_error(
                400, "badRequest", "The requested conversion is not supported."
            )
        if len(data) > self.export_limit:
            return drive_error(
                403, "exportSizeLimitExceeded", "This file is too large to be exported."
            )
        return Reply(data)

    def _permissions(self, asked: Asked, me: str, id_: str) -> Reply:
        """“permissions.list”, of a shared drive too; only for who may share."""
        drive = self.workspace.drives.get(id_)
        if drive is not None:
            if not self.workspace.is_member(me, drive):
                return drive_error(404, "notFound", f"File not found: {id_}.")
            found = self.payloads.members(drive)
            return self.paged(asked, found, "permissions", size=100, most=100)
        item = self._found(asked, me, id_)
        if isinstance(item, Reply):
            return item
        if not self.workspace.may_share(me, item):
            text = "The user does not have sufficient permissions for this file."
            return drive_error(403, "insufficientFilePermissions", text)
        found = self.payloads.permissions(item)
        return self.paged(asked, found, "permissions", size=100, most=100)

    # Changes

    def _log(self, asked: Asked, me: str) -> tuple[str, list[Any]] | Reply:
        if "driveId" not in asked.query:
            name = f"user:{me}"
            return name, self.workspace.logs.setdefault(name, [])
        if asked.path.endswith("startPageToken"):
            drive = self.workspace.drives.get(asked.query["driveId"])
            if drive is None or not self.workspace.is_member(me, drive):
                return drive_error(404, "notFound", "Shared drive not found")
        else:
            found = self._seen_drive(asked, me)
            if isinstance(found, Reply):
                return found
            drive = found
        name = f"drive:{drive.id}"
        return name, self.workspace.logs[name]

    def _start(self, asked: Asked, me: str) -> Reply:
        """“changes.getStartPageToken”."""
        log = self._log(asked, me)
        if isinstance(log, Reply):
            return log
        return Reply(
            {"kind": "drive#startPageToken", "startPageToken": str(len(log[1]) + 1)}
        )

    def _changes(self, asked: Asked, me: str) -> Reply:
        """“changes.list”: what changed since a token, each item once, as it is now."""
        log = self._log(asked, me)
        if isinstance(log, Reply):
            return log
        name, entries = log
        token = asked.query["pageToken"]
        if not token.isdigit() or int(token) > len(entries) + 1 or self.forgets_tokens:
            self.forgets_tokens = max(0, self.forgets_tokens - 1)
            return drive_error(400, "invalid", "Invalid Value")
        start = int(token) - 1
        count = min(int(asked.query.get("pageSize", 100)), 1000, self.largest_page)
        if self.short_pages:
            count = min(count, self.short_pages.pop(0))
        part = entries[start : start + count]
        page: dict[str, Any] = {
            "changes": [self._change(name, id_, me) for id_ in part if id_ is not None]
        }
        if start + count < len(entries):
            following = start if self.repeats_tokens else start + count
            page["nextPageToken"] = str(following + 1)
        else:
            page["newStartPageToken"] = str(len(entries) + 1)
        return Reply(page)

    def _change(self, log: str, id_: str, me: str) -> dict[str, Any]:
        """“changes”: what isn't in this log's corpus any more has no file."""
        space, drive_id = self.workspace, log.partition("drive:")[2]
        item = space.items.get(id_)
        is_there = (
            item is not None and item.drive == drive_id and space.may_read(me, item)
        )
        value: dict[str, Any] = {
            "kind": "drive#change",
            "changeType": "file",
            "time": self.payloads.moment(space.now),
            "fileId": id_,
            "removed": not is_there,
        }
        if is_there and item is not None:
            value["file"] = self.payloads.file(item, me)
        return value
