"""Files on issues: unchanged, read, skipped or failed, each with its reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePosixPath

import structlog

from connectors.atlassian.one_thing import OneByOne
from connectors.base import Change, Failed, Known, Skipped, Unchanged, Upsert
from connectors.errors import ConversionError
from connectors.files.converting import Converter
from connectors.http.errors import HttpError, TooLarge
from connectors.jira.client import Client
from connectors.jira.document import Pages, attachment_id
from connectors.jira.options import BYTES_PER_MB, JiraOptions
from connectors.jira.site import Attachment, Issue
from memory.access import AccessRule

log = structlog.get_logger(__name__)

#: Why a file is asked for again at the next run, though its issue doesn't change.
UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class AttachmentReader:
    """Turns attachments into changes. A file never changes: another one has another id."""

    client: Client
    options: JiraOptions
    pages: Pages
    converter: Converter
    things: OneByOne = field(default_factory=OneByOne)

    def change(
        self, issue: Issue, attachment: Attachment, rule: AccessRule, known: Known
    ) -> Change:
        """Return what became of a file."""
        name = attachment_id(issue, attachment.id)
        url = self.pages.attachment_url(attachment)
        mark = f"{attachment.id}:{issue.key}:{self.converter.version}"
        suffix = PurePosixPath(attachment.name).suffix.lower()
        if suffix not in self.converter.suffixes:
            what = (
                f"Files ending in “{suffix}”" if suffix else "Files without an ending"
            )
            return Skipped(name, url, "unsupported", f"{what} aren't read.", mark)
        if attachment.size > self.options.max_bytes:
            return self._too_large(name, url, attachment.size)
        if known.mark(name) == mark:
            return Unchanged(name, mark, rule)
        try:
            data = self.client.download(
                self._content_url(attachment),
                name=attachment.name,
                max_bytes=self.options.max_bytes,
            )
        except TooLarge:
            return self._too_large(name, url, attachment.size)
        except HttpError as error:
            self.things.failed(error)
            return Failed(name, url, UNREADABLE, f"{attachment.name}: {error}")
        self.things.read()
        return self._converted(issue, attachment, data, rule, mark)

    def _content_url(self, attachment: Attachment) -> str:
        """Return where the bytes are, on the origin that gets the key."""
        if self.options.is_cloud:
            path = f"/attachment/content/{attachment.id}"
            return f"{self.client.root}{self.client.api}{path}"
        return self.pages.attachment_url(attachment)

    def _converted(
        self,
        issue: Issue,
        attachment: Attachment,
        data: bytes,
        rule: AccessRule,
        mark: str,
    ) -> Change:
        name = attachment_id(issue, attachment.id)
        url = self.pages.attachment_url(attachment)
        try:
            converted = self.converter.convert(data, attachment.name)
        except ConversionError as error:
            if error.reason == "unsupported":
                return Skipped(name, url, error.reason, str(error), mark)
            return Failed(name, url, error.reason, str(error))
        except Exception as error:  # noqa: BLE001 - one bad file never stops a run
            log.exception("conversion_failed", document=name)
            message = (
                f"Its converter failed ({type(error).__name__}); the log has more."
            )
            return Failed(name, url, "converter_failed", message)
        document = self.pages.attachment(issue, attachment, converted)
        return Upsert(document, rule, mark, converted.warnings)

    def _too_large(self, name: str, url: str, size: int) -> Skipped:
        message = (
            f"It has {size / BYTES_PER_MB:,.1f} MB; the source's option max_file_mb "
            f"allows {self.options.max_file_mb:g} MB."
        )
        return Skipped(name, url, "too_large", message)
