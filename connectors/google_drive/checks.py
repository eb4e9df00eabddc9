"""Whether each capability of a Drive works, and how to mend what doesn't."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from connectors.base import Check
from connectors.errors import ConnectorError
from connectors.google_drive import files_api
from connectors.google_drive.client import Account
from connectors.google_drive.corpora import Corpora, corpora_of
from connectors.google_drive.options import DriveOptions
from connectors.google_drive.people import Directory
from connectors.google_drive.refusals import ApiOff, Refused
from connectors.google_drive.values import FOLDER, PLACE, READERS
from connectors.http.errors import BadRequest, NotFound

#: No document has it; an API that's enabled says so, one that isn't says that.
NO_DOCUMENT = "attest-looks-whether-this-api-is-enabled"


class _Broken(Exception):  # noqa: N818 - a check's own verdict
    """The capability doesn't work; the message says how to mend it."""


@dataclass(slots=True)
class Checks:
    """Tries a Drive with a handful of requests."""

    accounts: Sequence[Account]
    options: DriveOptions
    directory: Directory

    def all(self) -> list[Check]:
        """Return the checks; what the first one can't do, the others aren't asked."""
        try:
            corpora = corpora_of(self.accounts, self.options)
            message = self._read(corpora)
        except (_Broken, ConnectorError) as error:
            others = ("access", "changes", "contents")
            untried = "Not tried, as reading doesn't work."
            return [
                Check("read", ok=False, message=str(error)),
                *(Check(name, ok=False, message=untried) for name in others),
            ]
        return [
            Check("read", ok=True, message=message),
            _tried("access", lambda: self._access(corpora)),
            _tried("changes", lambda: self._changes(corpora)),
            _tried("contents", lambda: self._contents(corpora)),
        ]

    def _read(self, corpora: Corpora) -> str:
        if corpora.problems:
            raise _Broken(" ".join(corpora.problems))
        for id_ in sorted(self.options.folders | self.options.exclude_folders):
            self._folder(corpora, id_)
        if not any(self._first(corpora, corpus.drive_id) for corpus in corpora.all):
            raise _Broken(
                "No file is seen. Share some with the account that reads, or name "
                "“subjects” whose files are read; look at the source's other options."
            )
        drives = len(corpora.by_drive)
        names = [account.me().email or account.name for account in corpora.accounts]
        told = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
        return f"Reads as {told}; {drives} shared drives are seen."

    def _folder(self, corpora: Corpora, id_: str) -> None:
        if id_ in corpora.by_drive:
            return
        found = corpora.find(id_, PLACE)
        if found is None:
            raise _Broken(
                f"None of the accounts sees the folder {id_}. Share it with one of them, "
                "or correct “folders” and “exclude_folders”."
            )
        if found[1].mime != FOLDER:
            raise _Broken(
                f"{id_} (“{found[1].name}”) is no folder; correct “folders” and "
                "“exclude_folders”."
            )

    def _first(self, corpora: Corpora, drive_id: str) -> object:
        accounts = (
            [corpora.by_drive[drive_id].account] if drive_id else corpora.accounts
        )
        for account in accounts:
            found = files_api.files(account, drive_id, "trashed = false", READERS)
            if (first := next(found, None)) is not None:
                return first
        return None

    def _access(self, corpora: Corpora) -> str:
        for corpus in corpora.all:
            if corpus.drive is None:
                continue
            if files_api.permissions(corpus.account, corpus.drive_id) is None:
                raise _Broken(
                    f"Who may read {corpus.name} can't be read. Make "
                    f"{corpus.account.me().email or corpus.account.name} a manager there."
                )
        if self.directory.account is None:
            return (
                "Without “directory_admin” groups grant nobody: people see what is "
                "shared with them by name, and with the company's domains."
            )
        return self._groups(self.directory.account)

    def _groups(self, account: Account) -> str:
        """Try both scopes of the directory."""
        groups = account.api("admin.members")
        users = account.api("admin.users")
        try:
            account.ask(
                users.list(
                    customer="my_customer", maxResults=1, fields="users(primaryEmail)"
                )
            )
            account.ask(groups.list(groupKey=NO_DOCUMENT, fields="members(email)"))
        except (NotFound, BadRequest):
            # There's no such group, which only those are told who may read groups.
            return ""
        except Refused as error:
            raise _Broken(
                f"{account.name} may not read groups' members. Give that account the "
                "admin privileges to read groups and users, enable the Admin SDK API, "
                f"and delegate its scopes. {error}"
            ) from error
        return ""

    def _changes(self, corpora: Corpora) -> str:
        for corpus in corpora.all:
            token = files_api.start_of_changes(corpus.account, corpus.drive_id)
            next(files_api.changes(corpus.account, corpus.drive_id, token), None)
        return ""

    def _contents(self, corpora: Corpora) -> str:
        """Look whether the APIs are on that Docs, Sheets and Slides are read by."""
        account = corpora.accounts[0]
        asked = {
            "Google Docs": account.api("docs.documents").get(documentId=NO_DOCUMENT),
            "Google Sheets": account.api("sheets.spreadsheets").get(
                spreadsheetId=NO_DOCUMENT
            ),
            "Google Slides": account.api("slides.presentations").get(
                presentationId=NO_DOCUMENT
            ),
        }
        off = []
        for name, request in asked.items():
            try:
                account.ask(request)
            except ApiOff:
                off.append(name)
            except (NotFound, BadRequest, Refused):
                continue
        if off:
            raise _Broken(
                f"The APIs {', '.join(off)} aren't enabled in the Cloud project, so their "
                "files would be exported, up to 10 MB each and without links to their "
                "parts. Enable them: https://console.cloud.google.com/apis/library."
            )
        return ""


def _tried(capability: str, attempt: Callable[[], str]) -> Check:
    try:
        return Check(capability, ok=True, message=attempt())
    except (_Broken, ConnectorError) as error:
        return Check(capability, ok=False, message=str(error))
