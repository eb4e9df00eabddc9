"""Tables of Docs and Slides, whose cells may span, as rows of equal cells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from connectors.conversion.rich import Rich
from connectors.errors import ConversionError

#: A table with more places, those that cells span counted, is no table to read.
MAX_PLACES = 2_000_000


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's text and how far it reaches."""

    text: Rich
    rows: int = 1
    columns: int = 1


def spread(rows: Sequence[Sequence[Cell]], width: int) -> list[list[Rich]]:
    """Return a table's rows; a cell that spans stands in each place that it covers.

    A row with `width` cells has one for each column, covered ones too; one with fewer
    leaves the covered ones out. Raises ConversionError above MAX_PLACES.
    """
    if len(rows) * width > MAX_PLACES:
        raise ConversionError(
            "too_large",
            f"A table has more than {MAX_PLACES:,} cells; split it into smaller ones.",
        )
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
            ends = (
                min(number + cell.rows, len(rows)),
                min(column + cell.columns, width),
            )
            _cover(cell.text, (number, column), ends, covered)
        _skip_covered(line, number, covered)
        found.append(line)
    return found


def _skip_covered(
    line: list[Rich], number: int, covered: dict[tuple[int, int], Rich]
) -> None:
    while (number, len(line)) in covered:
        line.append(covered[number, len(line)])


def _cover(
    text: Rich,
    start: tuple[int, int],
    ends: tuple[int, int],
    covered: dict[tuple[int, int], Rich],
) -> None:
    """Note that a cell's text stands in all places from its own to before the ends."""
    for row in range(start[0], ends[0]):
        for column in range(start[1], ends[1]):
            if (row, column) != start:
                covered[row, column] = text
