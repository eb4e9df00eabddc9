"""HTML tables to a header and rows of cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml.etree import _Element

from connectors.conversion.html_inline import flatten
from connectors.conversion.html_tags import tag_of
from connectors.conversion.rich import Rich
from connectors.conversion.tables import Shaped, shape

_MAX_COLUMNS = 200
_GROUPS = frozenset(("thead", "tbody", "tfoot"))
_CELLS = frozenset(("td", "th"))


@dataclass(frozen=True, slots=True)
class _Row:
    cells: tuple[_Element, ...]
    in_head: bool

    @property
    def is_header(self) -> bool:
        return all(tag_of(cell) == "th" for cell in self.cells)


def is_layout(table: _Element) -> bool:
    """Return whether a table only places things: one column, or whole pages in cells."""
    if table.get("role") in ("presentation", "none"):
        return True
    rows = list(_rows(table))
    cells = [cell for row in rows for cell in row.cells]
    if any(tag_of(cell) == "th" for cell in cells):
        return False
    if all(len(row.cells) <= 1 for row in rows):
        return True
    nested = ("table", "h1", "h2", "h3", "h4")
    return any(next(cell.iter(*nested), None) is not None for cell in cells)


def read_table(table: _Element) -> Shaped:
    """Return a data table with spanning cells repeated where they span.

    The header is `thead`, or rows of `th` on top, joined by column where there are
    several; else the first of several rows that has more than one cell, unless each
    row starts with a `th` of its own.
    """
    rows = list(_rows(table))
    grid = _grid(rows)
    if count := _header_count(rows):
        return Shaped([], _joined_header(grid[:count]), grid[count:])
    filled = [row for row in rows if row.cells]
    if filled and all(tag_of(row.cells[0]) == "th" for row in filled):
        return Shaped([], None, grid)
    return shape(grid, first_is_header=True)


def _rows(table: _Element) -> Iterator[_Row]:
    for child in table:
        tag = tag_of(child)
        if tag == "tr":
            yield _row(child, in_head=False)
        elif tag in _GROUPS:
            for row in child.iterchildren("tr"):
                yield _row(row, in_head=tag == "thead")


def _row(element: _Element, *, in_head: bool) -> _Row:
    cells = tuple(cell for cell in element if tag_of(cell) in _CELLS)
    return _Row(cells, in_head)


def _header_count(rows: list[_Row]) -> int:
    for attribute in ("in_head", "is_header"):
        count = 0
        while count < len(rows) and (
            getattr(rows[count], attribute) or not rows[count].cells
        ):
            count += 1
        if any(row.cells for row in rows[:count]):
            return count
    return 0


def _grid(rows: list[_Row]) -> list[list[Rich]]:
    """Lay cells out by column; a span down or across repeats the cell's text."""
    grid: list[list[Rich]] = []
    below: dict[int, tuple[int, Rich]] = {}
    for row in rows:
        line: list[Rich] = []
        for cell in row.cells:
            _fill_from_above(line, below)
            text = flatten(cell, joined=True)
            across, down = _span(cell, "colspan"), _span(cell, "rowspan")
            alone = len(row.cells) == 1 and not row.in_head
            for index in range(min(across, _MAX_COLUMNS - len(line))):
                value = text if index == 0 or not alone else Rich("")
                if down > 1:
                    below[len(line)] = (down - 1, value)
                line.append(value)
        _fill_from_above(line, below)
        grid.append(line)
    return grid


def _fill_from_above(line: list[Rich], below: dict[int, tuple[int, Rich]]) -> None:
    while (spanning := below.pop(len(line), None)) is not None:
        left, text = spanning
        if left > 1:
            below[len(line)] = (left - 1, text)
        line.append(text)


def _span(cell: _Element, name: str) -> int:
    value = (cell.get(name) or "1").strip()
    return (
        max(1, int(value))
        if value.isascii() and value[:5].isdigit() and len(value) < 6
        else 1
    )


def _joined_header(lines: list[list[Rich]]) -> list[Rich]:
    if len(lines) == 1:
        return lines[0]
    joined: list[Rich] = []
    for column in range(max((len(line) for line in lines), default=0)):
        texts = [line[column].text for line in lines if column < len(line)]
        joined.append(Rich(" / ".join(dict.fromkeys(filter(None, texts)))))
    return joined
