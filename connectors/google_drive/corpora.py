"""Which drives there are: each account's own, and each shared drive, read by one account."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from connectors.errors import PermanentError
from connectors.google_drive import files_api
from connectors.google_drive.client import Account
from connectors.google_drive.options import DriveOptions
from connectors.google_drive.refusals import AccountRefused, Refused
from connectors.google_drive.signing_in import Key
from connectors.google_drive.values import Drive, File
from connectors.http import Patience


@dataclass(frozen=True, slots=True)
class Corpus:
    """A drive, and the account that reads it. `drive` is None for a My Drive."""

    account: Account
    drive: Drive | None = None

    @property
    def drive_id(self) -> str:
        """Return the shared drive's id, else ""."""
        return self.drive.id if self.drive else ""

    @property
    def key(self) -> str:
        """Name the drive's change log, the same in every run."""
        if self.drive is not None:
            return f"drive:{self.drive.id}"
        return f"user:{self.account.subject}"

    @property
    def name(self) -> str:
        """Name the drive for people."""
        if self.drive is not None:
            return f"the shared drive “{self.drive.name or self.drive.id}”"
        return f"the My Drive of {self.account.me().email or self.account.name}"


@dataclass(frozen=True, slots=True)
class Corpora:
    """The drives that are read in a run, and what stood in the way of more."""

    all: Sequence[Corpus]
    accounts: Sequence[Account]
    #: Shared drives that are asked for and not seen, accounts that aren't there.
    problems: Sequence[str] = ()
    by_drive: dict[str, Corpus] = field(default_factory=dict)

    def drive(self, id_: str) -> Drive | None:
        """Return a shared drive that is read."""
        found = self.by_drive.get(id_)
        return found.drive if found else None

    def reader_of(self, file: File, account: Account) -> Account:
        """Return who reads a file's drive, where that's another account."""
        found = self.by_drive.get(file.drive_id)
        return found.account if found else account

    def find(self, id_: str, fields: str) -> tuple[Account, File] | None:
        """Return a file and the first account that sees it, its owner where we read it."""
        seen: tuple[Account, File] | None = None
        for account in self.accounts:
            found = files_api.file(account, id_, fields)
            if found is None:
                continue
            if found.is_own or found.drive_id:
                return self.reader_of(found, account), found
            seen = seen or (account, found)
        return seen


def accounts_of(options: DriveOptions, key: Key, patience: Patience) -> list[Account]:
    """Return the accounts that are read as, in the options' order."""
    subjects = options.subjects or ("",)
    return [Account(options, key, patience, subject=subject) for subject in subjects]


def corpora_of(accounts: Sequence[Account], options: DriveOptions) -> Corpora:
    """Look which drives there are.

    Raises PermanentError when the key can read as none of the accounts.
    """
    problems: list[str] = []
    working = []
    for account in accounts:
        try:
            account.me()
        except (AccountRefused, Refused) as error:
            problems.append(str(error))
            continue
        working.append(account)
    if not working:
        raise PermanentError(" ".join(problems))
    by_drive: dict[str, Corpus] = {}
    if options.read_shared_drives:
        for account in working:
            for drive in files_api.drives(account):
                if options.wants_drive(drive.id):
                    by_drive.setdefault(drive.id, Corpus(account, drive))
    hidden = sorted(options.shared_drives - by_drive.keys())
    if options.read_shared_drives and hidden:
        problems.append(
            f"None of the accounts sees the shared drives {', '.join(hidden)}. Make one "
            "of them a member there; if they're gone, take them out of the option "
            "“shared_drives”."
        )
    own = [Corpus(account) for account in working] if options.my_drives else []
    return Corpora([*own, *by_drive.values()], working, problems, by_drive)
