"""Tables of the Atlassian Document Format to a header and rows."""

from __future__ import annotations

from collections.abc import Sequence

from connectors.conversion.adf_inline import INLINE, Count, InlineWriter, element_name
from connectors.conversion.adf_node import (
    Node,
    attribute,
    children,
    number,
    plain_text,
    text_of,
    type_of,
)
from connectors.conversion.rich import Rich, RichBuffer
from connectors.conversion.tables import Grid, Shaped, joined_header, shape

MAX_DEPTH = 60
_NAMED = frozenset(("expand", "nestedExpand"))
_CARDS = frozenset(("blockCard", "embedCard"))
_EXTENSIONS = frozenset(("extension", "bodiedExtension", "syncBlock"))


def read_table(table: Node, count: Count) -> Shaped:
    """Return a table with spanning cells repeated where they span.

    Rows of header cells on top are the header, joined by column where there are
    several. Without one the first row is it only where it looks so, and never in a
    table whose rows begin with a header cell each.
    """
    rows = [row for row in children(table) if type_of(row) == "tableRow"]
    cells = [list(children(row)) for row in rows]
    grid = _grid(cells, count)
    top = _header_rows(cells)
    if top:
        return Shaped([], joined_header(grid[:top]), grid[top:])
    if cells and all(row and type_of(row[0]) == "tableHeader" for row in cells):
        return Shaped([], None, grid)
    return shape(grid)


def flatten(node: Node, count: Count) -> Rich:
    """Return a cell's text on one line, its blocks set apart."""
    buffer = RichBuffer(joined=True)
    _write(node, buffer, count, depth=0)
    return buffer.take()


def _write(node: Node, buffer: RichBuffer, count: Count, *, depth: int) -> None:
    """Write a block's text; what nests too deep is written without its structure."""
    if depth > MAX_DEPTH:
        buffer.add(plain_text(node))
        return
    name = type_of(node)
    buffer.break_line()
    if name in _NAMED:
        buffer.add(attribute(node, "title"))
        buffer.break_line()
    elif name in _EXTENSIONS:
        count(element_name(node))
        buffer.add(attribute(node, "text"))
    elif name in ("taskItem", "blockTaskItem"):
        buffer.add(checkbox(node))
    writer = InlineWriter(buffer, count)
    if name in _CARDS:
        writer.node(node)
    for child in children(node):
        if name == "codeBlock":
            buffer.add(text_of(child))
        elif type_of(child) in INLINE:
            writer.node(child)
        else:
            writer.end()
            _write(child, buffer, count, depth=depth + 1)
    writer.end()
    buffer.break_line()


def checkbox(node: Node) -> str:
    """Return a task's box as Markdown has it."""
    return "[x] " if attribute(node, "state") == "DONE" else "[ ] "


def _header_rows(rows: Sequence[Sequence[Node]]) -> int:
    count = 0
    for row in rows:
        if not row or any(type_of(cell) != "tableHeader" for cell in row):
            break
        count += 1
    # A table of nothing but header cells is data that somebody made bold.
    return count if count < len(rows) else 0


def _grid(rows: Sequence[Sequence[Node]], count: Count) -> list[list[Rich]]:
    grid = Grid(max((len(row) for row in rows), default=0))
    for row in rows:
        for cell in row:
            across, down = number(cell, "colspan", 1), number(cell, "rowspan", 1)
            grid.add(flatten(cell, count), across=max(1, across), down=down)
        grid.end_row()
    return grid.rows
