"""Google Drive as a source: My Drives and shared drives, by the vendor's own libraries.

README.md says what is read; docs/connectors/google_drive.md how it behaves, each line
with its test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from connectors.atlassian.one_thing import is_of_one_thing
from connectors.base import Change, Check, Cursor, Known, Membership, Notice
from connectors.errors import IncompleteListing
from connectors.files.converting import Converter, PackageConverter
from connectors.google_drive.checks import Checks
from connectors.google_drive.client import Account
from connectors.google_drive.contents import Contents
from connectors.google_drive.corpora import Corpora, accounts_of, corpora_of
from connectors.google_drive.options import OPTIONS as OPTIONS
from connectors.google_drive.options import DriveOptions
from connectors.google_drive.passes import Passes
from connectors.google_drive.people import Directory, People
from connectors.google_drive.rules import Names, Rules
from connectors.google_drive.sharing import Sharing
from connectors.google_drive.signing_in import Key
from connectors.google_drive.survey import Seen, Survey
from connectors.google_drive.values import PLACE, READERS, User
from connectors.http import Patience
from connectors.http.errors import HttpError, RateLimited
from connectors.models import Source
from memory.access import NOBODY_RULE, AccessRule


def connect(source: Source, options: Mapping[str, Any]) -> GoogleDrive:
    """Return the connector of a source; raises OptionError for wrong options."""
    return GoogleDrive(source.id, DriveOptions.of(options))


class GoogleDrive:
    """Reads drives; implements connectors.base.Connector.

    `patience` says how requests wait; whoever runs a sync may watch its pauses.
    """

    def __init__(
        self,
        source_id: UUID,
        options: DriveOptions,
        *,
        patience: Patience | None = None,
        converter: Converter | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Ask for nothing yet."""
        self.patience: Patience = patience or Patience()
        self._options = options
        self._key = Key(options)
        self._accounts = accounts_of(options, self._key, self.patience)
        self._directory = Directory(self._administrator())
        self._rules = Rules(Names(source_id), options, clock)
        contents = Contents(converter or PackageConverter())
        self._passes = Passes(
            source_id,
            options,
            self._accounts,
            contents,
            self._rules,
            self._directory,
        )
        self._has_met_all = False

    def check(self) -> list[Check]:
        """Try reading, access, changes, and the APIs of Docs, Sheets and Slides."""
        return Checks(self._accounts, self._options, self._directory).all()

    def changes(self, since: Cursor | None, known: Known) -> Iterator[Change]:
        """Yield what isn't as it was, of everything or of what changed (passes.py)."""
        for change in self._passes.changes(since, known):
            yield from self._pauses()
            yield change
        yield from self._pauses()

    def listing(self) -> Iterator[str]:
        """Yield the ids of all files that are read for their place, whatever their kind."""
        with _complete_or_not():
            corpora = self._corpora()
            for seen in _found(Survey(corpora, self._options, PLACE)):
                yield seen.file.id
        _check_whole(corpora)

    def access(self) -> Iterator[tuple[str, AccessRule]]:
        """Yield each file's rule as it is now; nobody's where it can't be told."""
        with _complete_or_not():
            corpora = self._corpora()
            survey = Survey(corpora, self._options, READERS)
            sharing = Sharing(self._rules, corpora, survey.files)
            for seen in _found(survey):
                yield seen.file.id, _rule_or_nobody(sharing, seen)
        self._has_met_all = True
        _check_whole(corpora)

    def memberships(self) -> Iterator[Membership]:
        """Yield accounts, groups and domains that files are shared with, by e-mail.

        After `access` on the same connector they needn't be looked for again.
        """
        yield from self._people().memberships()

    def accounts(self) -> list[User]:
        """Return the people of the directory and those that files are shared with."""
        return self._people().accounts()

    def _people(self) -> People:
        if not self._has_met_all:
            try:
                for _ in self.access():
                    pass
            except IncompleteListing:
                # An account out of sight names nobody; a list that broke off might.
                if not self._has_met_all:
                    raise
        return People(self._rules.names, self._directory, self._rules.met)

    def _administrator(self) -> Account | None:
        admin = self._options.directory_admin
        if not admin:
            return None
        # A consent is for its own account alone.
        subject = "" if self._options.is_oauth else admin
        return Account(
            self._options, self._key, self.patience, subject=subject, is_directory=True
        )

    def _corpora(self) -> Corpora:
        return corpora_of(self._accounts, self._options)

    def _pauses(self) -> Iterator[Notice]:
        """Tell of the pauses that Google asked for."""
        while self.patience.waits:
            yield Notice(self.patience.waits.pop(0).message, reason="waited")


def _found(survey: Survey) -> Iterator[Seen]:
    for group in survey.groups():
        yield from group


def _rule_or_nobody(sharing: Sharing, seen: Seen) -> AccessRule:
    try:
        return sharing.rule(seen)
    except RateLimited:
        raise
    except HttpError as error:
        if not is_of_one_thing(error):
            raise
        return NOBODY_RULE


def _check_whole(corpora: Corpora) -> None:
    """Raise IncompleteListing where a drive or an account was out of sight."""
    if corpora.problems:
        raise IncompleteListing(
            f"Not all can be seen, so nothing is deleted. {' '.join(corpora.problems)}"
        )


@contextmanager
def _complete_or_not() -> Iterator[None]:
    """Turn what breaks a listing off into IncompleteListing."""
    try:
        yield
    except RateLimited:
        raise
    except HttpError as error:
        raise IncompleteListing(
            f"Not all of the drives could be seen, so nothing is deleted. {error}"
        ) from error
