"""What of the drives is read: by owner and by folder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field

from connectors.google_drive.options import DriveOptions
from connectors.google_drive.values import File

#: A folder's parents by its id; nothing for one that isn't seen.
Parents = Callable[[str], Collection[str]]

#: Folders lie at most 100 deep in a shared drive; a ring must not hold a run up.
MAX_DEPTH = 500


@dataclass(frozen=True, slots=True)
class Scope:
    """Decides by the options; `parents` looks a folder's parents up."""

    options: DriveOptions
    parents: Parents
    _within: dict[str, frozenset[str]] = field(default_factory=dict)

    def holds(self, file: File) -> bool:
        """Tell whether a file is read for where it lies, leaving its kind aside."""
        if file.is_trashed:
            return False
        options = self.options
        if file.drive_id:
            if not options.wants_drive(file.drive_id):
                return False
        elif not self._is_theirs(file):
            return False
        if not options.folders and not options.exclude_folders:
            return True
        around = {file.id, *self.around(file.parents)}
        if options.exclude_folders & around:
            return False
        return not options.folders or bool(options.folders & around)

    def leaves_out(self, file: File) -> bool:
        """Tell whether a file lies in a folder that is left out, wherever it's met."""
        if file.is_trashed:
            return True
        if not self.options.exclude_folders:
            return False
        return bool(
            self.options.exclude_folders & {file.id, *self.around(file.parents)}
        )

    def around(self, parents: Collection[str]) -> Collection[str]:
        """Return folders and all that they lie in."""
        found: set[str] = set()
        for id_ in parents:
            found |= self._around(id_)
        return found

    def _is_theirs(self, file: File) -> bool:
        """Tell whether a file outside of shared drives is one that the options read.

        A folder that is named is read whoever owns it.
        """
        options = self.options
        if not options.my_drives:
            return False
        return file.is_own or options.shared_with_me or bool(options.folders)

    def _around(self, id_: str) -> frozenset[str]:
        if id_ not in self._within:
            self._within[id_] = frozenset(self._climb(id_))
        return self._within[id_]

    def _climb(self, id_: str) -> Iterator[str]:
        waiting, seen = [id_], {id_}
        while waiting and len(seen) <= MAX_DEPTH:
            current = waiting.pop()
            yield current
            for parent in self.parents(current):
                if parent not in seen:
                    seen.add(parent)
                    waiting.append(parent)
