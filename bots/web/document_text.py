"""A document's normalised content as blocks, with its links and marked passages."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bots.shapes import Row, Run, Runs, Shape, Shaped, cells_of, is_rule, unescaped
from bots.web.passages import Passage
from memory.documents import Block, BlockKind, Content, Link, Section

_HEADING = re.compile(r"#{1,6}[ \t]+")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|(\d{1,9})[.)])[ \t]+")
_FENCE_LINE = re.compile(r"[ \t]*(?:`{3,}|~{3,})[^\n]*(?:\n|$)")
_QUOTE = re.compile(r"(?m)^[ \t]*>[ \t]?")

_SHAPES = {
    BlockKind.HEADING: Shape.HEADING,
    BlockKind.LIST_ITEM: Shape.ITEM,
    BlockKind.CODE: Shape.CODE,
    BlockKind.QUOTE: Shape.QUOTE,
}
_TABLE = (BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW)


T = TypeVar("T", Link, Passage)


def section_anchor(anchor: str) -> str:
    """Return the id of a heading; prefixed, as the text may not choose our ids."""
    return f"s-{anchor}"


@dataclass(frozen=True, slots=True)
class DocumentText:
    """Draws one document. `address` turns a link into one to follow, or ""."""

    content: Content
    address: Callable[[str], str]
    passages: Sequence[Passage] = ()

    def blocks(self) -> list[Shaped]:
        """Return the blocks in order. Nothing of the text is left out."""
        shaped: list[Shaped] = []
        table: list[Block] = []
        for block in [*_complete(self.content), None]:
            in_table = block is not None and block.kind in _TABLE
            starts_anew = block is not None and block.kind is BlockKind.TABLE_HEADER
            if table and (not in_table or starts_anew):
                shaped.append(self._table(table))
                table = []
            if block is not None and in_table:
                table.append(block)
            elif block is not None:
                shaped.append(self._block(block))
        return shaped

    def _block(self, block: Block) -> Shaped:
        start, end, text = block.start, block.end, self.content.text
        shape = _SHAPES.get(block.kind, Shape.PARAGRAPH)
        if shape is Shape.HEADING:
            return self._heading(block)
        if shape is Shape.ITEM:
            marker = _ITEM.match(text, start, end)
            ordinal = int(marker[1]) if marker and marker[1] else None
            runs = self._runs(marker.end() if marker else start, end)
            return Shaped(shape, runs=runs, depth=block.depth, ordinal=ordinal)
        if shape is Shape.CODE:
            start, end = _without_fences(text, start, end)
            return Shaped(shape, runs=self._runs(start, end, linked=False))
        if shape is Shape.QUOTE:
            return Shaped(shape, runs=self._quote(start, end))
        return Shaped(shape, runs=self._runs(start, end))

    def _heading(self, block: Block) -> Shaped:
        section = _section_at(self.content.sections, block.start)
        marker = _HEADING.match(self.content.text, block.start, block.end)
        level = section.level if section and section.level else 1
        anchor = section_anchor(section.anchor) if section and section.anchor else ""
        runs = self._runs(marker.end() if marker else block.start, block.end)
        return Shaped(Shape.HEADING, runs=runs, level=level, anchor=anchor)

    def _quote(self, start: int, end: int) -> Runs:
        runs: list[Run] = []
        for match in re.finditer(r"[^\n]+\n?", self.content.text[start:end]):
            line = start + match.start()
            marker = _QUOTE.match(self.content.text, line)
            runs.extend(
                self._runs(marker.end() if marker else line, start + match.end())
            )
        return tuple(runs)

    def _table(self, blocks: Sequence[Block]) -> Shaped:
        header: tuple[Runs, ...] = ()
        rows: list[Row] = []
        for block in blocks:
            for start, end in _lines(self.content.text, block):
                if is_rule(self.content.text[start:end]):
                    continue
                cells = tuple(self._cells(start, end))
                if block.kind is BlockKind.TABLE_HEADER and not header:
                    header = cells
                else:
                    rows.append(Row(cells))
        return Shaped(Shape.TABLE, header=header, rows=tuple(rows))

    def _cells(self, start: int, end: int) -> Iterator[Runs]:
        cells = cells_of(self.content.text, start, end)
        for place in cells or [(start, end)]:
            yield self._runs(*place)

    def _runs(self, start: int, end: int, *, linked: bool = True) -> Runs:
        """Return `text[start:end]` cut where a link or passage begins or ends."""
        while end > start and self.content.text[end - 1] in "\n ":
            end -= 1
        links = _within(self.content.links, start, end) if linked else []
        marks = _within(self.passages, start, end)
        borders = {start, end}
        ranges = [(item.start, item.end) for item in links]
        ranges += [(item.start, item.end) for item in marks]
        for left, right in ranges:
            borders.update((max(left, start), min(right, end)))
        edges = sorted(borders)
        return tuple(
            self._run(left, right, links, marks)
            for left, right in zip(edges, edges[1:], strict=False)
        )

    def _run(
        self, start: int, end: int, links: Sequence[Link], marks: Sequence[Passage]
    ) -> Run:
        link = next((i for i in links if i.start <= start < i.end), None)
        mark = next((i for i in marks if i.start <= start < i.end), None)
        return Run(
            unescaped(self.content.text[start:end]),
            href=self.address(link.url) if link else "",
            mark=mark is not None,
            anchor=mark.anchor if mark and self._begins(mark, start) else "",
        )

    def _begins(self, mark: Passage, start: int) -> bool:
        # A passage may begin with a marker ("- ", "## ") that isn't shown.
        return mark.opens and not self.content.text[mark.start : start].strip(
            " \t\n#>|-*+•.)0123456789"
        )


def _complete(content: Content) -> Iterator[Block]:
    """Yield the blocks, and as paragraphs whatever text lies between them."""
    at = 0
    for block in content.blocks:
        yield from _gap(content.text, at, block.start)
        yield block
        at = max(at, block.end)
    yield from _gap(content.text, at, len(content.text))


def _gap(text: str, start: int, end: int) -> Iterator[Block]:
    for match in re.finditer(r"\S(?:[^\n]|\n(?!\s*\n))*", text[start:end]):
        yield Block(BlockKind.PARAGRAPH, start + match.start(), start + match.end())


def _section_at(sections: Sequence[Section], offset: int) -> Section | None:
    index = bisect_right(sections, offset, key=lambda section: section.start) - 1
    return sections[index] if index >= 0 else None


def _within(items: Sequence[T], start: int, end: int) -> list[T]:
    low = max(0, bisect_right(items, start, key=lambda item: item.start) - 1)
    high = bisect_right(items, end - 1, key=lambda item: item.start)
    return [item for item in items[low:high] if item.end > start and item.start < end]


def _without_fences(text: str, start: int, end: int) -> tuple[int, int]:
    if opening := _FENCE_LINE.match(text, start, end):
        start = opening.end()
        last = text.rfind("\n", start, end) + 1
        if last >= start and _FENCE_LINE.fullmatch(text, last, end):
            end = last
    return start, max(start, end)


def _lines(text: str, block: Block) -> Iterator[tuple[int, int]]:
    for match in re.finditer(r"[^\n]+", text[block.start : block.end]):
        yield block.start + match.start(), block.start + match.end()
