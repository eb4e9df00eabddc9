"""Builders of what Docs, Slides and Sheets hold, as their APIs tell it.

Written from the references and guides: documents (“Document structure”, “Work with
tabs”), presentations (“Page elements”, “Text structure”), spreadsheets; and the
discovery documents of docs v1 (20261006), slides v1 (20260930), sheets v4 (20261019),
all read 2026-12-01.
"""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]

# Docs


def run(text: str, *, link: Json | None = None, **style: Any) -> Json:
    if link is not None:
        style["link"] = link
    return {"textRun": {"content": text, "textStyle": style}}


def paragraph(
    *elements: Json | str, style: str = "NORMAL_TEXT", heading: str = "", **more: Any
) -> Json:
    """A paragraph; its last run ends with a line break, as the API has it."""
    found = [run(item) if isinstance(item, str) else item for item in elements]
    found.append(run("\n"))
    about: Json = {"namedStyleType": style, "direction": "LEFT_TO_RIGHT"}
    if heading:
        about["headingId"] = heading
    return {
        "startIndex": 1,
        "endIndex": 2,
        "paragraph": {"elements": found, "paragraphStyle": about, **more},
    }


def heading(text: str, level: int, id_: str) -> Json:
    return paragraph(text, style=f"HEADING_{level}", heading=id_)


def item(text: str | Json, *, list_id: str = "kix.1", level: int = 0) -> Json:
    bullet: Json = {"listId": list_id, "textStyle": {}}
    if level:
        bullet["nestingLevel"] = level
    return paragraph(text, bullet=bullet)


def listing(*glyphs: str) -> Json:
    """A list's levels: a glyph type such as DECIMAL, or a symbol such as ●."""
    levels = [
        {"glyphType": glyph} if glyph.isupper() else {"glyphSymbol": glyph}
        for glyph in glyphs
    ]
    return {"listProperties": {"nestingLevels": levels}}


def table(
    *rows: list[Json | str | list[Json]],
    spans: dict[tuple[int, int], tuple[int, int]] | None = None,
) -> Json:
    """A table; `spans` are (rows, columns) by place. Covered cells stay, empty."""
    made = []
    for number, row in enumerate(rows):
        cells = []
        for column, value in enumerate(row):
            content = (
                value
                if isinstance(value, list)
                else [paragraph(value) if isinstance(value, str) else value]
            )
            down, across = (spans or {}).get((number, column), (1, 1))
            style = {"rowSpan": down, "columnSpan": across}
            cells.append({"content": content, "tableCellStyle": style})
        made.append({"tableCells": cells, "tableRowStyle": {}})
    return {"table": {"rows": len(rows), "columns": len(rows[0]), "tableRows": made}}


def tab(
    title: str,
    *content: Json,
    id_: str = "t.0",
    children: tuple[Json, ...] = (),
    **more: Any,
) -> Json:
    break_ = {"endIndex": 1, "sectionBreak": {"sectionStyle": {}}}
    return {
        "tabProperties": {"tabId": id_, "title": title, "index": 0},
        "documentTab": {"body": {"content": [break_, *content]}, **more},
        "childTabs": list(children),
    }


def text_document(*paragraphs: str) -> list[Json]:
    return [tab("Tab 1", *(paragraph(text) for text in paragraphs))]


# Slides


def slide_text(
    *lines: str | tuple[int, str], bullet: bool = False, glyph: str = "●"
) -> Json:
    """Text of a shape; (level, words) is an item of a list."""
    elements: list[Json] = []
    for line in lines:
        level, words = line if isinstance(line, tuple) else (None, line)
        marker: Json = {"style": {}}
        if level is not None or bullet:
            marker["bullet"] = {
                "listId": "l1",
                "nestingLevel": level or 0,
                "glyph": glyph,
            }
        elements.append({"startIndex": 0, "endIndex": 1, "paragraphMarker": marker})
        elements.append({"textRun": {"content": f"{words}\n", "style": {}}})
    return {"textElements": elements}


def shape(text: Json, *, kind: str = "", id_: str = "s1") -> Json:
    about: Json = {"shapeType": "TEXT_BOX", "text": text}
    if kind:
        about["placeholder"] = {"type": kind, "index": 0}
    return {"objectId": id_, "size": {}, "transform": {}, "shape": about}


def slide_table(*rows: list[str]) -> Json:
    made = [
        {
            "rowHeight": {},
            "tableCells": [
                {"text": slide_text(c), "rowSpan": 1, "columnSpan": 1} for c in row
            ],
        }
        for row in rows
    ]
    return {
        "objectId": "t1",
        "table": {"rows": len(rows), "columns": len(rows[0]), "tableRows": made},
    }


def slide(id_: str, *elements: Json, notes: str = "", is_skipped: bool = False) -> Json:
    page = {
        "objectId": f"{id_}-notes",
        "pageType": "NOTES",
        "notesProperties": {"speakerNotesObjectId": f"{id_}-n"},
        "pageElements": [shape(slide_text("1"), kind="SLIDE_NUMBER")],
    }
    if notes:
        page["pageElements"].append(
            shape(slide_text(notes), kind="BODY", id_=f"{id_}-n")
        )
    about: Json = {"layoutObjectId": "x", "masterObjectId": "y", "notesPage": page}
    if is_skipped:
        about["isSkipped"] = True
    return {"objectId": id_, "pageElements": list(elements), "slideProperties": about}


# Sheets


def sheet(
    title: str,
    rows: list[list[Any]],
    *,
    id_: int = 0,
    height: int = 0,
    width: int = 26,
    **more: Any,
) -> Json:
    grid = {"rowCount": height or max(1000, len(rows)), "columnCount": width}
    about = {
        "sheetId": id_,
        "title": title,
        "index": 0,
        "sheetType": "GRID",
        "gridProperties": grid,
    }
    return {"properties": about | more, "values": rows}
