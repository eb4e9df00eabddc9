"""Attachments as documents of their own, which link to their page and are read as it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from uuid import UUID

import structlog

from connectors.atlassian.one_thing import OneByOne
from connectors.base import Failed, Skipped, Upsert
from connectors.confluence.marks import attachment_mark
from connectors.confluence.options import BYTES_PER_MB
from connectors.confluence.references import People
from connectors.confluence.site import Attachment, Node, Site
from connectors.conversion.converted import short_title
from connectors.errors import ConversionError
from connectors.files.converting import Converter
from connectors.http.errors import HttpError, TooLarge
from memory.access import AccessRule
from memory.documents import Document

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FileReader:
    """Turns attachments of one site into changes."""

    source_id: UUID
    site: Site
    people: People
    converter: Converter
    max_bytes: int
    things: OneByOne = field(default_factory=OneByOne)

    def mark(self, attachment: Attachment, page: Node) -> str:
        """Return the attachment's mark as it's now."""
        return attachment_mark(attachment, page, self.max_bytes)

    def read(
        self, attachment: Attachment, page: Node, rule: AccessRule
    ) -> Upsert | Skipped | Failed:
        """Fetch and convert one attachment."""
        refused = self._refused(attachment, page)
        if refused is not None:
            return refused
        name, url = attachment.id, attachment.url
        try:
            data = self.site.download(attachment, max_bytes=self.max_bytes)
        except TooLarge:
            return self._too_large(attachment, page)
        except HttpError as error:
            self.things.failed(error)
            return Failed(name, url, "not_downloaded", f"{attachment.name}: {error}")
        self.things.read()
        try:
            converted = self.converter.convert(data, attachment.name)
        except ConversionError as error:
            message = f"{attachment.name}: {error}"
            if error.reason == "unsupported":
                mark = self.mark(attachment, page)
                return Skipped(name, url, error.reason, message, mark)
            return Failed(name, url, error.reason, message)
        except Exception as error:  # noqa: BLE001 - one bad file never stops a run
            log.exception("conversion_failed", document=name)
            message = (
                f"{attachment.name}: its converter failed ({type(error).__name__})."
            )
            return Failed(name, url, "converter_failed", message)
        document = Document(
            source_id=self.source_id,
            external_id=attachment.id,
            title=short_title(f"{attachment.name} ({page.title})"),
            content=converted.content,
            url=url or page.url,
            kind="attachment",
            author=converted.author or self.people.name(attachment.author),
            owner=converted.owner,
            version=str(attachment.version),
            updated_at=attachment.updated_at or converted.updated_at,
            status=converted.status,
        )
        return Upsert(document, rule, self.mark(attachment, page), converted.warnings)

    def _refused(self, attachment: Attachment, page: Node) -> Skipped | None:
        suffix = os.path.splitext(attachment.name)[1].lower()
        if suffix not in self.converter.suffixes:
            message = f"{attachment.name}: files of this kind ({suffix or 'none'}) aren't read."
            mark = self.mark(attachment, page)
            return Skipped(attachment.id, attachment.url, "unsupported", message, mark)
        if attachment.size > self.max_bytes:
            return self._too_large(attachment, page)
        return None

    def _too_large(self, attachment: Attachment, page: Node) -> Skipped:
        message = (
            f"{attachment.name}: it's larger than {self.max_bytes / BYTES_PER_MB:,.0f} "
            "MB. Raise the option “max_file_mb” if it should be read."
        )
        mark = self.mark(attachment, page)
        return Skipped(attachment.id, attachment.url, "too_large", message, mark)
