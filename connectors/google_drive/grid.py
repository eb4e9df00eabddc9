"""Tables of Docs and Slides, whose cells may span, as rows of equal cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from connectors.conversion.rich import Rich

#: No table is wider, whatever a cell says that it spans.
MAX_SPAN = 1_000


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's text and how far it reaches."""

    text: Rich
    rows: int = 1
    columns: int = 1


def spread(rows: Sequence[Sequence[Cell]], width: int) -> list[list[Rich]]:
    """Return a table's rows; a cell that spans stands in each place that it covers.

    A row with `width` cells has one for each column, covered ones too; one with fewer
    leaves the covered ones out.
    """
    covered: dict[tuple[int, int], Rich] = {}
    found: list[list[Rich]] = []
    for number, cells in enumerate(rows):
        is_full = len(cells) >= width
        line: list[Rich] = []
        for cell in cells:
            if not is_full:
                _skip_covered(line, number, covered)
            column = len(line)
            if (number, column) in covered:
                line.append(covered[number, column])
                continue
            line.append(cell.text)
            _cover(cell, number, column, covered)
        _skip_covered(line, number, covered)
        found.append(line)
    return found


def _skip_covered(
    line: list[Rich], number: int, covered: dict[tuple[int, int], Rich]
) -> None:
    while (number, len(line)) in covered:
        line.append(covered[number, len(line)])


def _cover(
    cell: Cell, number: int, column: int, covered: dict[tuple[int, int], Rich]
) -> None:
    for row in range(min(max(1, cell.rows), MAX_SPAN)):
        for place in range(min(max(1, cell.columns), MAX_SPAN)):
            if row or place:
                covered[number + row, column + place] = cell.text
