"""A Google Sheets spreadsheet to Content: a section a visible sheet, its tables.

Cells are as people see them, in the spreadsheet's own formats, and are read in blocks.
https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values
(read 2026-12-01)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.cell_values import shown
from connectors.conversion.converted import Warnings
from connectors.conversion.rich import Rich, rich
from connectors.conversion.sheets import MAX_COLUMNS, MAX_ROWS
from connectors.conversion.tables import shape, write_table
from connectors.google_drive.client import Account, items_of, wrong_shape
from connectors.google_drive.json_parts import Json, number, part, parts, text
from memory.documents import Content, Link

#: Cells of one request, whether or not there's anything in them.
BLOCK_CELLS = 200_000
#: Ranges of one request, which stand in its address.
MOST_RANGES = 20

SHEETS = "sheets(properties(sheetId,title,sheetType,hidden,gridProperties(rowCount,columnCount)))"


@dataclass(frozen=True, slots=True)
class Grid:
    """A sheet with cells."""

    id: int
    title: str
    rows: int
    columns: int

    def blocks(self) -> Iterator[Block]:
        """Yield the parts of the sheet that are asked for, top to bottom."""
        width = max(1, min(self.columns, MAX_COLUMNS))
        height = max(1, BLOCK_CELLS // width)
        quoted = self.title.replace("'", "''")
        for first in range(1, self.rows + 1, height):
            last = min(first + height - 1, self.rows)
            range_ = f"'{quoted}'!A{first}:{_letters(width)}{last}"
            yield Block(self, range_, last - first + 1, width)


@dataclass(frozen=True, slots=True)
class Block:
    """A part of a sheet, in A1 notation."""

    grid: Grid
    range: str
    rows: int
    columns: int


def sheets_content(account: Account, id_: str, url: str, warnings: Warnings) -> Content:
    """Return the text of all visible sheets; `url` is the spreadsheet's address."""
    builder = ContentBuilder()
    asked = account.api("sheets.spreadsheets")
    about = account.ask(asked.get(spreadsheetId=id_, fields=SHEETS))
    found = (
        _grid(part(sheet, "properties"), builder, warnings)
        for sheet in items_of(about, "sheets")
    )
    blocks = [block for grid in found if grid is not None for block in grid.blocks()]
    read = _read(account, id_, blocks)
    for grid, parts_ in groupby(read, key=lambda item: item[0].grid):
        rows = (row for block, values in parts_ for row in _rows(block, values))
        _write(builder, grid, url, _limited(rows, grid, warnings))
    return builder.build()


def _grid(about: Json, builder: ContentBuilder, warnings: Warnings) -> Grid | None:
    """Return a sheet that has cells to read, and note why another one has none."""
    title = text(about, "title")
    if about.get("hidden") is True:
        warnings.add("hidden_sheet", f'The hidden sheet "{title}" was not read.')
        return None
    if text(about, "sheetType") not in ("", "GRID"):
        builder.count_unhandled(f"{text(about, 'sheetType').lower()} sheet")
        return None
    size = part(about, "gridProperties")
    columns = number(size, "columnCount")
    if columns > MAX_COLUMNS:
        warnings.add(
            "column_limit",
            f'Columns after the first {MAX_COLUMNS} of sheet "{title}", which has '
            f"{columns:,}, were not read.",
        )
    return Grid(number(about, "sheetId"), title, number(size, "rowCount"), columns)


def _read(
    account: Account, id_: str, blocks: Sequence[Block]
) -> Iterator[tuple[Block, Json]]:
    """Yield what blocks hold, as many of them in a request as its size allows.

    Google allows few requests a minute here, and small sheets are common.
    """
    for some in _together(blocks):
        found = account.ask(
            account.api("sheets.spreadsheets.values").batchGet(
                spreadsheetId=id_,
                ranges=[block.range for block in some],
                majorDimension="ROWS",
                valueRenderOption="FORMATTED_VALUE",
                fields="valueRanges(values)",
            )
        )
        values = parts(found, "valueRanges")
        if len(values) != len(some):
            raise wrong_shape()
        yield from zip(some, values, strict=True)


def _together(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    some: list[Block] = []
    cells = 0
    for block in blocks:
        size = block.rows * block.columns
        if some and (cells + size > BLOCK_CELLS or len(some) == MOST_RANGES):
            yield some
            some, cells = [], 0
        some.append(block)
        cells += size
    if some:
        yield some


def _rows(block: Block, found: Json) -> Iterator[list[Rich]]:
    """Yield a block's rows; a blank one for those at its end, which aren't told."""
    values = found.get("values")
    rows = values if isinstance(values, list) else []
    for row in rows:
        cells = row if isinstance(row, list) else []
        yield [_cell(value) for value in cells[:MAX_COLUMNS]]
    if len(rows) < block.rows:
        yield []


def _limited(
    rows: Iterator[list[Rich]], grid: Grid, warnings: Warnings
) -> Iterator[list[Rich]]:
    """Yield rows up to the limit of those with text."""
    count = 0
    for row in rows:
        count += any(row)
        if count > MAX_ROWS:
            warnings.add(
                "row_limit",
                f'Sheet "{grid.title}" was not read to its end: {MAX_ROWS:,} rows with '
                "text are the limit.",
            )
            return
        yield row


def _cell(value: object) -> Rich:
    return rich(shown(value)) if value is not None else Rich("")


def _write(
    builder: ContentBuilder, grid: Grid, url: str, rows: Iterator[list[Rich]]
) -> None:
    is_first = True
    for table in _tables(rows):
        if is_first:
            anchor = f"gid={grid.id}"
            link = Link(0, len(grid.title), f"{url}#{anchor}")
            builder.heading(Rich(grid.title, (link,)), 1, anchor=anchor)
            is_first = False
        write_table(builder, shape(table))


def _tables(rows: Iterator[list[Rich]]) -> Iterator[list[list[Rich]]]:
    """Yield runs of rows with text; a blank row ends one."""
    table: list[list[Rich]] = []
    for row in rows:
        if any(row):
            table.append(row)
        elif table:
            yield table
            table = []
    if table:
        yield table


def _letters(column: int) -> str:
    """Return a column's name: 1 is A, 27 is AA."""
    name = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        name = chr(ord("A") + rest) + name
    return name or "A"
