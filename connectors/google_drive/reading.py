"""What becomes of one file: unchanged, a document, skipped or failed, with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from uuid import UUID

import structlog

from connectors.atlassian.one_thing import OneByOne
from connectors.base import Change, Failed, Known, Notice, Skipped, Unchanged, Upsert
from connectors.conversion.converted import Converted, short_title
from connectors.errors import ConnectorError, ConversionError
from connectors.google_drive.contents import Contents
from connectors.google_drive.marks import Mark
from connectors.google_drive.options import BYTES_PER_MB, DriveOptions
from connectors.google_drive.refusals import CannotDownload, TooLargeToExport
from connectors.google_drive.survey import Seen
from connectors.google_drive.values import DRAWING, GOOGLE
from connectors.http.errors import HttpError, TooLarge
from memory.access import AccessRule
from memory.documents import Document

log = structlog.get_logger(__name__)

#: Tells who may read a file.
RuleOf = Callable[[Seen], AccessRule]

#: Why a file is asked for again at the next run, though no change log names it.
UNREADABLE = "unreadable"


@dataclass(slots=True)
class Reader:
    """Turns files into changes, and counts what became of them by drive."""

    source_id: UUID
    options: DriveOptions
    contents: Contents
    #: By drive: files of kinds that are read, and those that were.
    eligible: Counter[str] = field(default_factory=Counter)
    indexed: Counter[str] = field(default_factory=Counter)
    #: By drive and reason: files of kinds that are read, and weren't.
    missed: dict[str, Counter[str]] = field(default_factory=dict)
    _unhandled: Counter[str] = field(default_factory=Counter)
    _one_by_one: OneByOne = field(default_factory=OneByOne)

    def change(self, seen: Seen, known: Known, rule_of: RuleOf) -> Change:
        """Return what became of a file; `rule_of` is asked only where it's needed."""
        change = self._change(seen, known, rule_of)
        key = seen.corpus.key
        match change:
            case Skipped(reason="unsupported"):
                pass
            case Skipped() | Failed():
                self.eligible[key] += 1
                self.missed.setdefault(key, Counter())[change.reason] += 1
            case _:
                self.eligible[key] += 1
                self.indexed[key] += 1
        return change

    def notices(self) -> Iterator[Notice]:
        """Yield what could not be rendered, if anything."""
        if self._unhandled:
            named = (f"{name} ({n})" for name, n in self._unhandled.most_common(8))
            message = f"Files hold what Attest can't show: {', '.join(named)}."
            yield Notice(message, "unhandled")

    def _change(self, seen: Seen, known: Known, rule_of: RuleOf) -> Change:
        file = seen.file
        mark = str(Mark.of(seen, self.contents.version))
        if unread := self.contents.unread(file):
            return Skipped(file.id, file.url, "unsupported", unread, mark)
        if file.size > self.options.max_bytes and not file.mime.startswith(GOOGLE):
            return self._too_large(seen, file.size)
        try:
            rule = rule_of(seen)
            if known.mark(file.id) == mark:
                return Unchanged(file.id, mark, rule)
            converted = self.contents.read(seen.corpus.account, file)
            self._one_by_one.read()
        except TooLarge:
            return self._too_large(seen, file.size)
        except HttpError as error:
            return self._refused(seen, error)
        except ConversionError as error:
            if error.reason == "unsupported":
                return Skipped(file.id, file.url, error.reason, str(error), mark)
            return Failed(file.id, file.url, error.reason, str(error))
        except ConnectorError:
            raise
        except Exception as error:  # noqa: BLE001 - one bad file never stops a run
            log.error("conversion_failed", document=file.id, error=type(error).__name__)
            message = (
                f"Its converter failed ({type(error).__name__}); the log has more."
            )
            return Failed(file.id, file.url, "converter_failed", message)
        self._unhandled.update(converted.content.unhandled)
        return Upsert(self._document(seen, converted), rule, mark, converted.warnings)

    def _refused(self, seen: Seen, error: HttpError) -> Change:
        file = seen.file
        if isinstance(error, TooLargeToExport):
            return Skipped(file.id, file.url, "export_too_large", str(error))
        if isinstance(error, CannotDownload):
            return Skipped(file.id, file.url, "cannot_download", str(error))
        # Google is known to answer 500 for ever to some exports; it isn't down then.
        is_odd_export = file.mime == DRAWING and error.status == 500
        if not is_odd_export:
            self._one_by_one.failed(error)
        return Failed(file.id, file.url, UNREADABLE, str(error))

    def _document(self, seen: Seen, converted: Converted) -> Document:
        file = seen.file
        return Document(
            source_id=self.source_id,
            external_id=file.id,
            title=converted.title or short_title(file.name),
            content=converted.content,
            url=file.url,
            kind=converted.kind,
            author=file.editor or converted.author,
            owner=file.owner,
            version=file.md5 or file.modified,
            updated_at=file.updated_at or converted.updated_at,
            status=converted.status,
        )

    def _too_large(self, seen: Seen, size: int) -> Skipped:
        file = seen.file
        message = (
            f"It has {size / BYTES_PER_MB:,.1f} MB; the source's option max_file_mb "
            f"allows {self.options.max_file_mb:g} MB."
        )
        return Skipped(file.id, file.url, "too_large", message)
