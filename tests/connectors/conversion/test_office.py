import struct
import zipfile
from datetime import date, datetime
from io import BytesIO

import pytest
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml import OxmlElement, parse_xml
from docx.oxml.ns import nsdecls, qn
from pptx.util import Inches

from connectors.conversion import convert
from connectors.conversion.cell_values import shown
from connectors.errors import ConversionError
from memory.documents import BlockKind
from tests.connectors.conversion import files
from tests.connectors.conversion.checks import anchors, blocks, check_content


def converted(data: bytes, name: str):
    result = convert(data, name=name)
    check_content(result.content)
    return result


def reason_of(data: bytes, name: str) -> str:
    with pytest.raises(ConversionError) as refusal:
        convert(data, name=name)
    return refusal.value.reason


def warned(result) -> list[str]:
    return [reason for reason, _ in result.warnings]


def test_a_word_file_keeps_headings_lists_tables_and_links_in_order():
    def build(document):
        document.add_heading("Leave", 0)
        document.add_heading("Rules", 1)
        paragraph = document.add_paragraph("See ")
        files.add_hyperlink(paragraph, "https://example.com/a", "the page")
        paragraph.add_run(" for more.")
        document.add_paragraph("first", style="List Number")
        document.add_paragraph("second", style="List Number")
        document.add_paragraph("inner", style="List Bullet")
        table = document.add_table(2, 3)
        for cell, text in zip(
            table._cells, ("Who", "Days", "", "All|most", "25", ""), strict=True
        ):
            cell.text = text
        table.cell(1, 1).add_paragraph("gross")
        document.add_heading("Deep", 3)
        document.add_paragraph("said", style="Quote")

    result = converted(files.word(build, title="Leave policy", author="Ada"), "a.docx")
    assert result.content.text == (
        "# Leave\n\n# Rules\n\nSee the page for more.\n\n1. first\n2. second\n\n- inner\n\n"
        "| Who | Days |\n| All\\|most | 25; gross |\n\n### Deep\n\n> said"
    )
    assert anchors(result.content) == [("the page", "https://example.com/a")]
    assert (result.title, result.author) == ("Leave policy", "Ada")
    assert result.updated_at == files.MODIFIED


def test_merged_word_cells_repeat():
    def build(document):
        table = document.add_table(3, 2)
        for cell, text in zip(table._cells, "ABcd", strict=False):
            cell.text = text
        table.cell(1, 0).merge(table.cell(2, 0))
        table.cell(2, 1).text = "e"

    assert converted(files.word(build), "a.docx").content.text == (
        "| A | B |\n| c | d |\n| c | e |"
    )


def test_deleted_and_hidden_word_text_is_left_out_and_boxes_and_outlines_kept():
    def build(document):
        paragraph = document.add_paragraph("kept")
        run = paragraph.add_run(" hidden")
        run.font.hidden = True
        deleted = OxmlElement("w:del")
        gone = OxmlElement("w:r")
        gone.append(OxmlElement("w:delText"))
        gone[0].text = "gone"
        deleted.append(gone)
        paragraph._p.append(deleted)
        style = document.styles.add_style("Kapitel", WD_STYLE_TYPE.PARAGRAPH)
        level = OxmlElement("w:outlineLvl")
        level.set(qn("w:val"), "1")
        style.element.get_or_add_pPr().append(level)
        document.add_paragraph("Chapter", style="Kapitel")
        box = parse_xml(
            f"<w:r {nsdecls('w')}><w:pict><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r>"
            "</w:p></w:txbxContent></w:pict></w:r>"
        )
        document.add_paragraph("around")._p.append(box)

    assert converted(files.word(build), "a.docx").content.text == (
        "kept\n\n## Chapter\n\naround\n\nboxed"
    )


def test_footnotes_stand_after_their_paragraph():
    def build(document):
        paragraph = document.add_paragraph("Leave is 25 days")
        run = OxmlElement("w:r")
        reference = OxmlElement("w:footnoteReference")
        reference.set(qn("w:id"), "7")
        run.append(reference)
        paragraph._p.append(run)
        document.add_paragraph("Next.")
        from docx.opc.packuri import PackURI
        from docx.opc.part import Part

        blob = (
            f"<w:footnotes {nsdecls('w')}><w:footnote w:id='7'><w:p><w:r><w:t>From 2026 on."
            "</w:t></w:r></w:p></w:footnote></w:footnotes>"
        ).encode()
        kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
        content_type = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
        part = Part(
            PackURI("/word/footnotes.xml"), content_type, blob, document.part.package
        )
        document.part.relate_to(part, kind)

    assert converted(files.word(build), "a.docx").content.text == (
        "Leave is 25 days[1]\n\n[1] From 2026 on.\n\nNext."
    )


def test_made_up_word_properties_are_not_taken():
    data = files.word(lambda document: document.add_paragraph("x"))
    result = converted(data, "team/pay_rules.docx")
    assert (result.title, result.author) == ("Pay rules", "")


def test_slides_are_sections_with_bullets_tables_and_notes():
    def build(show):
        slide = show.slides.add_slide(show.slide_layouts[1])
        slide.shapes.title.text = "Plan"
        body = slide.placeholders[1].text_frame
        body.text = "one"
        line = body.add_paragraph()
        line.level = 1
        run = line.add_run()
        run.text = "inner"
        run.hyperlink.address = "https://example.com/p"
        table = slide.shapes.add_table(2, 2, *[Inches(1)] * 4).table
        for index, text in enumerate(("Who", "Days", "All", "25")):
            table.cell(index // 2, index % 2).text = text
        slide.notes_slide.notes_text_frame.text = "Say\nit"
        hidden = show.slides.add_slide(show.slide_layouts[5])
        hidden.shapes.title.text = "Secret"
        hidden._element.set("show", "0")
        last = show.slides.add_slide(show.slide_layouts[6])
        group = last.shapes.add_group_shape()
        group.shapes.add_textbox(*[Inches(1)] * 4).text_frame.text = "boxed"

    result = converted(files.slides(build), "a.pptx")
    assert result.content.text == (
        "# Plan\n\n- one\n  - inner\n\n| Who | Days |\n| All | 25 |\n\nNotes: Say\nit\n\n"
        "# Slide 3\n\nboxed"
    )
    assert [s.anchor for s in result.content.sections] == ["slide=1", "slide=3"]
    assert anchors(result.content) == [("inner", "https://example.com/p")]
    assert warned(result) == ["hidden_slides"]


def test_a_workbook_is_a_section_per_visible_sheet_with_values_as_shown():
    def build(book):
        sheet = book.active
        sheet.title = "Prices"
        sheet.append(["Price list 2026"])
        sheet.append(["Item", "Price", "Since", "Share"])
        sheet.append(["Tea", 1234.5, date(2026, 3, 1), 0.125])
        sheet["B3"].number_format = '"€" #,##0.00'
        sheet["D3"].number_format = "0.0%"
        sheet.append([])
        sheet.append(["Town", "Open"])
        sheet.append(["York", True])
        sheet.append(["Sum", "=SUM(B3:B3)"])
        book.create_sheet("Empty")
        hidden = book.create_sheet("Salaries")
        hidden.append(["secret", 1])
        hidden.sheet_state = "hidden"

    result = converted(files.workbook(build), "a.xlsx")
    assert result.content.text == (
        "# Prices\n\nPrice list 2026\n\n| Item | Price | Since | Share |\n"
        "| Tea | € 1,234.50 | 2026-03-01 | 12.5% |\n\n| Town | Open |\n| York | TRUE |\n"
        "| Sum |  |"
    )
    assert warned(result) == ["hidden_sheet", "formulas_without_result"]


def test_a_million_empty_rows_take_no_time():
    rows = b"".join(
        b'<row r="%d"><c r="A%d"/></row>' % (n, n) for n in range(3, 1_048_577)
    )
    sheet = (
        b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">'
        b'<dimension ref="A1:XFD1048576"/><sheetData>'
        b'<row r="1"><c r="A1" t="inlineStr"><is><t>Name</t></is></c></row>'
        b'<row r="2"><c r="A2"><v>1</v></c></row>' + rows + b"</sheetData></worksheet>"
    )
    data = files.with_member(files.workbook(), "xl/worksheets/sheet1.xml", sheet)
    result = converted(data, "a.xlsx")
    assert result.content.text == "# Sheet\n\nName\n\n1"
    assert warned(result) == ["column_limit", "empty_rows"]


def test_rows_above_the_limit_are_told(monkeypatch):
    monkeypatch.setattr("connectors.conversion.sheets.MAX_ROWS", 5)

    def build(book):
        for number in range(9):
            book.active.append(["a", number])

    result = converted(files.workbook(build), "a.xlsx")
    assert warned(result) == ["row_limit"]
    assert len(blocks(result.content, BlockKind.TABLE_ROW)) == 5


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (0.1 + 0.2, "General", "0.3"),
        (5.0, "General", "5"),
        (-1234.5, "#,##0.00;[Red]-#,##0.00", "-1,234.50"),
        (1200, "[$€-407] #,##0", "€ 1,200"),
        (3, '0 "days"', "3 days"),
        (0.5, "0%", "50%"),
        (1.5, "0.##", "1.5"),
        (2.0, "0.##", "2"),
        (12345678, "0.00E+00", "12345678"),
        (datetime(2026, 3, 1, 9, 30), "General", "2026-03-01 09:30"),  # noqa: DTZ001
        (datetime(2026, 3, 1), "General", "2026-03-01"),  # noqa: DTZ001
        (True, "General", "TRUE"),
        (float("inf"), "0.00", "inf"),
        (None, "General", ""),
        ("x", "@", "x"),
        (7, '"only text"', "7"),
    ],
)
def test_values_are_shown_as_in_the_sheet(value, number_format, text):
    assert shown(value, number_format) == text


MADE = {"a.docx": files.word, "a.pptx": files.slides, "a.xlsx": files.workbook}


@pytest.mark.parametrize("name", MADE)
def test_an_office_password_is_named(name):
    assert reason_of(files.encrypted_office(MADE[name]()), name) == "password_protected"


@pytest.mark.parametrize("name", MADE)
def test_a_renamed_archive_is_damaged(name):
    assert reason_of(files.zipped({"a.bin": b"garbage" * 99}), name) == "damaged"
    assert reason_of(b"PK\x03\x04 garbage" * 99, name) == "damaged"
    assert reason_of(MADE[name]()[:-300], name) == "damaged"
    assert reason_of(b"<html><body>x", name) == "damaged"


@pytest.mark.parametrize("name", MADE)
def test_office_files_are_known_by_what_is_inside(name):
    assert converted(MADE[name](), "renamed.txt").kind == name[2:]


@pytest.mark.parametrize("name", MADE)
def test_a_bomb_is_too_large_before_it_is_parsed(name):
    huge = files.with_member(MADE[name](), "word/media.xml", b"\0" * 60_000_000)
    assert reason_of(huge, name) == "too_large"


def test_many_parts_count_together(monkeypatch):
    monkeypatch.setattr("connectors.conversion.guards._MAX_UNPACKED", 2_000_000)
    data = files.word()
    for number in range(7):
        data = files.with_member(data, f"part{number}.bin", b"x" * 300_000)
    with pytest.raises(
        ConversionError, match=r"unpacks to 2,\d{3},\d{3} bytes"
    ) as refusal:
        convert(data, name="a.docx")
    assert refusal.value.reason == "too_large"


def test_a_part_that_lies_about_its_size_is_damaged():
    data = files.with_member(files.word(), "word/more.xml", b"<a/>" * 250_000)
    lying = data.replace(struct.pack("<I", 1_000_000), struct.pack("<I", 10))
    assert lying != data
    assert reason_of(lying, "a.docx") == "damaged"


@pytest.mark.parametrize(
    ("name", "part"),
    [
        ("a.docx", "word/document.xml"),
        ("a.pptx", "ppt/presentation.xml"),
        ("a.xlsx", "xl/worksheets/sheet1.xml"),
    ],
)
def test_xml_entities_are_refused(name, part):
    entities = '<!ENTITY a0 "ha">' + "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)
    )
    bomb = f'<?xml version="1.0"?><!DOCTYPE x [{entities}]><x>&a9;</x>'
    for encoding in ("utf-8", "utf-16"):
        data = files.with_member(MADE[name](), part, bomb.encode(encoding))
        assert reason_of(data, name) == "damaged"


@pytest.mark.parametrize(
    ("name", "part"),
    [("a.docx", "word/document.xml"), ("a.xlsx", "xl/worksheets/sheet1.xml")],
)
def test_a_document_type_alone_is_refused(name, part):
    with zipfile.ZipFile(BytesIO(MADE[name]())) as archive:
        xml = archive.read(part).decode()
    declaration = "<!DOCTYPE x [<!ENTITY a 'b'>]>"
    head, end, body = xml.partition("?>") if xml.startswith("<?xml") else ("", "", xml)
    changed = f"{head}{end}{declaration}{body}".encode()
    data = files.with_member(MADE[name](), part, changed)
    assert reason_of(data, name) == "damaged"


@pytest.mark.parametrize(
    ("name", "mend"),
    [("a.doc", "DOCX"), ("a.xls", "XLSX"), ("a.ppt", "PPTX"), ("a.rtf", "DOCX")],
)
def test_old_formats_say_what_to_save_as(name, mend):
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600
    with pytest.raises(ConversionError, match=f"save it as {mend}") as refusal:
        convert(data, name=name)
    assert refusal.value.reason == "unsupported"
