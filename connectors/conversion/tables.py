"""Rows of cells without markup: what of them is a caption, a header, a row."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.rich import Rich

#: Numbers, amounts, shares and dates: a header names columns, it doesn't hold these.
_VALUE = re.compile(r"^[\s$€£¥(+-]*\d[\d\s.,:/'()%$€£¥+-]*(?:[A-Za-z]{1,3})?$")


@dataclass(frozen=True, slots=True)
class Shaped:
    """A table: lines that stand over it, its header if it has one, its rows."""

    captions: list[Rich]
    header: list[Rich] | None
    rows: list[list[Rich]]


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
