"""Rows of cells without markup: what of them is a caption, a header, a row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.rich import EMPTY, Rich
from connectors.errors import ConversionError

#: Numbers, amounts, shares and dates: a header names columns, it doesn't hold these.
_VALUE = re.compile(r"^[\s$€£¥(+-]*\d[\d\s.,:/'()%$€£¥+-]*(?:[A-Za-z]{1,3})?$")


#: A wider table is cut; one with more cells, spans counted, is no table to read.
MAX_COLUMNS = 200
MAX_CELLS = 2_000_000


@dataclass(frozen=True, slots=True)
class Shaped:
    """A table: lines that stand over it, its header if it has one, its rows."""

    captions: list[Rich]
    header: list[Rich] | None
    rows: list[list[Rich]]


class Grid:
    """Lays cells out by column: a cell that spans down or across is repeated there.

    Rows are begun, filled and ended in order. `widest` is how many cells the widest row
    has: a span beyond any table's width means that many. Raises
    ConversionError("too_large") above MAX_CELLS.
    """

    def __init__(self, widest: int) -> None:
        """Start empty."""
        self.rows: list[list[Rich]] = []
        self._widest = max(1, widest)
        self._line: list[Rich] = []
        #: By column: for how many rows more a cell above reaches down, and its text.
        self._below: dict[int, tuple[int, Rich]] = {}
        self._cells = 0

    def add(
        self, text: Rich, *, across: int = 1, down: int = 1, once: bool = False
    ) -> None:
        """Put a cell into the row; `once` leaves the places that it spans empty."""
        line = self._line
        self._fill_from_above()
        if across > MAX_COLUMNS:
            across = self._widest
        for index in range(min(across, MAX_COLUMNS - len(line))):
            value = EMPTY if index and once else text
            if down > 1:
                self._below[len(line)] = (down - 1, value)
            line.append(value)

    def end_row(self) -> None:
        """End the row that was filled."""
        self._fill_from_above()
        self.rows.append(self._line)
        self._cells += len(self._line)
        self._line = []
        if self._cells > MAX_CELLS:
            raise ConversionError(
                "too_large",
                f"A table has more than {MAX_CELLS:,} cells, those that others span "
                "counted. Split it into smaller ones.",
            )

    def _fill_from_above(self) -> None:
        line, below = self._line, self._below
        while (spanning := below.pop(len(line), None)) is not None:
            left, text = spanning
            if left > 1:
                below[len(line)] = (left - 1, text)
            line.append(text)


def joined_header(lines: Sequence[Sequence[Rich]]) -> list[Rich]:
    """Return one header line of several, the texts of a column joined."""
    if len(lines) == 1:
        return list(lines[0])
    joined: list[Rich] = []
    for column in range(max((len(line) for line in lines), default=0)):
        texts = [line[column].text for line in lines if column < len(line)]
        joined.append(Rich(" / ".join(dict.fromkeys(filter(None, texts)))))
    return joined


def shape(rows: Sequence[Sequence[Rich]], *, first_is_header: bool = False) -> Shaped:
    """Return a table without its blank rows and columns.

    Rows of one cell above wider ones are captions. The first other row is the header
    where rows follow and it holds no number; with `first_is_header` whatever it holds.
    """
    filled = _without_blank_columns([list(row) for row in rows if any(row)])
    width = max((_count(row) for row in filled), default=0)
    captions: list[Rich] = []
    while len(filled) > 1 and width > 1 and _count(filled[0]) == 1:
        captions.append(next(cell for cell in filled.pop(0) if cell))
    if len(filled) > 1 and (first_is_header or _names_columns(filled[0], width)):
        return Shaped(captions, filled[0], filled[1:])
    return Shaped(captions, None, filled)


def write_table(builder: ContentBuilder, shaped: Shaped) -> None:
    """Add captions as paragraphs and the table; one column is a list of paragraphs."""
    for caption in shaped.captions:
        builder.paragraph(caption)
    lines = [*([shaped.header] if shaped.header else []), *shaped.rows]
    if all(len(row) <= 1 for row in lines):
        for row in lines:
            builder.paragraph(row[0] if row else "")
    else:
        builder.table(shaped.header, shaped.rows)


def _count(row: Sequence[Rich]) -> int:
    return sum(1 for cell in row if cell)


def _names_columns(row: Sequence[Rich], width: int) -> bool:
    if any(_VALUE.match(cell.text) for cell in row if cell):
        return False
    return _count(row) * 2 > width


def _without_blank_columns(rows: list[list[Rich]]) -> list[list[Rich]]:
    width = max((len(row) for row in rows), default=0)
    used = [False] * width
    for row in rows:
        for index, cell in enumerate(row):
            used[index] = used[index] or bool(cell)
    if all(used):
        return rows
    return [
        [cell for cell, keep in zip(row, used, strict=False) if keep] for row in rows
    ]
