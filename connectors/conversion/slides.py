"""PPTX to Content: a section per visible slide, with its notes."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pptx
from lxml.etree import _Element

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.converted import Converted, Warnings
from connectors.conversion.guards import check_office_zip, parsing
from connectors.conversion.html_tags import image_text
from connectors.conversion.office_properties import office_properties
from connectors.conversion.rich import Rich, RichBuffer
from connectors.conversion.tables import shape, write_table

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_TITLES = frozenset(("TITLE", "CENTER_TITLE", "VERTICAL_TITLE"))
_FURNITURE = frozenset(("DATE", "FOOTER", "SLIDE_NUMBER", "HEADER"))
_LISTS = frozenset(("BODY", "OBJECT", "VERTICAL_BODY", "VERTICAL_OBJECT"))


def convert_slides(data: bytes, warnings: Warnings) -> Converted:
    """Return the text of all visible slides: titles, bullets, tables and notes.

    Raises ConversionError as `check_office_zip` does.
    """
    check_office_zip(data, "PPTX")
    builder = ContentBuilder()
    hidden: list[str] = []
    with parsing("PPTX"):
        show = pptx.Presentation(BytesIO(data))
        for number, slide in enumerate(show.slides, start=1):
            if slide._element.get("show") in ("0", "false"):
                hidden.append(str(number))
            else:
                _write_slide(builder, slide, number)
        about = office_properties(
            show.part.package._rels.values(), show.core_properties
        )
    if hidden:
        warnings.add(
            "hidden_slides", f"Hidden slides were not read: {', '.join(hidden)}."
        )
    return Converted(
        content=builder.build(),
        title=about.title,
        author=about.author,
        updated_at=about.updated_at,
        kind="pptx",
    )


def _write_slide(builder: ContentBuilder, slide: Any, number: int) -> None:
    shapes = list(_shapes(slide.shapes))
    titles = [x for x in shapes if _placeholder(x) in _TITLES and x.has_text_frame]
    parts = [_text(x.text_frame._txBody, x.part) for x in titles]
    title = next((text for text in parts if text), Rich(f"Slide {number}"))
    builder.heading(title, 1, anchor=f"slide={number}")
    for item in shapes:
        if item not in titles and _placeholder(item) not in _FURNITURE:
            _write_shape(builder, item)
    if slide.has_notes_slide:
        frame = slide.notes_slide.notes_text_frame
        notes = _text(frame._txBody, slide.notes_slide.part) if frame else Rich("")
        if notes:
            builder.paragraph(notes.inserted([0], "Notes: "))


def _shapes(shapes: Any) -> Iterator[Any]:
    """Yield all shapes, those in groups too, in reading order."""
    stack = [iter(shapes)]
    while stack:
        item = next(stack[-1], None)
        if item is None:
            stack.pop()
        elif hasattr(item, "shapes"):
            stack.append(iter(item.shapes))
        else:
            yield item


def _placeholder(item: Any) -> str:
    if not item.is_placeholder:
        return ""
    kind = item.placeholder_format.type
    return kind.name if kind is not None else ""


def _write_shape(builder: ContentBuilder, item: Any) -> None:
    if getattr(item, "has_table", False):
        rows = [
            [_text(cell._tc.txBody, item.part, joined=True) for cell in row.cells]
            for row in item.table.rows
        ]
        write_table(builder, shape(rows, first_is_header=item.table.first_row))
    elif item.has_text_frame:
        _write_text(builder, item)
    elif getattr(item, "has_chart", False):
        builder.count_unhandled("chart")
    elif item._element.tag.endswith("}graphicFrame"):
        builder.count_unhandled("diagram")
    else:
        properties = item._element.find(".//{*}cNvPr")
        alt = properties.get("descr") if properties is not None else ""
        builder.paragraph(image_text(alt))


def _write_text(builder: ContentBuilder, item: Any) -> None:
    lines = item.text_frame._txBody.findall(f"{_A}p")
    in_list = _placeholder(item) in _LISTS and len(lines) > 1
    is_first = True
    for line in lines:
        text = _line(line, item.part)
        level, bullet = _bullet(line)
        if in_list or bullet or level:
            builder.list_item(text, depth=level, new_list=is_first)
            is_first = False
        else:
            builder.paragraph(text)


def _bullet(line: _Element) -> tuple[int, bool]:
    properties = line.find(f"{_A}pPr")
    if properties is None:
        return 0, False
    value = properties.get("lvl") or "0"
    level = int(value) if value.isascii() and value.isdigit() and len(value) == 1 else 0
    marks = (properties.find(f"{_A}{name}") for name in ("buChar", "buAutoNum"))
    return level, any(mark is not None for mark in marks)


def _text(body: _Element | None, part: Any, *, joined: bool = False) -> Rich:
    buffer = RichBuffer(joined=joined)
    for line in body.findall(f"{_A}p") if body is not None else ():
        _feed(line, part, buffer)
        buffer.break_line()
    return buffer.take()


def _line(line: _Element, part: Any) -> Rich:
    buffer = RichBuffer()
    _feed(line, part, buffer)
    return buffer.take()


def _feed(line: _Element, part: Any, buffer: RichBuffer) -> None:
    for run in line:
        if run.tag == f"{_A}br":
            buffer.break_line()
        elif run.tag in (f"{_A}r", f"{_A}fld"):
            link = run.find(f"{_A}rPr/{_A}hlinkClick")
            if link is not None:
                relation = part.rels.get(link.get(f"{_R}id") or "")
                is_external = relation is not None and relation.is_external
                buffer.open_link(relation.target_ref if is_external else "")
            buffer.add(run.findtext(f"{_A}t"))
            buffer.close_link()
