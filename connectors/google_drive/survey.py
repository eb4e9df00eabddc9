"""All that the drives hold, without content: what listing, access and whole passes rest on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace

from connectors.google_drive import files_api
from connectors.google_drive.corpora import Corpora, Corpus
from connectors.google_drive.options import DriveOptions
from connectors.google_drive.scope import Scope
from connectors.google_drive.values import FOLDER, File, Permission, User


@dataclass(slots=True)
class Seen:
    """A file, the drive that it was met in, and the accounts that see it there.

    `via` is the shortcut that leads to a file which isn't read for where it lies.
    """

    file: File
    corpus: Corpus
    viewers: list[User] = field(default_factory=list)
    via: str = ""


@dataclass(slots=True)
class Survey:
    """Looks at the drives one after the other, and remembers what it saw."""

    corpora: Corpora
    options: DriveOptions
    #: What is asked of each file (connectors.google_drive.values).
    fields: str
    files: dict[str, Seen] = field(default_factory=dict)
    #: Files by drive that aren't folders or shortcuts, read or not.
    listed: Counter[str] = field(default_factory=Counter)
    scope: Scope = field(init=False)
    _wanted: set[str] = field(default_factory=set)
    _children: dict[str, list[str]] | None = None
    _same: dict[tuple[Permission, ...], tuple[Permission, ...]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        """Make what decides which files are read."""
        self.scope = Scope(self.options, self._parents)

    def groups(self) -> Iterator[list[Seen]]:
        """Yield the files that are read: all My Drives, each shared drive, shortcuts'.

        Folders and shortcuts aren't among them; each file comes once. Groups without
        files come in between, as signs of life.
        """
        own = [corpus for corpus in self.corpora.all if corpus.drive is None]
        for corpora in (own, *([c] for c in self.corpora.all if c.drive is not None)):
            met: list[str] = []
            for corpus in corpora:
                for _ in self._list(corpus, met):
                    yield []
            yield self._chosen(met)
        yield self._by_shortcuts()

    def places(self) -> Iterator[Seen]:
        """Yield the folders and shortcuts that were seen, after `groups`.

        Those that aren't read are among them: what's read may lie deeper in them.
        """
        for seen in self.files.values():
            if seen.file.is_folder or seen.file.is_shortcut:
                yield seen

    def _list(self, corpus: Corpus, met: list[str]) -> Iterator[None]:
        query = "trashed = false"
        if corpus.drive is None and self.options.needs_own_files_only:
            query += " and 'me' in owners"
        viewer = corpus.account.me()
        files = files_api.files(corpus.account, corpus.drive_id, query, self.fields)
        for number, file in enumerate(files):
            if file.id not in self.files:
                met.append(file.id)
                if not file.is_folder and not file.is_shortcut:
                    self.listed[corpus.key] += 1
            self._meet(file, corpus, viewer)
            if number % files_api.READERS_PAGE == 0:
                yield None

    def _meet(self, file: File, corpus: Corpus, viewer: User) -> None:
        """Keep a file as whoever is told most of it sees it: its owner first."""
        if file.permissions is not None:
            same = self._same.setdefault(file.permissions, file.permissions)
            file = replace(file, permissions=same)
        known = self.files.get(file.id)
        if known is None:
            self.files[file.id] = Seen(file, corpus, [viewer])
            return
        if viewer not in known.viewers:
            known.viewers.append(viewer)
        tells_more = known.file.permissions is None and file.permissions is not None
        if not known.file.is_own and (file.is_own or tells_more):
            known.file, known.corpus = file, corpus

    def _chosen(self, ids: Collection[str]) -> list[Seen]:
        found = []
        for id_ in ids:
            seen = self.files[id_]
            if seen.file.is_folder or seen.file.is_shortcut:
                continue
            if id_ not in self._wanted and self.scope.holds(seen.file):
                self._wanted.add(id_)
                found.append(seen)
        return found

    def _by_shortcuts(self) -> list[Seen]:
        """Return what only shortcuts lead to, through folders and further shortcuts."""
        waiting = [
            (seen, id_)
            for id_, seen in list(self.files.items())
            if seen.file.is_shortcut and self.scope.holds(seen.file)
        ]
        found: list[Seen] = []
        done: set[str] = set()
        while waiting:
            shortcut, via = waiting.pop()
            for seen in self._led_to(shortcut):
                file = seen.file
                if file.id in done or file.id in self._wanted:
                    continue
                done.add(file.id)
                if self.scope.leaves_out(file):
                    continue
                seen.via = via
                if file.is_shortcut:
                    waiting.append((seen, via))
                elif not file.is_folder:
                    self._wanted.add(file.id)
                    found.append(seen)
        return found

    def _led_to(self, shortcut: Seen) -> Iterator[Seen]:
        """Yield a shortcut's target, and what lies in it."""
        target_id = shortcut.file.target_id
        target = self.files.get(target_id) or self._fetched(shortcut)
        if target is None:
            return
        yield target
        if target.file.mime != FOLDER or self.scope.holds(target.file):
            return
        if self._is_listed(target):
            for id_ in self._below(target_id):
                yield self.files[id_]
            return
        corpus = target.corpus
        for file in files_api.below(
            corpus.account, corpus.drive_id, target_id, self.fields
        ):
            self._meet(file, corpus, corpus.account.me())
            yield self.files[file.id]

    def _fetched(self, shortcut: Seen) -> Seen | None:
        """Return a target that the listings didn't show.

        None in a shared drive that isn't read: nothing would tell of its changes.
        """
        account = shortcut.corpus.account
        file = files_api.file(account, shortcut.file.target_id, self.fields)
        if file is None or (
            file.drive_id and file.drive_id not in self.corpora.by_drive
        ):
            return None
        corpus = self.corpora.by_drive.get(file.drive_id) or Corpus(account)
        seen = Seen(file, corpus, [account.me()])
        self.files[file.id] = seen
        return seen

    def _is_listed(self, folder: Seen) -> bool:
        """Tell whether all that a folder holds was listed with its drive."""
        if folder.file.drive_id:
            return folder.file.drive_id in self.corpora.by_drive
        return not self.options.needs_own_files_only

    def _below(self, folder_id: str) -> Iterator[str]:
        if self._children is None:
            self._children = {}
            for id_, seen in self.files.items():
                for parent in seen.file.parents:
                    self._children.setdefault(parent, []).append(id_)
        waiting, met = [folder_id], {folder_id}
        while waiting:
            for id_ in self._children.get(waiting.pop(), ()):
                if id_ not in met:
                    met.add(id_)
                    yield id_
                    waiting.append(id_)

    def _parents(self, id_: str) -> Collection[str]:
        seen = self.files.get(id_)
        return seen.file.parents if seen else ()
