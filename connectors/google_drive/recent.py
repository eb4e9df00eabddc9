"""What changed since the last run, as the drives' change logs tell it.

A log says that something changed, never what: so a file is judged anew, and read only
where its mark is another. Moving, trashing, restoring and sharing change no time of a
file, but they are in the log.
https://developers.google.com/workspace/drive/api/guides/about-changes (read 2026-12-01)
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from connectors.base import Change, Checkpoint, Delete, Failed, Known
from connectors.google_drive import files_api
from connectors.google_drive.corpora import Corpora, Corpus
from connectors.google_drive.cursors import Position
from connectors.google_drive.marks import Mark
from connectors.google_drive.reading import UNREADABLE, Reader
from connectors.google_drive.rules import Rules
from connectors.google_drive.scope import Scope
from connectors.google_drive.sharing import Sharing
from connectors.google_drive.survey import Seen, Survey
from connectors.google_drive.values import PLACE, WHOLE, File, Permission, User


@dataclass(slots=True)
class Recent:
    """Reads the logs from a position on, which it moves."""

    corpora: Corpora
    position: Position
    reader: Reader
    rules: Rules
    known: Known
    #: Something can't be told from the logs: everything has to be looked at.
    needs_whole: bool = False
    _scope: Scope = field(init=False)
    _sharing: Sharing = field(init=False)
    _parents: dict[str, Collection[str]] = field(default_factory=dict)
    #: Files that this run has read.
    _done: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Make what judges files."""
        self._scope = Scope(self.reader.options, self._parents_of)
        self._sharing = Sharing(self.rules, self.corpora)

    def changes(self) -> Iterator[Change]:
        """Yield what became of each file that a log names, with a Checkpoint a page.

        Raises StaleToken where a log doesn't go on from the position.
        """
        for corpus in self.corpora.all:
            if corpus.drive is not None:
                yield from self._members(corpus)
        for corpus in self.corpora.all:
            yield from self._log(corpus)
        yield from self._again()

    def _members(self, corpus: Corpus) -> Iterator[Change]:
        """Judge a whole shared drive anew when its members or limits are others.

        No log tells that of what lies in it.
        """
        drive, account, folders = corpus.drive, corpus.account, self.position.folders
        if drive is None:
            return
        members = self._sharing.of_drive(drive.id, account)
        if folders.is_as_before(drive, members):
            return
        only = Corpora([corpus], self.corpora.accounts, (), self.corpora.by_drive)
        survey = Survey(only, self.reader.options, WHOLE)
        chosen = [seen for group in survey.groups() for seen in group]
        yield from self._judged(chosen, Sharing(self.rules, self.corpora, survey.files))
        folders.note(drive, members)

    def _log(self, corpus: Corpus) -> Iterator[Change]:
        token = self.position.tokens[corpus.key]
        for page in files_api.changes(corpus.account, corpus.drive_id, token):
            for change in page.changes:
                if change.file is not None:
                    yield from self._met(Seen(change.file, corpus, self._me(corpus)))
                elif change.drive is None:
                    yield from self._gone(change.file_id)
            self.position.tokens[corpus.key] = page.token
            yield Checkpoint(self.position.cursor())

    def _again(self) -> Iterator[Change]:
        """Read what an earlier run could not."""
        waiting, self.position.again = self.position.again, {}
        for id_ in waiting:
            if id_ not in self._done:
                yield from self._looked_up(id_)

    def _met(self, seen: Seen) -> Iterator[Change]:
        file = seen.file
        if self._is_told_elsewhere(seen):
            return
        if file.is_folder or file.is_shortcut:
            yield from self._place(seen)
        else:
            yield from self._judged([seen], self._sharing)

    def _is_told_elsewhere(self, seen: Seen) -> bool:
        """Tell whether another log than this one is where a file belongs."""
        file = seen.file
        if file.drive_id:
            return file.drive_id != seen.corpus.drive_id
        if file.is_own:
            return False
        if file.is_folder and self.reader.options.needs_own_files_only:
            return True
        read_as = {account.me().email for account in self.corpora.accounts}
        return file.owner_email in read_as

    def _gone(self, id_: str) -> Iterator[Change]:
        """Judge what one log lost sight of: another account, or drive, may have it."""
        if self.position.folders.knows(id_):
            # What lay in it isn't named, and can't be asked for any more.
            self._ask_for_whole()
        elif self.known.mark(id_) is not None or id_ in self._done:
            yield from self._looked_up(id_)

    def _ask_for_whole(self) -> None:
        """Ask for all, at the next run where this one doesn't get so far."""
        self.needs_whole = True
        self.position.reads = ""

    def _looked_up(self, id_: str) -> Iterator[Change]:
        found = self.corpora.find(id_, WHOLE)
        if found is None:
            yield Delete(id_)
            return
        account, file = found
        corpus = self.corpora.by_drive.get(file.drive_id) or Corpus(account)
        yield from self._judged([Seen(file, corpus, self._me(corpus))], self._sharing)

    def _place(self, seen: Seen) -> Iterator[Change]:
        """Judge what lies in a folder that isn't as it was, or what a shortcut leads to.

        A folder that isn't read counts too: what's read may lie deeper in it.
        """
        place, folders = seen.file, self.position.folders
        account = seen.corpus.account
        shared = None if place.is_trashed else self._sharing.of_place(place, account)
        if place.is_trashed and not folders.knows(place.id):
            return
        if not place.is_trashed and folders.is_as_before(place, shared):
            return
        if not place.is_shortcut:
            inside = files_api.below(account, seen.corpus.drive_id, place.id, WHOLE)
            yield from self._inside(inside, seen)
        elif self._scope.holds(place):
            # What a shortcut led to that's gone is found by the next listing.
            yield from self._led_to(seen)
        self._note(place, shared)

    def _note(self, place: File, shared: Sequence[Permission] | None) -> None:
        if place.is_trashed:
            self.position.folders.forget(place.id)
        else:
            self.position.folders.note(place, shared)

    def _inside(self, inside: Iterable[File], around: Seen) -> Iterator[Change]:
        """Judge all that lies in a folder."""
        corpus = around.corpus
        files = {around.file.id: around}
        for file in inside:
            files[file.id] = Seen(file, corpus, self._me(corpus), around.via)
            self._parents[file.id] = file.parents
        sharing = Sharing(self.rules, self.corpora, files)
        for seen in list(files.values())[1:]:
            if seen.file.is_folder:
                shared = sharing.of_place(seen.file, corpus.account)
                self._note(seen.file, shared)
            elif seen.file.is_shortcut:
                yield from self._place(seen)
            elif not self._is_told_elsewhere(seen):
                yield from self._judged([seen], sharing)

    def _led_to(self, shortcut: Seen) -> Iterator[Change]:
        account, via = shortcut.corpus.account, shortcut.file.id
        target = files_api.file(account, shortcut.file.target_id, WHOLE)
        if target is None or target.is_shortcut:
            return
        corpus = Corpus(account)
        if target.drive_id:
            if target.drive_id not in self.corpora.by_drive:
                return
            corpus = self.corpora.by_drive[target.drive_id]
        seen = Seen(target, corpus, self._me(corpus), via)
        if target.is_folder:
            inside = files_api.below(corpus.account, corpus.drive_id, target.id, WHOLE)
            yield from self._inside(inside, seen)
        else:
            yield from self._judged([seen], self._sharing)

    def _judged(self, chosen: Iterable[Seen], sharing: Sharing) -> Iterator[Change]:
        """Yield what became of files: those that aren't read any more are gone."""
        for seen in chosen:
            via = self._via(seen)
            if via is None:
                yield from self._left(seen.file)
                continue
            seen.via = via
            seen.viewers = self._viewers(seen)
            change = self.reader.change(seen, self.known, sharing.rule)
            self._done.add(seen.file.id)
            if isinstance(change, Failed) and change.reason == UNREADABLE:
                self.position.again[seen.file.id] = None
            yield change

    def _left(self, file: File) -> Iterator[Change]:
        """Yield that a file isn't read any more, unless it never was."""
        is_ours = file.is_own or bool(file.drive_id)
        if is_ours or self.known.mark(file.id) is not None:
            yield Delete(file.id)

    def _viewers(self, seen: Seen) -> list[User]:
        """Return the accounts that see a file, where nobody tells its permissions."""
        file = seen.file
        if file.drive_id or file.permissions is not None:
            return seen.viewers
        return [
            account.me()
            for account in self.corpora.accounts
            if files_api.file(account, file.id, "id") is not None
        ]

    def _via(self, seen: Seen) -> str | None:
        """Return the shortcut that leads to a file, "" where it's read for its place.

        None where it isn't read.
        """
        file = seen.file
        if self._scope.holds(file):
            return ""
        if self._scope.leaves_out(file):
            return None
        if seen.via:
            return seen.via
        via = Mark.parse(self.known.mark(file.id)).via
        return via if via and self._leads(via, seen) else None

    def _leads(self, via: str, seen: Seen) -> bool:
        """Tell whether the shortcut that once led to a file still does."""
        found = self.corpora.find(via, PLACE)
        if found is None or not self._scope.holds(found[1]):
            return False
        target = found[1].target_id
        return target == seen.file.id or target in self._scope.around(seen.file.parents)

    def _parents_of(self, id_: str) -> Collection[str]:
        if id_ not in self._parents:
            found = None if id_ in self.corpora.by_drive else self._folder(id_)
            self._parents[id_] = found.parents if found else ()
        return self._parents[id_]

    def _folder(self, id_: str) -> File | None:
        found = self.corpora.find(id_, PLACE)
        return found[1] if found else None

    def _me(self, corpus: Corpus) -> list[User]:
        return [corpus.account.me()]
