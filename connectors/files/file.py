"""One file: unchanged, read, skipped or failed, each with its reason."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from uuid import UUID

import structlog

from connectors.base import Change, Failed, Known, Notice, Skipped, Unchanged, Upsert
from connectors.conversion import Converted
from connectors.errors import ConversionError, SourceMissing
from connectors.files.converting import Converter
from connectors.files.names import external_id
from connectors.files.options import BYTES_PER_MB, FilesOptions
from connectors.files.reading import (
    ChangedWhileRead,
    Mark,
    NoRegularFile,
    Reading,
    TooLarge,
    read,
)
from connectors.files.walking import Entry, EntryKind, link_verdict
from memory.access import AccessRule
from memory.documents import Document

log = structlog.get_logger(__name__)

#: Before a file that moved under our hands is read once more.
READ_AGAIN_AFTER_S = 0.2


@dataclass(frozen=True, slots=True)
class Root:
    """The folder, opened once, so that nothing can take its place unnoticed."""

    path: str
    descriptor: int

    @classmethod
    def opened(cls, path: str) -> Root:
        """Open a folder; it may itself be a link. Raises OSError."""
        real = os.path.realpath(path, strict=True)
        return cls(real, os.open(real, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC))

    def check_still_there(self) -> None:
        """Raise SourceMissing when the path leads elsewhere now, as after an unmount."""
        opened = os.fstat(self.descriptor)
        try:
            now = os.stat(self.path)
        except OSError:
            now = None
        if now is None or (now.st_dev, now.st_ino) != (opened.st_dev, opened.st_ino):
            raise SourceMissing(
                f"The folder “{external_id((self.path,))}” went away while it was read. "
                "Nothing was deleted; the next run looks again."
            )


@dataclass(slots=True)
class FileReader:
    """Turns the entries of one run into changes."""

    root: Root
    source_id: UUID
    options: FilesOptions
    converter: Converter
    rule: AccessRule
    _lost_folders: set[tuple[str, ...]] = field(default_factory=set)

    def changes(self, entry: Entry, known: Known) -> Iterator[Change]:
        """Yield what became of an entry: one change, or none where a notice says why."""
        name = entry.external_id
        if entry.kind is EntryKind.LINK:
            yield Skipped(name, "", *link_verdict(self.root.path, entry.parts))
        elif entry.kind is EntryKind.SPECIAL:
            yield special(name)
        elif (suffix := os.path.splitext(name)[1].lower()) in self.converter.suffixes:
            yield from self._file(entry, name, Mark.parse(known.mark(name)))
        else:
            yield unsupported(name, suffix)

    def _file(self, entry: Entry, name: str, mark: Mark | None) -> Iterator[Change]:
        try:
            found = os.lstat(os.path.join(self.root.path, *entry.parts))
            if mark and self._is_unchanged(mark, found):
                yield Unchanged(name, str(mark), self.rule)
                return
            yield self._read(entry, name, mark, found)
        except FileNotFoundError:
            yield from self._vanished(entry, name)
        except NoRegularFile:
            yield special(name)
        except TooLarge as error:
            yield self._too_large(name, error.args[0])
        except ChangedWhileRead:
            message = "It was written to while it was read, twice. It's read again at the next run."
            yield Failed(name, "", "changed_while_read", message)
        except OSError as error:
            message = (
                f"It can't be opened or read ({error.strerror}). Let the user that "
                "Attest runs as read it."
            )
            yield Failed(name, "", "unreadable", message)

    def _is_unchanged(self, mark: Mark, found: os.stat_result) -> bool:
        return (
            mark.converter == self.converter.version
            and mark.fits(found)
            and found.st_size <= self.options.max_bytes
        )

    def _read(
        self, entry: Entry, name: str, mark: Mark | None, found: os.stat_result
    ) -> Change:
        if not stat.S_ISREG(found.st_mode):
            raise NoRegularFile
        if found.st_size > self.options.max_bytes:
            raise TooLarge(found.st_size)
        reading = self._bytes(entry)
        new = reading.mark(self.converter.version, time.time_ns())
        if mark and (mark.sha256, mark.converter) == (new.sha256, new.converter):
            return Unchanged(name, str(new), self.rule)
        return self._converted(name, reading, new)

    def _bytes(self, entry: Entry) -> Reading:
        """Read the file, once more if it moved meanwhile."""
        limit = self.options.max_bytes
        try:
            return read(self.root.descriptor, entry.parts, limit)
        except (ChangedWhileRead, FileNotFoundError):
            # An editor that saves by renaming leaves a moment without the file.
            time.sleep(READ_AGAIN_AFTER_S)
            return read(self.root.descriptor, entry.parts, limit)

    def _converted(self, name: str, reading: Reading, mark: Mark) -> Change:
        try:
            converted = self.converter.convert(reading.data, name)
        except ConversionError as error:
            if error.reason == "unsupported":
                return Skipped(name, "", error.reason, str(error), str(mark))
            return Failed(name, "", error.reason, str(error))
        except Exception as error:  # noqa: BLE001 - one bad file never stops a run
            log.exception("conversion_failed", document=name)
            message = (
                f"Its converter failed ({type(error).__name__}); the log has more."
            )
            return Failed(name, "", "converter_failed", message)
        document = self._document(name, converted, reading, mark)
        return Upsert(document, self.rule, str(mark), converted.warnings)

    def _document(
        self, name: str, converted: Converted, reading: Reading, mark: Mark
    ) -> Document:
        return Document(
            source_id=self.source_id,
            external_id=name,
            title=converted.title or name.rpartition("/")[2],
            content=converted.content,
            kind=converted.kind,
            author=converted.author,
            owner=converted.owner,
            version=mark.sha256[:16],
            updated_at=converted.updated_at or moment(reading.stat.st_mtime_ns),
            status=converted.status,
        )

    def _vanished(self, entry: Entry, name: str) -> Iterator[Change]:
        """Tell a file that went from a folder that went, as with an unmounted disk."""
        self.root.check_still_there()
        folder = entry.parts[:-1]
        if os.path.isdir(os.path.join(self.root.path, *folder)):
            message = "It was gone when it was to be read. If it stays away, the next run deletes it."
            yield Failed(name, "", "vanished", message)
        elif folder not in self._lost_folders:
            self._lost_folders.add(folder)
            prefix = f"{external_id(folder)}/"
            message = f"The folder “{prefix}” went away while it was read; nothing in it was deleted."
            yield Notice(
                message, "vanished_folder", incomplete=True, external_prefix=prefix
            )

    def _too_large(self, name: str, size: int) -> Skipped:
        message = (
            f"It has {size / BYTES_PER_MB:,.1f} MB; the source's option max_file_mb "
            f"allows {self.options.max_file_mb:g} MB."
        )
        return Skipped(name, "", "too_large", message)


def special(name: str) -> Skipped:
    """Return what is said of a pipe, socket or device."""
    message = "It's no regular file but a pipe, socket or device."
    return Skipped(name, "", "special_file", message)


def unsupported(name: str, suffix: str) -> Skipped:
    """Return what is said of a kind of file that no converter reads."""
    what = f"Files ending in “{suffix}”" if suffix else "Files without an ending"
    return Skipped(name, "", "unsupported", f"{what} aren't read.")


def moment(mtime_ns: int) -> datetime | None:
    """Return a file's time, None for one that no calendar has."""
    try:
        return datetime.fromtimestamp(mtime_ns / 1e9, UTC)
    except (OverflowError, ValueError, OSError):
        return None
