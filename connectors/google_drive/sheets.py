"""A Google Sheets spreadsheet to Content: a section a visible sheet, its tables.

Cells are as people see them, in the spreadsheet's own formats, and are read in blocks.
https://developers.google.com/workspace/sheets/api/reference/rest/v4/spreadsheets.values
(read 2026-12-01)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.cell_values import shown
from connectors.conversion.converted import Warnings
from connectors.conversion.rich import Rich, rich
from connectors.conversion.sheets import MAX_COLUMNS, MAX_ROWS
from connectors.conversion.tables import shape, write_table
from connectors.google_drive.client import Account, items_of
from connectors.google_drive.json_parts import Json, number, part, parts, text
from memory.documents import Content, Link

#: Cells of one request, whether or not there's anything in them.
BLOCK_CELLS = 200_000

SHEETS = "sheets(properties(sheetId,title,sheetType,hidden,gridProperties(rowCount,columnCount)))"


@dataclass(frozen=True, slots=True)
class Grid:
    """A sheet with cells."""

    id: int
    title: str
    rows: int
    columns: int

    def blocks(self) -> Iterator[str]:
        """Yield the ranges that make up the sheet, top to bottom, in A1 notation."""
        width = min(self.columns, MAX_COLUMNS)
        height = max(1, BLOCK_CELLS // max(1, width))
        quoted = self.title.replace("'", "''")
        for first in range(1, self.rows + 1, height):
            last = min(first + height - 1, self.rows)
            yield f"'{quoted}'!A{first}:{_letters(width)}{last}"


def sheets_content(account: Account, id_: str, url: str, warnings: Warnings) -> Content:
    """Return the text of all visible sheets; `url` is the spreadsheet's address."""
    builder = ContentBuilder()
    asked = account.api("sheets.spreadsheets")
    about = account.ask(asked.get(spreadsheetId=id_, fields=SHEETS))
    for sheet in items_of(about, "sheets"):
        grid = _grid(part(sheet, "properties"), builder, warnings)
        if grid is not None:
            _write(builder, grid, url, _rows(account, id_, grid, warnings))
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


def _rows(
    account: Account, id_: str, grid: Grid, warnings: Warnings
) -> Iterator[list[Rich]]:
    """Yield a sheet's rows; blank ones between blocks stay out, as they're at an end."""
    values = account.api("sheets.spreadsheets.values")
    count = 0
    for block in grid.blocks():
        found = account.ask(
            values.batchGet(
                spreadsheetId=id_,
                ranges=[block],
                majorDimension="ROWS",
                valueRenderOption="FORMATTED_VALUE",
                fields="valueRanges(values)",
            )
        )
        for row in _values(found):
            cells = [_cell(value) for value in row[:MAX_COLUMNS]]
            count += any(cells)
            if count > MAX_ROWS:
                warnings.add(
                    "row_limit",
                    f'Sheet "{grid.title}" was not read to its end: {MAX_ROWS:,} rows '
                    "with text are the limit.",
                )
                return
            yield cells
        # What is blank at the end of a block isn't told.
        yield []


def _values(found: Json) -> Iterator[Sequence[object]]:
    for values in parts(found, "valueRanges"):
        rows = values.get("values")
        for row in rows if isinstance(rows, list) else ():
            yield row if isinstance(row, list) else ()


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
