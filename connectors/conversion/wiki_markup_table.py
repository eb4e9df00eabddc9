"""Table rows of Jira's wiki markup: ||header||cells|| and |data|cells|."""

from __future__ import annotations

import re
from collections.abc import Sequence

from connectors.conversion.rich import Rich
from connectors.conversion.tables import Shaped, joined_header, shape
from connectors.conversion.wiki_markup_inline import Count, inline

#: A bar in one of these is no border.
_PIECE = re.compile(
    r"\\.|\{\{[^\n]{0,1000}?\}\}|\[[^\[\]\n]*\]|![^\s!|][^!\n]*!"
    r"|\{[a-z]{1,40}:[^}\n]{0,1000}\}"
    r"|(?P<border>\|\|?)|.",
    re.DOTALL,
)
_BULLET = re.compile(r"^\s*(?:[*#]+|-)\s+", re.MULTILINE)

Cell = tuple[bool, str]


def cells_of(row: str) -> list[Cell]:
    """Return a row's cells: whether it's a header, and its markup."""
    cells: list[Cell] = []
    pieces: list[str] = []
    is_header, started = False, False
    for piece in _PIECE.finditer(row.strip()):
        border = piece["border"]
        if border is None:
            pieces.append(piece[0])
            continue
        if started:
            cells.append((is_header, "".join(pieces).strip()))
        pieces, is_header, started = [], border == "||", True
    if "".join(pieces).strip():
        cells.append((is_header, "".join(pieces).strip()))
    return cells


def read_table(rows: Sequence[Sequence[Cell]], count: Count) -> Shaped:
    """Return a table; rows of header cells on top are its header."""
    grid = [[_cell(text, count) for _, text in row] for row in rows]
    top = 0
    while top < len(rows) and rows[top] and all(header for header, _ in rows[top]):
        top += 1
    if 0 < top < len(rows):
        return Shaped([], joined_header(grid[:top]), grid[top:])
    if rows and all(row and row[0][0] for row in rows):
        return Shaped([], None, grid)
    return shape(grid)


def _cell(text: str, count: Count) -> Rich:
    return inline(_BULLET.sub("", text), count, joined=True)
