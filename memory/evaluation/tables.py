"""Plain tables for a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A heading; numbers stand right, names left."""

    title: str
    left: bool = False


def render_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> str:
    """Return a table with a rule under its heading, two blanks between columns.

    Raises ValueError unless every row has a cell for each column.
    """
    titles = [column.title for column in columns]
    widths = [
        max(len(cell) for cell in cells) for cells in zip(titles, *rows, strict=True)
    ]
    rule = ["-" * width for width in widths]
    return "\n".join(_line(columns, widths, cells) for cells in (titles, rule, *rows))


def _line(
    columns: Sequence[Column], widths: Sequence[int], cells: Sequence[str]
) -> str:
    padded = (
        cell.ljust(width) if column.left else cell.rjust(width)
        for column, width, cell in zip(columns, widths, cells, strict=True)
    )
    return "  ".join(padded).rstrip()
