"""Reading one file without being led astray, and the mark that says "unchanged"."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass

#: A file that was written this shortly before it was read may be written once more
#: within the clock's grain, so its time proves nothing yet (git calls it racy).
RACY_NS = 2_000_000_000

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
# A pipe that took the file's place since must not be waited for.
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class ChangedWhileRead(Exception):  # noqa: N818 - read again, it's no error yet
    """The file isn't the one that was opened any more."""


class NoRegularFile(Exception):  # noqa: N818
    """Something else took the file's place."""


class TooLarge(Exception):  # noqa: N818
    """The file has more bytes than are read; `args[0]` says how many."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What a file was when it was read, and by which converter."""

    size: int
    mtime_ns: int  # 0: too fresh to prove anything
    sha256: str
    converter: str

    @classmethod
    def parse(cls, text: str | None) -> Mark | None:
        """Return the mark that `str` wrote, None for anything else."""
        try:
            size, mtime_ns, sha256, converter = (text or "").split(":")
            return cls(int(size), int(mtime_ns), sha256, converter)
        except ValueError:
            return None

    def __str__(self) -> str:
        """Return it as text, for `Known.mark`."""
        return f"{self.size}:{self.mtime_ns}:{self.sha256}:{self.converter}"

    def fits(self, found: os.stat_result) -> bool:
        """Tell whether size and time prove that the file is the same."""
        return self.mtime_ns != 0 and (self.size, self.mtime_ns) == (
            found.st_size,
            found.st_mtime_ns,
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """A file's bytes, and what the system said of it while they were read."""

    data: bytes
    stat: os.stat_result

    def mark(self, converter: str, now_ns: int) -> Mark:
        """Return the mark of what was read."""
        modified = self.stat.st_mtime_ns
        fresh = now_ns - modified < RACY_NS
        digest = hashlib.sha256(self.data).hexdigest()
        return Mark(self.stat.st_size, 0 if fresh else modified, digest, converter)


def read(root: int, parts: Sequence[str], max_bytes: int) -> Reading:
    """Read a file below an open folder, following no link on the way.

    Raises OSError, ChangedWhileRead, NoRegularFile or TooLarge.
    """
    descriptor = _opened(root, parts)
    try:
        before = os.fstat(descriptor)
        if not stat.S_ISREG(before.st_mode):
            raise NoRegularFile
        data = _bytes(descriptor, max_bytes)
        after = os.fstat(descriptor)
    finally:
        os.close(descriptor)
    if _identity(before) != _identity(after) or len(data) != after.st_size:
        raise ChangedWhileRead
    if not _is_still_there(root, parts, after):
        raise ChangedWhileRead
    return Reading(data, after)


def _opened(root: int, parts: Sequence[str]) -> int:
    """Open a file one folder at a time: a folder may have become a link since."""
    folder = root
    try:
        for name in parts[:-1]:
            inside = os.open(name, _FOLDER, dir_fd=folder)
            if folder != root:
                os.close(folder)
            folder = inside
        return os.open(parts[-1], _FILE, dir_fd=folder)
    finally:
        if folder != root:
            os.close(folder)


def _bytes(descriptor: int, max_bytes: int) -> bytes:
    size = os.fstat(descriptor).st_size
    if size > max_bytes:
        raise TooLarge(size)
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        # One more than there may be, as it may be growing.
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:
        raise TooLarge(len(data))
    return data


def _identity(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _is_still_there(root: int, parts: Sequence[str], read: os.stat_result) -> bool:
    """Tell whether the name still leads to what was read."""
    try:
        now = os.stat("/".join(parts), dir_fd=root, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return _identity(now) == _identity(read)
