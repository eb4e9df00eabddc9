"""A Google Doc to Content: every tab, with links that open each heading.

https://developers.google.com/workspace/docs/api/concepts/structure,
…/docs/api/how-tos/tabs (read 2026-12-01)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.rich import Rich
from connectors.conversion.tables import shape, write_table
from connectors.google_drive.grid import Cell, spread
from connectors.google_drive.inline import Inline, tab_url
from connectors.google_drive.json_parts import Json, number, part, parts, text
from connectors.google_drive.numbering import Numbering
from memory.documents import Content, Link

_HEADINGS = {f"HEADING_{level}": level for level in range(1, 7)} | {"TITLE": 1}
#: Cells of a table may hold tables; a hostile one must not exhaust the stack.
MAX_NESTING = 20


def document_content(document: Json, url: str) -> Content:
    """Return a document's text: its tabs in order, each before those inside it.

    `url` is the document's address. A tab's title is a heading where there's more than
    one tab.
    """
    builder = ContentBuilder()
    tabs = list(_tabs(document))
    for tab, depth in tabs:
        _Tab(builder, tab, depth, url, is_only=len(tabs) == 1).write()
    return builder.build()


def _tabs(document: Json) -> Iterator[tuple[Json, int]]:
    """Yield tabs with their depth, in the order that a reader sees, without recursion."""
    waiting = [(tab, 0) for tab in reversed(parts(document, "tabs"))]
    while waiting:
        tab, depth = waiting.pop()
        yield tab, depth
        inner = parts(tab, "childTabs")
        waiting.extend((child, depth + 1) for child in reversed(inner))


class _Tab:
    """Writes one tab."""

    def __init__(
        self,
        builder: ContentBuilder,
        tab: Json,
        depth: int,
        url: str,
        *,
        is_only: bool,
    ) -> None:
        about = part(tab, "tabProperties")
        content = part(tab, "documentTab")
        self._title = text(about, "title")
        self._builder = builder
        self._url = tab_url(url, text(about, "tabId"))
        self._is_only = is_only
        self._below = 0 if is_only else depth + 1
        self._body = parts(part(content, "body"), "content")
        self._footnotes = part(content, "footnotes")
        self._inline = Inline(content, url)
        self._numbering = Numbering(part(content, "lists"))

    def write(self) -> None:
        if not self._is_only:
            title = self._title or "Tab"
            self._heading(Rich(title), self._below, "")
        self._blocks(self._body, 0)
        for name, count in self._inline.unhandled.items():
            for _ in range(count):
                self._builder.count_unhandled(name)

    def _heading(self, title: Rich, level: int, id_: str) -> None:
        """Add a heading over which its own address lies, where it has no other link."""
        anchor = f"heading={id_}" if id_ else ""
        if not title.links:
            url = f"{self._url}#{anchor}" if anchor else self._url
            title = Rich(title.text, (Link(0, len(title.text), url),))
        self._builder.heading(title, level, anchor=anchor)

    def _blocks(self, content: Sequence[Json], depth: int) -> None:
        for element in content:
            if "paragraph" in element:
                self._paragraph(part(element, "paragraph"))
            elif "table" in element:
                self._table(part(element, "table"), depth)
            elif "tableOfContents" not in element and "sectionBreak" not in element:
                kinds = element.keys() - {"startIndex", "endIndex"}
                self._builder.count_unhandled(next(iter(sorted(kinds)), "element"))
            self._notes()

    def _paragraph(self, paragraph: Json) -> None:
        words = self._inline.paragraph(paragraph)
        if not words:
            return
        style = part(paragraph, "paragraphStyle")
        level = _HEADINGS.get(text(style, "namedStyleType"))
        bullet = paragraph.get("bullet")
        if level is not None:
            self._numbering.leave()
            id_ = text(style, "headingId")
            self._heading(words, level + self._below, id_)
        elif isinstance(bullet, Mapping):
            place = self._numbering.place(bullet)
            self._builder.list_item(
                words, depth=place.depth, ordinal=place.ordinal, new_list=place.is_new
            )
        else:
            self._numbering.leave()
            self._builder.paragraph(words)

    def _table(self, table: Json, depth: int) -> None:
        self._numbering.leave()
        rows = parts(table, "tableRows")
        cells = [[_Cell(cell) for cell in parts(row, "tableCells")] for row in rows]
        if all(len(row) <= 1 for row in cells):
            # A table of one cell a row frames text; it names no columns.
            for row in cells:
                for cell in row:
                    self._framed(cell, depth)
            return
        width = max(len(row) for row in cells)
        grid = [
            [Cell(self._text(cell, depth), cell.rows, cell.columns) for cell in row]
            for row in cells
        ]
        write_table(self._builder, shape(spread(grid, width), first_is_header=True))

    def _framed(self, cell: _Cell, depth: int) -> None:
        if depth < MAX_NESTING:
            self._blocks(cell.content, depth + 1)
        else:
            self._builder.count_unhandled("deep table")

    def _text(self, cell: _Cell, depth: int) -> Rich:
        """Return a cell's text on one line, that of tables inside it too."""
        return self._inline.joined(list(_paragraphs(cell.content, depth)))

    def _notes(self) -> None:
        """Write the footnotes of the block before, so that both are read together."""
        references, self._inline.notes = self._inline.notes, []
        for mark, id_ in references:
            note = part(self._footnotes, id_)
            content = list(_paragraphs(parts(note, "content"), 0))
            if words := self._inline.joined(content):
                self._builder.paragraph(words.inserted([0], f"[{mark}] "))
        self._inline.notes = []


class _Cell:
    """A cell's content and spans as its JSON has them."""

    def __init__(self, value: Json) -> None:
        style = part(value, "tableCellStyle")
        self.content = parts(value, "content")
        self.rows = max(1, number(style, "rowSpan", 1))
        self.columns = max(1, number(style, "columnSpan", 1))


def _paragraphs(content: Sequence[Json], depth: int) -> Iterator[Json]:
    """Yield all paragraphs, those of tables inside too."""
    for element in content:
        if "paragraph" in element:
            yield part(element, "paragraph")
        elif "table" in element and depth < MAX_NESTING:
            for row in parts(part(element, "table"), "tableRows"):
                for cell in parts(row, "tableCells"):
                    yield from _paragraphs(parts(cell, "content"), depth + 1)
