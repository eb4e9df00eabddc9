"""DOCX to Content: headings, lists, tables and notes in document order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

import docx
from lxml import etree
from lxml.etree import _Element

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.converted import Converted, Warnings
from connectors.conversion.guards import check_office_zip, parsing
from connectors.conversion.office_properties import office_properties
from connectors.conversion.rich import Rich, RichBuffer
from connectors.conversion.tables import shape, write_table
from connectors.conversion.word_styles import WordStyles
from connectors.conversion.word_text import W, WordText

_CONTAINERS = frozenset(
    (f"{W}body", f"{W}sdt", f"{W}sdtContent", f"{W}customXml", f"{W}ins", f"{W}moveTo")
)
_MAX_SPAN = 200


def convert_word(data: bytes, _warnings: Warnings) -> Converted:
    """Return a DOCX's text with its structure; headers and footers are left out.

    Raises ConversionError as `check_office_zip` does.
    """
    check_office_zip(data, "DOCX")
    with parsing("DOCX"):
        document = docx.Document(BytesIO(data))
        builder = ContentBuilder()
        _WordReader(builder, document.part).read(document.element.body)
        about = office_properties(
            document.part.package.rels.values(), document.core_properties
        )
    return Converted(
        content=builder.build(),
        title=about.title,
        author=about.author,
        updated_at=about.updated_at,
        kind="docx",
    )


class _WordReader:
    def __init__(self, builder: ContentBuilder, part: Any) -> None:
        self._builder = builder
        self._styles = WordStyles(_related(part, "styles"), _related(part, "numbering"))
        self._text = WordText(
            {key: rel.target_ref for key, rel in part.rels.items() if rel.is_external}
        )
        self._notes = {
            (kind, note.get(f"{W}id")): note
            for kind in ("footnotes", "endnotes")
            for note in _children(_related(part, kind))
        }
        self._last_list = ""

    def read(self, body: _Element) -> None:
        for element in _blocks(body):
            if element.tag == f"{W}p":
                self._paragraph(element)
                for box in element.iter(f"{W}txbxContent"):
                    for inner in box.iterfind(f"{W}p"):
                        self._paragraph(inner)
            elif element.tag == f"{W}tbl":
                self._table(element)
            elif element.tag == f"{W}altChunk":
                self._builder.count_unhandled("embedded document")
            self._write_notes()
        for name in self._text.unhandled:
            self._builder.count_unhandled(name)

    def _paragraph(self, element: _Element) -> None:
        buffer = RichBuffer()
        self._text.feed(element, buffer)
        text = buffer.take()
        if not text:
            return
        role = self._styles.role(element)
        if role.kind in ("heading", "title"):
            self._builder.heading(text, role.level, anchor=_bookmark(element))
        elif role.kind == "item":
            is_new = role.list_id != self._last_list
            self._builder.list_item(
                text, depth=role.level, ordinal=role.ordinal, new_list=is_new
            )
        elif role.kind == "quote":
            self._builder.quote(text)
        elif role.kind == "text":
            self._builder.paragraph(text)
        self._last_list = role.list_id

    def _table(self, table: _Element) -> None:
        rows = _grid(table)
        if all(len(row) <= 1 for row in rows):
            for cell in (cell for row in rows for cell in row):
                for paragraph in cell.iter(f"{W}p"):
                    self._paragraph(paragraph)
            return
        texts = {id(cell): self._cell(cell) for row in rows for cell in row}
        shaped = shape(
            [[texts[id(cell)] for cell in row] for row in rows], first_is_header=True
        )
        write_table(self._builder, shaped)
        self._last_list = ""

    def _cell(self, cell: _Element) -> Rich:
        buffer = RichBuffer(joined=True)
        for paragraph in cell.iter(f"{W}p"):
            self._text.feed(paragraph, buffer)
            buffer.break_line()
        return buffer.take()

    def _write_notes(self) -> None:
        """Write the notes of the block before, so that both are read together."""
        references, self._text.notes = self._text.notes, []
        for number, reference in enumerate(references, start=1):
            note = self._notes.get(reference)
            if note is None:
                continue
            buffer = RichBuffer()
            for paragraph in note.iter(f"{W}p"):
                self._text.feed(paragraph, buffer)
                buffer.break_line()
            if text := buffer.take():
                self._builder.paragraph(text.inserted([0], f"[{number}] "))
        self._text.notes = []


def _blocks(body: _Element) -> Iterator[_Element]:
    """Yield paragraphs, tables and what isn't known, in order, without recursion."""
    stack: list[Iterator[_Element]] = [iter(body)]
    while stack:
        element = next(stack[-1], None)
        if element is None:
            stack.pop()
        elif element.tag in _CONTAINERS:
            stack.append(iter(element))
        else:
            yield element


def _grid(table: _Element) -> list[list[_Element]]:
    """Return the cells by row and column; a spanning cell stands in each it spans."""
    grid: list[list[_Element]] = []
    for row in (x for x in _blocks(table) if x.tag == f"{W}tr"):
        line: list[_Element] = []
        for cell in (x for x in _blocks(row) if x.tag == f"{W}tc"):
            shown = cell
            merge = cell.find(f"{W}tcPr/{W}vMerge")
            goes_on = merge is not None and merge.get(f"{W}val") != "restart"
            if goes_on and grid and len(line) < len(grid[-1]):
                shown = grid[-1][len(line)]
            span = cell.find(f"{W}tcPr/{W}gridSpan")
            value = (span.get(f"{W}val") or "1") if span is not None else "1"
            width = (
                int(value)
                if value.isascii() and value.isdigit() and len(value) < 4
                else 1
            )
            line.extend([shown] * max(1, min(width, _MAX_SPAN)))
        grid.append(line)
    return grid


def _related(part: Any, name: str) -> _Element | None:
    """Return the root of a part's related XML part, or None where it has none."""
    for relation in part.rels.values():
        if not relation.is_external and relation.reltype.endswith(f"/{name}"):
            parser = etree.XMLParser(resolve_entities=False, no_network=True)
            return etree.fromstring(relation.target_part.blob, parser)
    return None


def _children(root: _Element | None) -> Iterable[_Element]:
    return () if root is None else root


def _bookmark(paragraph: _Element) -> str:
    mark = paragraph.find(f"{W}bookmarkStart")
    name = (mark.get(f"{W}name") or "") if mark is not None else ""
    return "" if name.startswith("_") else name
