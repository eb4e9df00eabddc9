"""XLSX to Content: a section per visible sheet, its tables with their headers."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from io import BytesIO
from typing import Any

import openpyxl

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.cell_values import shown
from connectors.conversion.converted import Converted, Warnings, aware
from connectors.conversion.guards import check_office_zip, parsing
from connectors.conversion.office_properties import office_author, office_title
from connectors.conversion.rich import Rich, rich
from connectors.conversion.tables import shape, write_table

MAX_ROWS = 100_000
MAX_COLUMNS = 200
#: A sheet whose formats reach row 1,048,576 ends after this many empty rows.
MAX_EMPTY_ROWS = 1_000
_NO_RESULT = re.compile(rb"(?:</f>|<f[^>]*/>)\s*(?:<v\s*/>|<v></v>)?\s*</c>")


def convert_xlsx(data: bytes, warnings: Warnings) -> Converted:
    """Return every visible sheet's values as Excel shows them.

    Formulas count with the result that was saved. Raises ConversionError as
    `check_office_zip` does.
    """
    check_office_zip(data, "XLSX")
    builder = ContentBuilder()
    with parsing("XLSX"):
        book = openpyxl.load_workbook(BytesIO(data), read_only=True, data_only=True)
        try:
            for sheet in book.worksheets:
                _write_sheet(builder, sheet, warnings)
            about = book.properties
        finally:
            book.close()
        _warn_of_formulas(data, warnings)
    return Converted(
        content=builder.build(),
        title=office_title(about.title),
        author=office_author(about.creator or about.lastModifiedBy),
        updated_at=aware(about.modified),
        kind="xlsx",
    )


def _write_sheet(builder: ContentBuilder, sheet: Any, warnings: Warnings) -> None:
    if sheet.sheet_state != "visible":
        warnings.add("hidden_sheet", f'The hidden sheet "{sheet.title}" was not read.')
        return
    if (sheet.max_column or 0) > MAX_COLUMNS:
        warnings.add(
            "column_limit",
            f'Columns after the first {MAX_COLUMNS} of sheet "{sheet.title}", which says '
            f"it has {sheet.max_column:,}, were not read.",
        )
    # The sheet's own idea of its size is often wrong.
    sheet.reset_dimensions()
    is_first = True
    for table in _tables(sheet, warnings):
        if is_first:
            builder.heading(sheet.title, 1, anchor=f"sheet={sheet.title}")
            is_first = False
        write_table(builder, shape(table))


def _tables(sheet: Any, warnings: Warnings) -> Iterator[list[list[Rich]]]:
    """Yield runs of rows with text; a blank row ends one."""
    table: list[list[Rich]] = []
    empty = rows = 0
    for number, cells in enumerate(sheet.iter_rows(max_col=MAX_COLUMNS), start=1):
        row = [_cell(cell) for cell in cells]
        if any(row):
            table.append(row)
            empty, rows = 0, rows + 1
        else:
            empty += 1
            if table:
                yield table
                table = []
        if empty >= MAX_EMPTY_ROWS or rows >= MAX_ROWS:
            _warn_of_rows(sheet.title, number, empty, warnings)
            break
    if table:
        yield table


def _cell(cell: Any) -> Rich:
    if cell.value is None:
        return Rich("")
    return rich(shown(cell.value, cell.number_format))


def _warn_of_rows(title: str, number: int, empty: int, warnings: Warnings) -> None:
    if empty:
        warnings.add(
            "empty_rows",
            f'Sheet "{title}" was read to row {number:,}: {empty:,} empty rows in a row '
            "end it. Move what stands further down.",
        )
    else:
        warnings.add(
            "row_limit",
            f'Sheet "{title}" was read to row {number:,}: {MAX_ROWS:,} rows with text '
            "are the limit.",
        )


def _warn_of_formulas(data: bytes, warnings: Warnings) -> None:
    with zipfile.ZipFile(BytesIO(data)) as archive:
        count = sum(
            len(_NO_RESULT.findall(archive.read(name)))
            for name in archive.namelist()
            if name.startswith("xl/worksheets/") and name.endswith(".xml")
        )
    if count:
        warnings.add(
            "formulas_without_result",
            f"{count:,} formulas have no saved result and show nothing; open the file in "
            "Excel or LibreOffice and save it.",
        )
