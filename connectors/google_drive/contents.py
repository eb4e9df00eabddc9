"""What is read of which kind of file, and how: by its own API, exported, or fetched."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath

from connectors.conversion.converted import Converted, Warnings, short_title
from connectors.files.converting import Converter
from connectors.google_drive.client import Account
from connectors.google_drive.documents import document_content
from connectors.google_drive.refusals import ApiOff
from connectors.google_drive.sheets import sheets_content
from connectors.google_drive.slides import slides_content
from connectors.google_drive.values import (
    DOCUMENT,
    DRAWING,
    GOOGLE,
    SHEET,
    SLIDES,
    File,
)
from memory.documents import Content

_OFFICE = "application/vnd.openxmlformats-officedocument."
#: What is exported, and as what: where there's no API for a kind, or where it's off.
#: https://developers.google.com/workspace/drive/api/guides/ref-export-formats
EXPORTS = {
    DOCUMENT: (f"{_OFFICE}wordprocessingml.document", ".docx"),
    SHEET: (f"{_OFFICE}spreadsheetml.sheet", ".xlsx"),
    SLIDES: (f"{_OFFICE}presentationml.presentation", ".pptx"),
    DRAWING: ("application/pdf", ".pdf"),
}
#: Endings of files whose names have none, by what Drive says that they are.
_SUFFIXES = {
    "application/pdf": ".pdf",
    f"{_OFFICE}wordprocessingml.document": ".docx",
    f"{_OFFICE}spreadsheetml.sheet": ".xlsx",
    f"{_OFFICE}presentationml.presentation": ".pptx",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/html": ".html",
    "text/csv": ".csv",
    "message/rfc822": ".eml",
}
_KINDS = {DOCUMENT: "document", SHEET: "spreadsheet", SLIDES: "presentation"}

_API_IS_OFF = (
    "api_off",
    "The API of its kind isn't enabled in the Cloud project, so it was exported, which "
    "loses links to headings, slides and sheets, and is limited to 10 MB.",
)

#: The modules that decide what a document's text is.
_MAKERS = (
    *("contents", "documents", "inline", "numbering", "grid", "sheets", "slides"),
)

#: Reads a file as an account; what it notices goes to the warnings.
Read = Callable[[Account, File, Warnings], Content]


@dataclass(frozen=True, slots=True)
class Contents:
    """Turns files into content, as the account that sees them."""

    converter: Converter

    @property
    def version(self) -> str:
        """Name what makes contents; another one means that files are read again."""
        return f"{self.converter.version}-{_version()}"

    def unread(self, file: File) -> str:
        """Return why a kind of file isn't read, or "" where it is."""
        if file.mime in EXPORTS:
            return ""
        if file.mime.startswith(GOOGLE):
            what = file.mime.removeprefix(GOOGLE)
            return f"Google's kind “{what}” isn't read."
        suffix = PurePosixPath(self.file_name(file)).suffix.lower()
        if suffix in self.converter.suffixes:
            return ""
        what = f"ending in “{suffix}”" if suffix else "without an ending"
        return f"Files {what} aren't read."

    def file_name(self, file: File) -> str:
        """Return a file's name with an ending that says what it is."""
        suffix = _SUFFIXES.get(file.mime, "")
        own = PurePosixPath(file.name).suffix.lower()
        return file.name if own in self.converter.suffixes else file.name + suffix

    def read(self, account: Account, file: File) -> Converted:
        """Return a file's text.

        Raises HttpError, and ConversionError for bytes that can't be read.
        """
        by_api = _BY_API.get(file.mime)
        if by_api is not None:
            warnings = Warnings()
            try:
                content = by_api(account, file, warnings)
            except ApiOff:
                return self._exported(account, file, _API_IS_OFF)
            return Converted(
                content,
                short_title(file.name),
                kind=_KINDS[file.mime],
                warnings=tuple(warnings.found),
            )
        if file.mime in EXPORTS:
            return self._exported(account, file)
        asked = account.api("drive.files").get_media(
            fileId=file.id, supportsAllDrives=True
        )
        return self.converter.convert(account.fetch(asked), self.file_name(file))

    def _exported(
        self, account: Account, file: File, *warnings: tuple[str, str]
    ) -> Converted:
        mime, suffix = EXPORTS[file.mime]
        asked = account.api("drive.files").export_media(fileId=file.id, mimeType=mime)
        name = file.name + suffix
        found = self.converter.convert(account.fetch(asked), name)
        return Converted(
            found.content,
            short_title(file.name),
            kind=_KINDS.get(file.mime, "drawing"),
            warnings=(*found.warnings, *warnings),
        )


def _document(account: Account, file: File, _: Warnings) -> Content:
    asked = account.api("docs.documents").get(
        documentId=file.id,
        includeTabsContent=True,
        # What somebody suggests isn't said until it's accepted.
        suggestionsViewMode="PREVIEW_WITHOUT_SUGGESTIONS",
        fields="title,tabs",
    )
    return document_content(account.ask(asked), file.url)


def _spreadsheet(account: Account, file: File, warnings: Warnings) -> Content:
    return sheets_content(account, file.id, file.url, warnings)


def _presentation(account: Account, file: File, warnings: Warnings) -> Content:
    asked = account.api("slides.presentations").get(
        presentationId=file.id, fields="slides"
    )
    return slides_content(account.ask(asked), file.url, warnings)


_BY_API: dict[str, Read] = {
    DOCUMENT: _document,
    SHEET: _spreadsheet,
    SLIDES: _presentation,
}


@cache
def _version() -> str:
    """Return a hash of the modules here that make contents."""
    digest = hashlib.sha256()
    for name in _MAKERS:
        digest.update((Path(__file__).parent / f"{name}.py").read_bytes())
    return digest.hexdigest()[:12]
