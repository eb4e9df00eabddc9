"""What comes through of a Google Doc: must-keep strings per element (C40)."""

import pytest

from connectors.google_drive.documents import document_content
from memory.documents import BlockKind
from tests.vendors.google.editors import (
    heading,
    item,
    listing,
    paragraph,
    run,
    tab,
    table,
)
from tests.vendors.google.state import DOC

URL = "https://docs.google.com/document/d/abc/edit"


def content(*elements, **more):
    return document_content({"tabs": [tab("Tab 1", *elements, **more)]}, URL)


def links(found):
    return {found.text[x.start : x.end]: x.url for x in found.links}


def kinds(found):
    return [(b.kind, found.text[b.start : b.end]) for b in found.blocks]


def test_headings_have_levels_and_links_that_open_them():
    found = content(
        paragraph("The handbook", style="TITLE", heading="h.title"),
        paragraph("For everybody", style="SUBTITLE"),
        heading("Leave", 1, "h.leave"),
        heading("Sick leave", 2, "h.sick"),
        paragraph("Tell your manager."),
    )
    assert [s.path for s in found.sections] == [
        ("The handbook",),
        ("Leave",),
        ("Leave", "Sick leave"),
    ]
    assert [s.anchor for s in found.sections][-1] == "heading=h.sick"
    assert links(found)["Sick leave"] == f"{URL}?tab=t.0#heading=h.sick"
    assert "For everybody" in found.text
    assert found.unhandled == {}


def test_every_tab_is_read_with_those_inside_it():
    """C40: the transcript sits in the second tab, and in a tab inside a tab."""
    inner = tab(
        "Details", heading("Deep", 1, "h.deep"), paragraph("Deep words."), id_="t.2"
    )
    nested = tab("Inner", paragraph("Inner words."), id_="t.1", children=(inner,))
    tabs = [
        tab(
            "Notes",
            heading("First", 1, "h.first"),
            paragraph("First words."),
            id_="t.0",
        ),
        tab("Transcript", paragraph("Spoken words."), id_="t.9", children=(nested,)),
    ]
    found = document_content({"tabs": tabs}, URL)
    for words in ("First words.", "Spoken words.", "Inner words.", "Deep words."):
        assert words in found.text
    assert [s.path for s in found.sections] == [
        ("Notes",),
        ("Notes", "First"),
        ("Transcript",),
        ("Transcript", "Inner"),
        ("Transcript", "Inner", "Details"),
        ("Transcript", "Inner", "Details", "Deep"),
    ]
    assert links(found)["Transcript"] == f"{URL}?tab=t.9"
    assert links(found)["Deep"] == f"{URL}?tab=t.2#heading=h.deep"


def test_a_single_tab_has_no_heading_of_its_own():
    assert "Tab 1" not in content(paragraph("Words.")).text


def test_tabs_may_nest_as_deep_as_they_like():
    inner = tab("End", paragraph("The bottom."))
    for number in range(300):
        inner = tab(f"Tab {number}", id_=f"t.{number}", children=(inner,))
    assert "The bottom." in document_content({"tabs": [inner]}, URL).text


def test_lists_keep_depth_and_numbers():
    lists = {"kix.1": listing("DECIMAL", "ALPHA"), "kix.2": listing("●", "○")}
    found = content(
        item("Ask"),
        item("Wait"),
        item("A day", level=1),
        paragraph("In between."),
        item("Go on"),
        item("Bread", list_id="kix.2"),
        item("Rye", list_id="kix.2", level=1),
        lists=lists,
    )
    lines = found.text.splitlines()
    for line in ("1. Ask", "2. Wait", "  1. A day", "3. Go on", "- Bread", "  - Rye"):
        assert line in lines


def test_a_list_may_start_elsewhere():
    lists = {
        "kix.1": {
            "listProperties": {
                "nestingLevels": [{"glyphType": "DECIMAL", "startNumber": 4}]
            }
        }
    }
    assert "4. Fourth" in content(item("Fourth"), lists=lists).text


def test_links_chips_and_dates_come_through():
    found = content(
        paragraph(
            "See ",
            run("the rules", link={"url": "https://example.com/rules"}),
            " by ",
            {
                "person": {
                    "personProperties": {"name": "Ada", "email": "ada@example.com"}
                }
            },
            {"person": {"personProperties": {"email": "bob@example.com"}}},
            " in ",
            {
                "richLink": {
                    "richLinkProperties": {
                        "title": "Budget",
                        "uri": "https://docs.google.com/x",
                    }
                }
            },
            " until ",
            {"dateElement": {"dateElementProperties": {"displayText": "Mar 2, 2026"}}},
            " as ",
            {"dropdown": {"dropdownProperties": {"displayValue": "Approved"}}},
        ),
        paragraph(run("Above", link={"heading": {"id": "h.1", "tabId": "t.0"}})),
        paragraph(run("Mark", link={"bookmark": {"id": "b.1", "tabId": "t.3"}})),
        paragraph(run("Old", link={"headingId": "h.2"})),
        paragraph(run("Other tab", link={"tabId": "t.3"})),
    )
    for words in ("Ada", "bob@example.com", "Budget", "Mar 2, 2026", "Approved"):
        assert words in found.text
    assert links(found) == {
        "the rules": "https://example.com/rules",
        "Budget": "https://docs.google.com/x",
        "Above": f"{URL}?tab=t.0#heading=h.1",
        "Mark": f"{URL}?tab=t.3#bookmark=b.1",
        "Old": f"{URL}#heading=h.2",
        "Other tab": f"{URL}?tab=t.3",
    }


def test_tables_keep_their_header_spans_and_inner_tables():
    inner = table(["Inner a", "Inner b"], ["c", "d"])
    found = content(
        table(
            ["Device", "Warranty", ""],
            ["Router", "36 months", "parts"],
            ["Switch", [paragraph("24 months"), paragraph("on site")], [inner]],
            spans={(0, 1): (1, 2)},
        )
    )
    rows = [text for kind, text in kinds(found) if kind is BlockKind.TABLE_ROW]
    assert found.text.splitlines()[0] == "| Device | Warranty | Warranty |"
    assert "| Router | 36 months | parts |" in rows
    assert "24 months; on site" in rows[1]
    assert "Inner a" in rows[1]
    assert all(b.header for b in found.blocks if b.kind is BlockKind.TABLE_ROW)


def test_a_table_of_one_cell_is_a_frame():
    found = content(table([[heading("Note", 2, "h.n"), paragraph("Framed words.")]]))
    assert found.sections[0].path == ("Note",)
    assert "|" not in found.text


def test_footnotes_stand_below_what_they_are_about():
    note = {"footnoteReference": {"footnoteId": "kix.f1", "footnoteNumber": "1"}}
    found = content(
        paragraph("It's 36 months", note, "."),
        paragraph("Next."),
        footnotes={
            "kix.f1": {"footnoteId": "kix.f1", "content": [paragraph("From delivery.")]}
        },
    )
    lines = [text for _, text in kinds(found)]
    assert lines == ["It's 36 months[1].", "[1] From delivery.", "Next."]


def test_pictures_say_what_their_alt_text_says_and_others_are_counted():
    objects = {
        "p1": {
            "inlineObjectProperties": {
                "embeddedObject": {
                    "title": "Plan",
                    "description": "of the office",
                    "imageProperties": {},
                }
            }
        },
        "p2": {
            "inlineObjectProperties": {
                "embeddedObject": {
                    "linkedContentReference": {"sheetsChartReference": {}}
                }
            }
        },
        "p3": {
            "inlineObjectProperties": {
                "embeddedObject": {"embeddedDrawingProperties": {}}
            }
        },
    }
    elements = [{"inlineObjectElement": {"inlineObjectId": id_}} for id_ in objects]
    positioned = {
        "q1": {
            "positionedObjectProperties": {
                "embeddedObject": {"description": "The floating fish"}
            }
        }
    }
    found = content(
        paragraph(*elements, {"equation": {}}, positionedObjectIds=["q1"]),
        inlineObjects=objects,
        positionedObjects=positioned,
    )
    assert "[image: Plan of the office]" in found.text
    assert "[image: The floating fish]" in found.text
    assert found.unhandled == {"chart": 1, "drawing": 1, "equation": 1}


def test_what_holds_no_words_is_left_out_without_a_word():
    found = content(
        paragraph("A", {"pageBreak": {}}, {"columnBreak": {}}, {"horizontalRule": {}}),
        paragraph({"autoText": {"type": "PAGE_NUMBER"}}),
        {"tableOfContents": {"content": [paragraph("Leave 3")]}},
        paragraph("code\ue907", run("one\vtwo")),
    )
    assert found.text == "A\n\ncodeone\ntwo"
    assert found.unhandled == {}


def test_what_somebody_only_suggests_is_not_said():
    suggested = {
        "textRun": {
            "content": "not yet",
            "suggestedInsertionIds": ["s.1"],
            "textStyle": {},
        }
    }
    assert content(paragraph("Said. ", suggested)).text == "Said."


def test_elements_that_nobody_knows_are_counted():
    found = content(paragraph("A", {"hologram": {}}), {"wormhole": {}})
    assert found.unhandled == {"hologram": 1, "wormhole": 1}


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"tabs": None},
        {"tabs": [{"documentTab": {"body": {"content": "x"}}}]},
        {
            "tabs": [
                {
                    "documentTab": {
                        "body": {
                            "content": [
                                {"paragraph": {"elements": [None, {"textRun": 3}]}}
                            ]
                        }
                    }
                }
            ]
        },
    ],
)
def test_json_of_another_shape_is_an_empty_document(value):
    assert document_content(value, URL).text == ""


@pytest.mark.integration
def test_a_document_is_read_through_the_api_with_all_of_its_tabs(drive, team):
    """C40: through google-api-python-client, asked with includeTabsContent."""
    tabs = [
        tab("Notes", paragraph("First tab.")),
        tab("Transcript", paragraph("Second tab."), id_="t.1"),
    ]
    found = drive.space.add("Meeting", mime=DOC, drive=team, content=tabs)
    drive.sync()
    assert "First tab." in drive.text(found)
    assert "Second tab." in drive.text(found)
    row = drive.row(found.id)
    assert (row.title, row.kind) == ("Meeting", "document")
    assert row.url == f"https://docs.google.com/document/d/{found.id}/edit"
    [asked] = [a for a in drive.server.asked if a.path.startswith("/v1/documents")]
    assert asked.query["suggestionsViewMode"] == "PREVIEW_WITHOUT_SUGGESTIONS"
