"""HTML tables to a header and rows of cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from lxml.etree import _Element

from connectors.conversion.html_inline import flatten
from connectors.conversion.html_tags import tag_of
from connectors.conversion.rich import Rich
from connectors.conversion.tables import Grid, Shaped, joined_header, shape

#: As far down as a browser lets a cell reach.
_FURTHEST = 65_534
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
        return Shaped([], joined_header(grid[:count]), grid[count:])
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
    grid = Grid(max((len(row.cells) for row in rows), default=0))
    for row in rows:
        # A line across the whole table is said once.
        once = len(row.cells) == 1 and not row.in_head
        for cell in row.cells:
            across, down = _span(cell, "colspan"), _span(cell, "rowspan")
            text = flatten(cell, joined=True)
            grid.add(text, across=across, down=down, once=once)
        grid.end_row()
    return grid.rows


def _span(cell: _Element, name: str) -> int:
    value = cell.get(name)
    if value is None:
        return 1
    value = value.strip()
    if not (value.isascii() and value.isdigit()):
        return 1
    return max(1, int(value)) if len(value) < 6 else _FURTHEST
