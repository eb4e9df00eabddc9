"""Writes the sample's DOCX, XLSX, PPTX and PDF, byte for byte the same each time.

Run it after changing a text here: .venv/bin/python deploy/make_sample.py
"""

from __future__ import annotations

import io
import os
import re
import sys
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from docx import Document
from openpyxl import Workbook
from openpyxl.styles import Font
from pptx import Presentation
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.platypus import ListFlowable, Paragraph, SimpleDocTemplate

FOLDER = Path(__file__).resolve().parent / "sample" / "shared-drive"
#: What the files say about when they were written; naive, as Office's formats are.
WRITTEN = datetime(2026, 3, 2, 9, 0)  # noqa: DTZ001

FAQ = {
    "Accounts and passwords": [
        (
            "How do I reset my password?",
            "Open the page password.example.com and choose “Forgotten”. The new "
            "password is valid at once in all systems but the shop's console, where "
            "it takes up to 30 minutes.",
        ),
        (
            "How do I get access to a shared folder?",
            "Ask the folder's owner, who is named in its properties. The service desk "
            "changes rights only when the owner asks for it.",
        ),
    ],
    "Working away from the office": [
        (
            "How do I connect to the VPN?",
            "Start the VPN client, choose the gateway “Europe” and confirm the sign-in "
            "with your second factor. The connection is cut after twelve hours.",
        ),
        (
            "Can I print at home?",
            "Yes, on your own printer. Confidential documents are printed in the "
            "office only.",
        ),
    ],
    "Help": [
        (
            "When is the service desk open?",
            "The service desk is open from 7:30 to 19:00 on working days, on extension "
            "4400 and at servicedesk@example.com. Outside these hours it answers only "
            "for lost or stolen equipment.",
        ),
    ],
}
PLANS = [
    ("Plan", "Price per user and month", "Smallest order", "Storage per user"),
    ("Starter", "9 euros", "1 user", "10 GB"),
    ("Team", "14 euros", "5 users", "100 GB"),
    ("Business", "22 euros", "20 users", "1 TB"),
]
SUPPORT = [
    ("Support level", "Price a month", "First answer within", "Hours"),
    ("Basic", "included", "two working days", "9:00 to 17:00"),
    ("Plus", "180 euros", "four hours", "8:00 to 20:00"),
    ("Premium", "600 euros", "30 minutes", "at any hour"),
]
FIRST_DAYS = {
    "First day": [
        "Fetch the badge at the front desk at 9:00.",
        "Fetch the laptop at the IT desk on the second floor.",
        "Sign in, set a password of at least 14 characters and a second factor.",
        "Have lunch with your team; the company pays.",
    ],
    "First week": [
        "Do the course on security; it takes 40 minutes and is due by Friday.",
        "Enter your bank details in the people portal by the 10th of the month.",
        "Meet your mentor, who is from another team.",
    ],
    "First three months": [
        "Talk with your manager after 30, 60 and 90 days.",
        "The probation period lasts six months; the notice period in it is two weeks.",
    ],
}
RESULTS = [
    (
        "Results of 2025",
        ["Revenue grew by 12 % to 31 million euros.", "212 people work for us."],
    ),
    (
        "Aims for 2026",
        [
            "Open an office in Lisbon in September 2026.",
            "Answer every support request within four hours.",
        ],
    ),
]


def faq() -> bytes:
    """Return the IT questions as DOCX."""
    document = Document()
    document.core_properties.title = "IT questions and answers"
    document.core_properties.author = "IT"
    document.core_properties.created = document.core_properties.modified = WRITTEN
    document.add_heading("IT questions and answers", level=1)
    for topic, questions in FAQ.items():
        document.add_heading(topic, level=2)
        for question, answer in questions:
            document.add_heading(question, level=3)
            document.add_paragraph(answer)
    return saved(document.save)


def prices() -> bytes:
    """Return the price sheet as XLSX."""
    book = Workbook()
    book.properties.title = "Price sheet 2026"
    book.properties.creator = "Sales"
    book.properties.created = WRITTEN
    sheets = (book.active, book.create_sheet())
    for sheet, title, rows in zip(
        sheets, ("Plans", "Support"), (PLANS, SUPPORT), strict=True
    ):
        sheet.title = title
        for row in rows:
            sheet.append(row)
        for cell in sheet[1]:
            cell.font = Font(bold=True)
    return saved(book.save)


def results() -> bytes:
    """Return the slides as PPTX."""
    slides = Presentation()
    slides.core_properties.title = "All hands, March 2026"
    slides.core_properties.author = "Management"
    slides.core_properties.created = slides.core_properties.modified = WRITTEN
    for title, lines in RESULTS:
        slide = slides.slides.add_slide(slides.slide_layouts[1])
        slide.shapes.title.text = title
        slide.placeholders[1].text = "\n".join(lines)
    return saved(slides.save)


def first_days() -> bytes:
    """Return the checklist for new employees as PDF."""
    styles = getSampleStyleSheet()
    story = [Paragraph("Checklist for new employees", styles["Title"])]
    for title, steps in FIRST_DAYS.items():
        story.append(Paragraph(title, styles["Heading2"]))
        items = [Paragraph(step, styles["BodyText"]) for step in steps]
        story.append(ListFlowable(items, bulletType="1", bulletFormat="%s."))
    buffer = io.BytesIO()
    # reportlab dates the file by this, as other tools that build reproducibly do.
    os.environ["SOURCE_DATE_EPOCH"] = str(int(WRITTEN.replace(tzinfo=UTC).timestamp()))
    SimpleDocTemplate(
        buffer,
        pagesize=A4,
        title="Checklist for new employees",
        author="People team",
    ).build(story)
    return buffer.getvalue()


def saved(save: Callable[[io.BytesIO], None]) -> bytes:
    """Return what `save` writes, a ZIP, without the times that it writes into it."""
    buffer, fixed = io.BytesIO(), io.BytesIO()
    save(buffer)
    with zipfile.ZipFile(buffer) as source, zipfile.ZipFile(fixed, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            if name == "docProps/core.xml":
                stamp = WRITTEN.strftime(">%Y-%m-%dT%H:%M:%SZ<")
                data = re.sub(rb">\d{4}-\d\d-\d\dT[\d:]+Z<", stamp.encode(), data)
            info = zipfile.ZipInfo(name, date_time=(2026, 3, 2, 9, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(info, data)
    return fixed.getvalue()


FILES: dict[str, Callable[[], bytes]] = {
    "it-questions.docx": faq,
    "price-sheet-2026.xlsx": prices,
    "all-hands-2026-03.pptx": results,
    "new-employees.pdf": first_days,
}


def main() -> int:
    """Write the files."""
    for name, make in FILES.items():
        (FOLDER / name).write_bytes(make())
    return 0


if __name__ == "__main__":
    sys.exit(main())
