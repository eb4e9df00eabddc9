"""A Google Slides presentation to Content: a section a slide, with its notes.

https://developers.google.com/workspace/slides/api/concepts/page-elements,
…/slides/api/concepts/text (read 2026-12-01)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.converted import Warnings
from connectors.conversion.html_tags import image_text
from connectors.conversion.rich import Rich, RichBuffer
from connectors.conversion.tables import shape, write_table
from connectors.google_drive.grid import Cell, spread
from connectors.google_drive.json_parts import Json, number, part, parts, text
from memory.documents import Content, Link

_TITLES = frozenset(("TITLE", "CENTERED_TITLE"))
_FURNITURE = frozenset(("DATE_AND_TIME", "FOOTER", "HEADER", "SLIDE_NUMBER"))
_PLACE = frozenset(("objectId", "size", "transform", "title", "description"))
#: What is shown and holds no words of its own.
_SILENT = frozenset(("image", "line", "video", "speakerSpotlight"))


def slides_content(presentation: Json, url: str, warnings: Warnings) -> Content:
    """Return the text of all slides but skipped ones; `url` is the presentation's."""
    builder = ContentBuilder()
    skipped: list[str] = []
    for count, slide in enumerate(parts(presentation, "slides"), start=1):
        if part(slide, "slideProperties").get("isSkipped") is True:
            skipped.append(str(count))
        else:
            _Slide(builder, slide, url).write(count)
    if skipped:
        warnings.add(
            "hidden_slides", f"Skipped slides were not read: {', '.join(skipped)}."
        )
    return builder.build()


class _Slide:
    """Writes one slide."""

    def __init__(self, builder: ContentBuilder, slide: Json, url: str) -> None:
        self._builder = builder
        self._slide = slide
        self._url = url
        self._elements = list(_flat(parts(slide, "pageElements")))

    def write(self, count: int) -> None:
        titles = [item for item in self._elements if _placeholder(item) in _TITLES]
        words = [self._joined(part(part(item, "shape"), "text")) for item in titles]
        title = next((found for found in words if found), Rich(f"Slide {count}"))
        anchor = f"slide=id.{quote(text(self._slide, 'objectId'))}"
        if not title.links:
            link = Link(0, len(title.text), f"{self._url}#{anchor}")
            title = Rich(title.text, (link,))
        self._builder.heading(title, 1, anchor=anchor)
        for item in self._elements:
            if item not in titles and _placeholder(item) not in _FURNITURE:
                self._element(item)
        self._notes()

    def _element(self, item: Json) -> None:
        if "shape" in item:
            self._text(part(part(item, "shape"), "text"))
        elif "table" in item:
            self._table(part(item, "table"))
        elif "wordArt" in item:
            self._builder.paragraph(text(part(item, "wordArt"), "renderedText"))
        elif not _SILENT & item.keys():
            kinds = sorted(item.keys() - _PLACE)
            name = "chart" if kinds == ["sheetsChart"] else kinds[0] if kinds else ""
            self._builder.count_unhandled(name or "element")
        alt = " ".join(filter(None, (text(item, "title"), text(item, "description"))))
        if "shape" not in item and "table" not in item:
            self._builder.paragraph(image_text(alt))

    def _text(self, content: Json) -> None:
        is_first = True
        for bullet, line in self._lines(content):
            if bullet is None:
                self._builder.paragraph(line)
                is_first = True
                continue
            depth = max(0, number(bullet, "nestingLevel"))
            self._builder.list_item(
                line, depth=depth, ordinal=_ordinal(bullet), new_list=is_first
            )
            is_first = False

    def _table(self, table: Json) -> None:
        rows = [
            [
                Cell(
                    self._joined(part(cell, "text")),
                    number(cell, "rowSpan", 1),
                    number(cell, "columnSpan", 1),
                )
                for cell in parts(row, "tableCells")
            ]
            for row in parts(table, "tableRows")
        ]
        width = number(table, "columns") or max(map(len, rows), default=0)
        write_table(self._builder, shape(spread(rows, width), first_is_header=True))

    def _notes(self) -> None:
        page = part(part(self._slide, "slideProperties"), "notesPage")
        id_ = text(part(page, "notesProperties"), "speakerNotesObjectId")
        for item in _flat(parts(page, "pageElements")):
            if id_ and text(item, "objectId") == id_:
                notes = self._joined(part(part(item, "shape"), "text"), lines=True)
                if notes:
                    self._builder.paragraph(notes.inserted([0], "Notes: "))

    def _joined(self, content: Json, *, lines: bool = False) -> Rich:
        buffer = RichBuffer(joined=not lines)
        for element in parts(content, "textElements"):
            if "paragraphMarker" in element:
                buffer.break_line()
            self._feed(element, buffer)
        return buffer.take()

    def _lines(self, content: Json) -> Iterator[tuple[Json | None, Rich]]:
        """Yield paragraphs with their bullets, None for those without."""
        bullet: Json | None = None
        buffer = RichBuffer()
        for element in parts(content, "textElements"):
            if "paragraphMarker" in element:
                if line := buffer.take():
                    yield bullet, line
                marker = part(element, "paragraphMarker")
                bullet = part(marker, "bullet") if "bullet" in marker else None
            self._feed(element, buffer)
        if line := buffer.take():
            yield bullet, line

    def _feed(self, element: Json, buffer: RichBuffer) -> None:
        run = part(element, "textRun") or part(element, "autoText")
        link = part(part(run, "style"), "link")
        if link:
            buffer.open_link(self._target(link))
        for count, line in enumerate(text(run, "content").rstrip("\n").split("\v")):
            if count:
                buffer.break_line()
            buffer.add(line)
        if link:
            buffer.close_link()

    def _target(self, link: Json) -> str:
        if url := text(link, "url"):
            return url
        page = text(link, "pageObjectId")
        return f"{self._url}#slide=id.{quote(page)}" if page else ""


def _flat(elements: Sequence[Json]) -> Iterator[Json]:
    """Yield all elements, those of groups too, in reading order, without recursion."""
    waiting = list(reversed(elements))
    while waiting:
        item = waiting.pop()
        if "elementGroup" in item:
            waiting.extend(reversed(parts(part(item, "elementGroup"), "children")))
        else:
            yield item


def _placeholder(item: Json) -> str:
    return text(part(part(item, "shape"), "placeholder"), "type")


def _ordinal(bullet: Json) -> int | None:
    """Return the number that a bullet shows, as “3.”."""
    shown = text(bullet, "glyph").strip().rstrip(".)")
    return int(shown) if shown.isascii() and shown.isdigit() else None
