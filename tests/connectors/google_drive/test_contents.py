"""Sheets, Slides, exports and files: what comes through, and what the limits are (C39)."""

import pytest

from connectors.conversion.converted import Warnings
from connectors.google_drive import sheets
from connectors.google_drive.slides import slides_content
from tests.connectors.conversion import files
from tests.connectors.google_drive.worlds import told
from tests.vendors.google.editors import (
    shape,
    sheet,
    slide,
    slide_table,
    slide_text,
    text_document,
)
from tests.vendors.google.state import DOC, DRAWING, PDF, SHEET, SLIDES
from tests.vendors.loopback import Reply

pytestmark = pytest.mark.integration

URL = "https://docs.google.com/presentation/d/abc/edit"
WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
EXCEL = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
POWERPOINT = "application/vnd.openxmlformats-officedocument.presentationml.presentation"


def exports(drive):
    return drive.server.paths("/export")


# Slides


def of_slides(*slides):
    warnings = Warnings()
    found = slides_content({"slides": list(slides)}, URL, warnings)
    return found, warnings.found


def test_a_slide_is_a_section_with_a_link_bullets_tables_and_notes():
    group = {
        "objectId": "g",
        "elementGroup": {"children": [shape(slide_text("In a group."))]},
    }
    art = {"objectId": "w", "wordArt": {"renderedText": "Word art!"}}
    image = {
        "objectId": "i",
        "image": {},
        "title": "Sketch",
        "description": "of the hall",
    }
    chart = {"objectId": "c", "sheetsChart": {"chartId": 1}, "title": "Sales chart"}
    linked = slide_text("Read more")
    linked["textElements"][1]["textRun"]["style"] = {
        "link": {"url": "https://example.com/x"}
    }
    found, warnings = of_slides(
        slide(
            "p1",
            shape(slide_text("Warranty"), kind="TITLE"),
            shape(slide_text((0, "Routers"), (1, "36 months")), kind="BODY"),
            shape(slide_text((0, "First"), glyph="1.")),
            shape(slide_text("Confidential"), kind="FOOTER"),
            slide_table(["Device", "Months"], ["Router", "36"]),
            shape(linked),
            group,
            art,
            image,
            chart,
            {"objectId": "x", "line": {}},
            notes="Say it slowly.",
        )
    )
    lines = found.text.splitlines()
    for line in (
        *("- Routers", "  - 36 months", "1. First", "| Device | Months |"),
        *("| Router | 36 |", "In a group.", "Word art!", "[image: Sketch of the hall]"),
        *("[image: Sales chart]", "Notes: Say it slowly."),
    ):
        assert line in lines
    assert "Confidential" not in found.text
    assert found.unhandled == {"chart": 1}
    assert found.sections[0].anchor == "slide=id.p1"
    links = {found.text[x.start : x.end]: x.url for x in found.links}
    assert links == {
        "Warranty": f"{URL}#slide=id.p1",
        "Read more": "https://example.com/x",
    }
    assert warnings == []


def test_a_slide_without_a_title_has_its_number_and_skipped_ones_are_told():
    found, warnings = of_slides(
        slide("p1", shape(slide_text("Words."))),
        slide("p2", shape(slide_text("Hidden words.")), is_skipped=True),
    )
    assert found.sections[0].path == ("Slide 1",)
    assert "Hidden words." not in found.text
    assert warnings == [("hidden_slides", "Skipped slides were not read: 2.")]


@pytest.mark.parametrize(
    "value", [{}, {"slides": 3}, {"slides": [{"pageElements": "x"}]}]
)
def test_a_presentation_of_another_shape_breaks_nothing(value):
    slides_content(value, URL, Warnings())


def test_a_presentation_is_read_through_the_api(drive, team):
    content = [slide("p1", shape(slide_text("Warranty"), kind="TITLE"))]
    item = drive.space.add("Deck", mime=SLIDES, drive=team, content=content)
    drive.sync()
    assert "Warranty" in drive.text(item)
    assert drive.row(item.id).kind == "presentation"
    assert exports(drive) == []


# Sheets


def test_sheets_are_sections_with_links_headers_and_cells_as_people_see_them(
    drive, team
):
    price = sheet(
        "It's prices",
        [
            ["Price list"],
            ["Device", "Price", "Share"],
            ["Router", "€1,200.00", "12.5%"],
            ["Switch", "", True],
            [],
            ["Other", "table"],
            ["a", "b"],
        ],
        id_=7,
    )
    hidden = sheet("Secret", [["Hidden words"]], id_=8, hidden=True)
    chart = sheet("Chart1", [], id_=9, sheetType="OBJECT")
    item = drive.space.add(
        "Prices", mime=SHEET, drive=team, content=[price, hidden, chart]
    )
    run = drive.sync()
    lines = drive.text(item).splitlines()
    for line in (
        "# It's prices",
        "| Device | Price | Share |",
        "| Router | €1,200.00 | 12.5% |",
    ):
        assert line in lines
    assert "| Other | table |" in lines
    assert "Hidden words" not in drive.text(item)
    assert told(run, "hidden_sheet") == ['The hidden sheet "Secret" was not read.']
    assert "object sheet (1)" in told(run, "unhandled")[0]
    row = drive.row(item.id)
    assert row.kind == "spreadsheet"
    assert row.content["links"][0][2].endswith("/edit#gid=7")
    assert exports(drive) == []


def test_a_large_sheet_is_read_in_blocks_to_its_end(drive, team, monkeypatch):
    monkeypatch.setattr(sheets, "BLOCK_CELLS", 100)
    rows = [["Name", "Number"], *([f"Name {n}", str(n)] for n in range(120))]
    rows += [[] for _ in range(60)] + [["After", "the gap"]]
    item = drive.space.add(
        "Big", mime=SHEET, drive=team, content=[sheet("S", rows, width=5)]
    )
    drive.sync()
    text = drive.text(item)
    for words in ("Name 0", "Name 119", "After"):
        assert words in text
    assert len(drive.server.paths("values:batchGet")) == 50
    # A row further down than the first block still has its header.
    blocks = drive.row(item.id).content["blocks"]
    rows = [b for b in blocks if text[b[1] : b[2]] == "| Name 119 | 119 |"]
    assert "| Name | Number |" in str(rows)


def test_small_sheets_are_read_in_one_request(drive, team):
    """Google allows 60 requests a minute and person here."""
    made = [sheet(f"S{n}", [[f"Sheet {n}", "x"]], id_=n, width=5) for n in range(12)]
    item = drive.space.add("Many", mime=SHEET, drive=team, content=made)
    drive.sync()
    assert all(f"Sheet {n}" in drive.text(item) for n in range(12))
    assert len(drive.server.paths("values:batchGet")) == 1


def test_a_sheet_s_limits_are_told(drive, team, monkeypatch):
    monkeypatch.setattr(sheets, "MAX_ROWS", 10)
    rows = [[f"Row {n}", "x"] for n in range(30)]
    content = [sheet("Long", rows), sheet("Wide", [["w"] * 300], id_=1, width=300)]
    item = drive.space.add("Big", mime=SHEET, drive=team, content=content)
    run = drive.sync()
    assert "Row 9" in drive.text(item)
    assert "Row 10" not in drive.text(item)
    assert len(told(run, "row_limit")) == 1
    assert len(told(run, "column_limit")) == 1


def test_letters_of_columns():
    assert [sheets._letters(n) for n in (1, 26, 27, 52, 53, 702, 703)] == [
        *("A", "Z", "AA", "AZ", "BA", "ZZ", "AAA")
    ]


# Exports, where there's no API for a kind or it's off


def test_a_drawing_is_exported_as_pdf(drive, team):
    data = files.pdf([["The org chart"]])
    item = drive.space.add("Chart", mime=DRAWING, drive=team, exported={PDF: data})
    drive.sync()
    assert "The org chart" in drive.text(item)
    assert (drive.row(item.id).title, drive.row(item.id).kind) == ("Chart", "drawing")


def test_apis_that_are_off_are_replaced_by_exports_and_told(drive, team):
    drive.server.apis_off |= {"docs", "sheets", "slides"}

    def build(show):
        made = show.slides.add_slide(show.slide_layouts[1])
        made.shapes.title.text = "Exported slide"

    word = files.word(lambda d: d.add_paragraph("Exported words"))
    found = [
        drive.space.add(
            "D", mime=DOC, drive=team, content=text_document("x"), exported={WORD: word}
        ),
        drive.space.add(
            "S", mime=SHEET, drive=team, content=[], exported={EXCEL: files.workbook()}
        ),
        drive.space.add(
            "P",
            mime=SLIDES,
            drive=team,
            content=[],
            exported={POWERPOINT: files.slides(build)},
        ),
    ]
    run = drive.sync()
    texts = [drive.text(item) for item in found]
    assert "Exported words" in texts[0]
    assert "| Name | Price |" in texts[1]
    assert "Exported slide" in texts[2]
    assert len(told(run, "api_off")) == 3
    [check] = [c for c in drive.connector().check() if c.capability == "contents"]
    assert not check.ok
    assert "Google Docs, Google Sheets, Google Slides" in check.message


def test_an_export_above_the_limit_is_skipped_with_its_reason_and_not_retried(
    drive, team
):
    """C39: 403 exportSizeLimitExceeded is no lost access, no limit, and no failure."""
    drive.server.export_limit = 100
    data = files.pdf([["The org chart"]])
    item = drive.space.add("Chart", mime=DRAWING, drive=team, exported={PDF: data})
    run = drive.sync()
    assert run.state == "succeeded"
    assert drive.reasons() == {item.id: "export_too_large"}
    assert "10 MB" in drive.row(item.id).message
    assert len(exports(drive)) == 1
    assert drive.slept == []


def test_a_document_larger_than_an_export_may_be_is_read_by_its_api(drive, team):
    """C39: Docs, Sheets and Slides need no export, so its limit isn't theirs."""
    drive.server.export_limit = 1
    item = drive.space.add(
        "D", mime=DOC, drive=team, content=text_document("All of it.")
    )
    drive.sync()
    assert "All of it." in drive.text(item)


def test_an_export_that_answers_500_for_ever_fails_alone_and_is_tried_again(
    drive, team
):
    """C39: endless 500 for a PDF stops neither the run nor the other files."""
    data = files.pdf([["The org chart"]])
    item = drive.space.add("Chart", mime=DRAWING, drive=team, exported={PDF: data})
    good = drive.space.add("A.txt", drive=team, data="Good.")
    drive.server.broken_exports.add(item.id)
    run = drive.sync()
    assert run.state == "succeeded"
    assert drive.states() == {item.id: "failed", good.id: "indexed"}
    assert len(exports(drive)) == 3  # as often as Patience tries
    drive.server.broken_exports.clear()
    drive.sync()
    assert drive.states()[item.id] == "indexed"
    assert drive.source.cursor["again"] == []


# Files


def test_pdf_and_office_files_come_through_the_file_converters(drive, team):
    found = {
        "a.pdf": files.pdf([["Words of a PDF"]]),
        "b.docx": files.word(lambda d: d.add_paragraph("Words of Word")),
        "c.xlsx": files.workbook(),
        "d.csv": b"Name,Price\nTea,2\n",
        "e.html": b"<html><body><h1>Words of HTML</h1></body></html>",
    }
    items = {
        name: drive.space.add(name, drive=team, data=data)
        for name, data in found.items()
    }
    drive.sync()
    for name, words in (
        ("a.pdf", "Words of a PDF"),
        ("b.docx", "Words of Word"),
        ("c.xlsx", "| Tea | 2 |"),
        ("d.csv", "| Tea | 2 |"),
        ("e.html", "Words of HTML"),
    ):
        assert words in drive.text(items[name]), name


def test_files_that_cannot_be_read_fail_alone_with_their_reason(drive, team):
    bad = drive.space.add("bad.docx", drive=team, data=b"PK\x03\x04 not a zip")
    locked = drive.space.add("locked.pdf", drive=team, data=files.encrypted_pdf())
    good = drive.space.add("a.txt", drive=team, data="Good.")
    run = drive.sync()
    assert run.state == "succeeded"
    assert drive.reasons() == {
        bad.id: "damaged",
        locked.id: "password_protected",
        good.id: "",
    }


def test_json_that_nests_too_deep_fails_its_document_alone(drive, team):
    """Python reads JSON about a thousand levels deep; a hostile text may go deeper."""
    item = drive.space.add("Deep", mime=DOC, drive=team, content=text_document("x"))
    good = drive.space.add("a.txt", drive=team, data="Good.")
    opened = b'{"tabs": [{"childTabs": [' + b'{"childTabs": [' * 3000
    drive.server.fail(
        "reply",
        f"/documents/{item.id}",
        reply=Reply(
            opened + b"]}" * 3001 + b"]}", headers={"Content-Type": "application/json"}
        ),
        times=9,
    )
    run = drive.sync()
    assert (run.message, run.state) == ("", "succeeded")
    assert drive.states() == {item.id: "failed", good.id: "indexed"}
