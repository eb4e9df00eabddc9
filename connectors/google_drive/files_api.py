"""Files, shared drives, permissions and change logs, as one account sees them.

https://developers.google.com/workspace/drive/api/guides/search-files,
…/guides/manage-changes, …/guides/enable-shareddrives (read 2026-12-01)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from connectors.errors import ConnectorError, IncompleteListing
from connectors.google_drive.client import Account, items_of
from connectors.google_drive.json_parts import text
from connectors.google_drive.refusals import Refused
from connectors.google_drive.values import (
    DRIVE,
    PERMISSION,
    WHOLE,
    Change,
    Drive,
    File,
    Permission,
    change_of,
    drive_of,
    file_of,
    permissions_of,
)
from connectors.http.errors import BadRequest, NotFound

FILES_PAGE = 1000
#: With permissions a page is long enough for a server's time limit.
READERS_PAGE = 500
CHANGES_PAGE = 500
#: The most that the vendor gives.
DRIVES_PAGE = PERMISSIONS_PAGE = 100
#: Folders whose children are asked for together; an address has its limit.
FOLDERS_AT_ONCE = 10


class StaleToken(ConnectorError):
    """A change log doesn't take the place where the last run was any more."""


@dataclass(frozen=True, slots=True)
class ChangePage:
    """A part of a change log. `token` is where it goes on, at the next run if it's last."""

    changes: Sequence[Change]
    token: str
    is_last: bool


def drives(account: Account) -> Iterator[Drive]:
    """Yield the shared drives that an account is a member of."""

    def make(token: str | None) -> object:
        return account.api("drive.drives").list(
            pageSize=DRIVES_PAGE,
            pageToken=token,
            fields=f"nextPageToken,drives({DRIVE})",
        )

    for page in account.pages(make):
        yield from map(drive_of, items_of(page, "drives"))


def files(account: Account, drive_id: str, query: str, fields: str) -> Iterator[File]:
    """Yield what matches in a shared drive, or with "" outside of any.

    A list that had to be begun anew yields what it had told before once more.
    Raises IncompleteListing where Google says that it didn't look everywhere.
    """
    size = FILES_PAGE if "permissions(" not in fields else READERS_PAGE

    def make(token: str | None) -> object:
        where = (
            {"corpora": "drive", "driveId": drive_id, "includeItemsFromAllDrives": True}
            if drive_id
            else {"corpora": "user", "includeItemsFromAllDrives": False}
        )
        return account.api("drive.files").list(
            q=query,
            spaces="drive",
            supportsAllDrives=True,
            pageSize=size,
            pageToken=token,
            fields=f"nextPageToken,incompleteSearch,files({fields})",
            **where,
        )

    for _ in range(3):
        try:
            for page in account.pages(make):
                if page.get("incompleteSearch") is True:
                    raise IncompleteListing(
                        "Google didn't search all of a drive; what was seen so far "
                        "isn't all. The next run tries again."
                    )
                yield from map(file_of, items_of(page, "files"))
        except BadRequest as error:
            # A page's token that isn't taken is dropped, and the list begun anew.
            refused = error
            continue
        return
    raise IncompleteListing(
        f"Google refused three times to go on with a list. {refused}"
    ) from refused


def below(
    account: Account, drive_id: str, folder_id: str, fields: str
) -> Iterator[File]:
    """Yield all that lies in a folder, however deep, in the trash too; each once."""
    waiting, seen = [folder_id], {folder_id}
    while waiting:
        some, waiting = waiting[:FOLDERS_AT_ONCE], waiting[FOLDERS_AT_ONCE:]
        query = " or ".join(f"'{id_}' in parents" for id_ in some)
        for found in files(account, drive_id, query, fields):
            if found.id in seen:
                continue
            seen.add(found.id)
            yield found
            if found.is_folder:
                waiting.append(found.id)


def file(account: Account, id_: str, fields: str = WHOLE) -> File | None:
    """Return a file, or None where there's none for this account."""
    asked = account.api("drive.files").get(
        fileId=id_, supportsAllDrives=True, fields=fields
    )
    try:
        return file_of(account.ask(asked))
    except NotFound:
        return None


def permissions(account: Account, id_: str) -> tuple[Permission, ...] | None:
    """Return whom a file or shared drive is shared with; None where that's not told."""

    def make(token: str | None) -> object:
        return account.api("drive.permissions").list(
            fileId=id_,
            supportsAllDrives=True,
            pageSize=PERMISSIONS_PAGE,
            pageToken=token,
            fields=f"nextPageToken,permissions({PERMISSION})",
        )

    found: list[Permission] = []
    try:
        for page in account.pages(make):
            found.extend(permissions_of(page))
    except (NotFound, Refused):
        return None
    return tuple(found)


def start_of_changes(account: Account, drive_id: str) -> str:
    """Return where a change log goes on from now."""
    where = {"driveId": drive_id} if drive_id else {}
    asked = account.api("drive.changes").getStartPageToken(
        supportsAllDrives=True, **where
    )
    return text(account.ask(asked), "startPageToken")


def changes(account: Account, drive_id: str, token: str) -> Iterator[ChangePage]:
    """Yield a change log's pages after a token.

    Raises StaleToken where the token isn't taken, and IncompleteListing where a page
    says neither how it goes on nor that it's the last.
    """

    def make(at: str | None) -> object:
        where = {"driveId": drive_id} if drive_id else {}
        return account.api("drive.changes").list(
            pageToken=at,
            spaces="drive",
            supportsAllDrives=True,
            includeItemsFromAllDrives=bool(drive_id),
            includeRemoved=True,
            pageSize=CHANGES_PAGE,
            fields=(
                "nextPageToken,newStartPageToken,changes(changeType,removed,"
                f"fileId,driveId,drive({DRIVE}),file({WHOLE}))"
            ),
            **where,
        )

    try:
        for page in account.pages(make, first=token):
            found = [change_of(item) for item in items_of(page, "changes")]
            following = text(page, "nextPageToken")
            after = following or text(page, "newStartPageToken")
            if not after:
                raise IncompleteListing(
                    "A change log of Google's ended without saying where it goes on."
                )
            yield ChangePage(found, after, not following)
    except (BadRequest, NotFound) as error:
        raise StaleToken(str(error)) from error
