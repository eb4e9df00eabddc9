"""Valid and hostile files, made in memory."""

from __future__ import annotations

import zipfile
from collections.abc import Sequence
from datetime import UTC, datetime
from io import BytesIO

import docx
import msoffcrypto.format.ooxml
import openpyxl
import pptx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from pypdf import PdfReader, PdfWriter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

MODIFIED = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
#: One grey pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b55"
    "0000000a49444154789c6368000000820081bb1b8a650000000049454e44ae426082"
)


def pdf(
    pages: Sequence[Sequence[str]],
    *,
    title: str = "",
    outline: Sequence[tuple[str, int, int]] = (),
    running: str = "",
) -> bytes:
    """Return a PDF of these lines a page; an empty page holds an image only."""
    buffer = BytesIO()
    canvas = Canvas(buffer)
    canvas.setTitle(title or "untitled")
    for number, lines in enumerate(pages, start=1):
        for name, page, level in outline:
            if page == number:
                canvas.bookmarkPage(name)
                canvas.addOutlineEntry(name, name, level=level)
        if not lines:
            canvas.drawImage(ImageReader(BytesIO(PNG)), 72, 72, 400, 600)
        for index, line in enumerate(lines):
            canvas.drawString(72, 740 - 14 * index, line)
        if running:
            canvas.drawString(72, 800, running)
            canvas.drawString(72, 30, f"Page {number} of {len(pages)}")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def encrypted_pdf(key: str = "secret") -> bytes:
    writer = PdfWriter()
    writer.append(PdfReader(BytesIO(pdf([["Pay scale"]]))))
    writer.encrypt(key, algorithm="AES-256")
    buffer = BytesIO()
    writer.write(buffer)
    return buffer.getvalue()


def word(build=None, *, title="", author="") -> bytes:
    document = docx.Document()
    document.core_properties.title = title
    document.core_properties.author = author
    document.core_properties.modified = MODIFIED
    if build is None:
        document.add_paragraph("Hello")
    else:
        build(document)
    return saved(document)


def add_hyperlink(paragraph, url: str, text: str) -> None:
    target = paragraph.part.relate_to(
        url, RELATIONSHIP_TYPE.HYPERLINK, is_external=True
    )
    link = OxmlElement("w:hyperlink")
    link.set(qn("r:id"), target)
    run = OxmlElement("w:r")
    run.text = text
    link.append(run)
    paragraph._p.append(link)


def slides(build=None) -> bytes:
    show = pptx.Presentation()
    if build is None:
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = "Plan"
    else:
        build(show)
    return saved(show)


def workbook(build=None) -> bytes:
    book = openpyxl.Workbook()
    if build is None:
        book.active.append(["Name", "Price"])
        book.active.append(["Tea", 2])
    else:
        build(book)
    return saved(book)


def saved(document) -> bytes:
    buffer = BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def encrypted_office(data: bytes, key: str = "secret") -> bytes:
    buffer = BytesIO()
    msoffcrypto.format.ooxml.OOXMLFile(BytesIO(data)).encrypt(key, buffer)
    return buffer.getvalue()


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


def with_member(data: bytes, name: str, content: bytes) -> bytes:
    """Return a ZIP with one member replaced or added."""
    with zipfile.ZipFile(BytesIO(data)) as archive:
        members = {item: archive.read(item) for item in archive.namelist()}
    return zipped(members | {name: content})
