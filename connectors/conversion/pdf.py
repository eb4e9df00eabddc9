"""PDF to Content: pages as sections, or the outline's headings with pages below."""

from __future__ import annotations

import logging
import re
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import pypdfium2

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.converted import Converted, Warnings, aware, short_title
from connectors.conversion.guards import damaged, parsing, protected
from connectors.conversion.pdf_layout import Line, paragraphs, without_running_lines
from connectors.conversion.rich import clean
from connectors.errors import ConversionError

_log = logging.getLogger(__name__)

MAX_PAGES = 5_000
#: PDFium isn't thread-safe: one document at a time in a process.
_LOCK = threading.Lock()
_DATE = re.compile(
    r"D:(\d{4})(\d\d)?(\d\d)?(\d\d)?(\d\d)?(\d\d)?(?:([+-])(\d\d)'?(\d\d)?)?"
)
_NO_TITLE = re.compile(r"^(untitled|anonymous|\(?unspecified\)?|.*\.\w{3,4})$", re.I)
_NO_AUTHOR = re.compile(r"^(anonymous|unknown|\(?unspecified\)?|user|admin)$", re.I)
_PASSWORD_ERROR = 4
_MAX_PAGES_NAMED = 20


@dataclass(frozen=True, slots=True)
class _Bookmark:
    title: str
    level: int


def convert_pdf(data: bytes, warnings: Warnings) -> Converted:
    """Return the text of all pages up to MAX_PAGES, with title, author and date.

    Raises ConversionError: password_protected, damaged, or no_text where all pages are
    images.
    """
    with _LOCK, parsing("PDF"), _opened(data) as document:
        count = min(len(document), MAX_PAGES)
        pages = [_lines(document, index) for index in range(count)]
        bookmarks = _bookmarks(document)
        about = document.get_metadata_dict(skip_empty=True)
        total = len(document)
    _check_pages(pages, total, warnings)
    builder = ContentBuilder()
    _write_pages(builder, without_running_lines(pages), bookmarks)
    title, author = about.get("Title", ""), about.get("Author", "")
    title = title.removeprefix("Microsoft Word - ").removeprefix("PowerPoint - ")
    return Converted(
        content=builder.build(),
        title="" if _NO_TITLE.match(title.strip()) else short_title(title),
        author="" if _NO_AUTHOR.match(author.strip()) else short_title(author),
        updated_at=_date(about.get("ModDate", ""))
        or _date(about.get("CreationDate", "")),
        kind="pdf",
    )


@contextmanager
def _opened(data: bytes) -> Iterator[pypdfium2.PdfDocument]:
    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        code = getattr(error, "err_code", None)
        raise (
            protected("PDF") if code == _PASSWORD_ERROR else damaged("PDF")
        ) from error
    try:
        yield document
    finally:
        document.close()


def _lines(document: pypdfium2.PdfDocument, index: int) -> list[Line]:
    """Return a page's lines with their place; none where the page can't be read."""
    try:
        page = document[index]
    except pypdfium2.PdfiumError:
        return []
    try:
        text_page = page.get_textpage()
        try:
            return list(_placed_lines(text_page))
        finally:
            text_page.close()
    finally:
        page.close()


def _placed_lines(text_page: pypdfium2.PdfTextPage) -> Iterator[Line]:
    text = text_page.get_text_range()
    count = text_page.count_chars()
    position = 0
    for raw in text.split("\n"):
        # PDFium joins a word that was hyphenated at a line's end with this character.
        stripped = raw.rstrip("\r").replace("\ufffe", "")
        lead = len(stripped) - len(stripped.lstrip())
        at = min(position + lead, count - 1)
        position += len(raw) + 1
        if not stripped.strip() or at < 0:
            continue
        _, bottom, _, top = text_page.get_charbox(at, loose=True)
        yield Line(clean(stripped).strip(), top, bottom)


def _check_pages(pages: list[list[Line]], total: int, warnings: Warnings) -> None:
    empty = [number for number, lines in enumerate(pages, start=1) if not lines]
    if not pages:
        raise ConversionError("empty", "The PDF has no pages.")
    if len(empty) == len(pages):
        raise ConversionError(
            "no_text",
            "The PDF's pages hold images only; run text recognition (OCR) over it and "
            "save it with its text.",
        )
    if empty:
        named = ", ".join(map(str, empty[:_MAX_PAGES_NAMED]))
        more = (
            f" and {len(empty) - _MAX_PAGES_NAMED:,} more"
            if len(empty) > _MAX_PAGES_NAMED
            else ""
        )
        warnings.add(
            "pages_without_text",
            f"{len(empty):,} of {len(pages):,} pages have no text (images or blank): "
            f"{named}{more}.",
        )
    if total > len(pages):
        warnings.add(
            "page_limit",
            f"Pages {len(pages) + 1:,} to {total:,} were not read; split the PDF.",
        )


def _bookmarks(document: pypdfium2.PdfDocument) -> dict[int, list[_Bookmark]]:
    """Return the outline's entries by page index; none where it's broken."""
    found: dict[int, list[_Bookmark]] = defaultdict(list)
    try:
        for item in document.get_toc():
            target = item.get_dest()
            title = short_title(item.get_title())
            index = target.get_index() if target else None
            if title and index is not None and len(found) < MAX_PAGES:
                found[index].append(_Bookmark(title, item.level + 1))
    except (pypdfium2.PdfiumError, UnicodeError, ValueError):
        _log.info("The outline of a PDF can't be read.")
        return {}
    return found


def _write_pages(
    builder: ContentBuilder,
    pages: list[list[Line]],
    bookmarks: dict[int, list[_Bookmark]],
) -> None:
    """Write each page below its heading.

    With an outline, a heading stands where its title does on the page, and a page that
    starts inside a section gets its own "Page n" below that, so that links still open
    the right page.
    """
    level = 0
    for index, lines in enumerate(pages):
        anchor = f"page={index + 1}"
        waiting = list(bookmarks.get(index, ()))
        # A title that isn't a line of its own (it's an image, or wrapped) comes first.
        first = [x for x in waiting if not any(_same(y.text, x.title) for y in lines)]
        for mark in first if lines else ():
            builder.heading(mark.title, mark.level, anchor=anchor)
            level = mark.level
            waiting.remove(mark)
        if lines and not first and not _starts_with_any(lines, waiting):
            builder.heading(f"Page {index + 1}", level + 1, anchor=anchor)
        rest: list[Line] = []
        for line in lines:
            found = next((x for x in waiting if _same(line.text, x.title)), None)
            if found is None:
                rest.append(line)
                continue
            _write_lines(builder, rest)
            rest = []
            waiting.remove(found)
            builder.heading(found.title, found.level, anchor=anchor)
            level = found.level
        _write_lines(builder, rest)


def _write_lines(builder: ContentBuilder, lines: list[Line]) -> None:
    for text, bullet in paragraphs(lines):
        if bullet is None:
            builder.paragraph(text)
        else:
            builder.list_item(text, ordinal=bullet or None)


def _same(line: str, title: str) -> bool:
    return _letters(line) == _letters(title) != ""


def _starts_with_any(lines: list[Line], marks: list[_Bookmark]) -> bool:
    return any(_same(lines[0].text, mark.title) for mark in marks)


def _letters(text: str) -> str:
    return "".join(c for c in text.lower() if c.isalnum())


def _date(value: str) -> datetime | None:
    """Return a PDF date ("D:20260301120000+01'00'") or an ISO one."""
    match = _DATE.match(value.strip())
    if match is None:
        return aware(value)
    numbers = [int(part) if part else None for part in match.groups()[:6]]
    year, month, day, hour, minute, second = numbers
    zone: timezone = UTC
    if match.group(7):
        offset = timedelta(hours=int(match.group(8)), minutes=int(match.group(9) or 0))
        sign = -1 if match.group(7) == "-" else 1
        if offset < timedelta(hours=24):
            zone = timezone(sign * offset)
    try:
        moment = datetime(
            year or 1,
            month or 1,
            day or 1,
            hour or 0,
            minute or 0,
            second or 0,
            tzinfo=zone,
        )
    except ValueError:
        return None
    return aware(moment)
