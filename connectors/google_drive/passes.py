"""The two ways to read the drives: all of them, or what their change logs name.

All is looked at in a first run, when what is read changed, when a drive is new or gone,
and when a log can't tell. Files that are as they were aren't fetched in either.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from connectors.base import (
    Change,
    Checkpoint,
    Complete,
    Cursor,
    Failed,
    Known,
    Notice,
    Total,
)
from connectors.google_drive import files_api
from connectors.google_drive.client import Account
from connectors.google_drive.contents import Contents
from connectors.google_drive.corpora import Corpora, corpora_of
from connectors.google_drive.counting import counted, shared, unmapped
from connectors.google_drive.cursors import Position, fingerprint
from connectors.google_drive.options import DriveOptions
from connectors.google_drive.people import Directory
from connectors.google_drive.reading import UNREADABLE, Reader
from connectors.google_drive.recent import Recent
from connectors.google_drive.rules import Rules
from connectors.google_drive.sharing import Sharing
from connectors.google_drive.survey import Seen, Survey
from connectors.google_drive.values import WHOLE


@dataclass(frozen=True, slots=True)
class Passes:
    """Yields the changes of one source's runs."""

    source_id: UUID
    options: DriveOptions
    accounts: Sequence[Account]
    contents: Contents
    rules: Rules
    directory: Directory

    def changes(self, since: Cursor | None, known: Known) -> Iterator[Change]:
        """Yield what isn't as it was since a cursor."""
        corpora = corpora_of(self.accounts, self.options)
        for problem in corpora.problems:
            yield Notice(problem, "out_of_sight", incomplete=True)
        position = Position.of(since)
        if self._needs_whole(position, corpora):
            yield from self._whole(corpora, known)
            return
        reader = self._reader()
        recent = Recent(corpora, position, reader, self.rules, known)
        try:
            yield from recent.changes()
        except files_api.StaleToken:
            recent.needs_whole = True
        if recent.needs_whole:
            yield from self._whole(corpora, known)
            return
        yield from reader.notices()
        yield from shared(self.rules.met)
        yield Checkpoint(position.cursor())

    def _needs_whole(self, position: Position, corpora: Corpora) -> bool:
        keys = {corpus.key for corpus in corpora.all}
        if position.needs_whole(self._reads(), keys):
            return True
        # A drive that's gone for good is pruned; one that's out of sight isn't.
        return bool(position.tokens.keys() - keys) and not corpora.problems

    def _reads(self) -> str:
        return fingerprint(self.options, self.contents.version)

    def _reader(self) -> Reader:
        return Reader(self.source_id, self.options, self.contents)

    def _whole(self, corpora: Corpora, known: Known) -> Iterator[Change]:
        # The logs' places come first: what changes while this is read is in them.
        position = Position(reads=self._reads())
        for corpus in corpora.all:
            token = files_api.start_of_changes(corpus.account, corpus.drive_id)
            position.tokens[corpus.key] = token
        survey = Survey(corpora, self.options, WHOLE)
        chosen: list[Seen] = []
        for group in survey.groups():
            chosen.extend(group)
            yield Total(len(chosen))
        sharing = Sharing(self.rules, corpora, survey.files)
        reader = self._reader()
        for seen in chosen:
            change = reader.change(seen, known, sharing.rule)
            if isinstance(change, Failed) and change.reason == UNREADABLE:
                position.again[seen.file.id] = None
            yield change
        self._note(position, survey, sharing)
        yield from counted(survey, reader)
        yield from reader.notices()
        yield Complete()
        yield Checkpoint(position.cursor())
        yield from shared(self.rules.met)
        yield from self._unmapped()

    def _note(self, position: Position, survey: Survey, sharing: Sharing) -> None:
        """Remember the folders as they are."""
        for seen in survey.places():
            told = sharing.of_place(seen.file, seen.corpus.account)
            position.folders.note(seen.file, told)
        for corpus in survey.corpora.all:
            if corpus.drive is not None:
                members = sharing.of_drive(corpus.drive.id, corpus.account)
                position.folders.note(corpus.drive, members)

    def _unmapped(self) -> Iterator[Notice]:
        """Tell which groups' members can't be read."""
        directory = self.directory
        groups = [
            group
            for group in self.rules.met.groups.values()
            if directory.people_in(group.email) is None
        ]
        yield from unmapped(groups, has_directory=directory.account is not None)
