"""CSV and TSV to one table."""

from __future__ import annotations

import csv
from collections import Counter
from io import StringIO
from itertools import islice

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.converted import Warnings
from connectors.conversion.guards import parsing
from connectors.conversion.rich import Rich, rich
from connectors.conversion.tables import shape, write_table

MAX_ROWS = 100_000
_SAMPLE_LINES = 50
#: The ones that prose holds least come first; they win a tie.
_DELIMITERS = "\t;|,"
#: Python's own limit of 131,072 would refuse a long description; the file's size is
#: limited already.
csv.field_size_limit(10_000_000)


def write_delimited(
    builder: ContentBuilder, text: str, warnings: Warnings, *, delimiter: str = ""
) -> None:
    """Add a table from delimited text; its delimiter is found unless given.

    Ragged rows are kept as they are. Rows above MAX_ROWS are left out with a warning.
    """
    delimiter = delimiter or find_delimiter(text)
    rows: list[list[Rich]] = []
    ragged = 0
    with parsing("CSV"):
        reader = csv.reader(StringIO(text), delimiter=delimiter)
        for cells in islice(reader, MAX_ROWS + 1):
            row = [rich(cell) for cell in cells]
            if any(row):
                ragged += bool(rows) and len(row) != len(rows[0])
                rows.append(row)
        left = sum(1 for _ in reader)
    if len(rows) > MAX_ROWS:
        warnings.add(
            "row_limit",
            f"{left + 1:,} rows after the first {MAX_ROWS:,} were not read; split the "
            "file.",
        )
        rows = rows[:MAX_ROWS]
    if ragged:
        warnings.add(
            "ragged_rows",
            f"{ragged:,} of {len(rows):,} rows have more or fewer cells than the first.",
        )
    write_table(builder, shape(rows))


def find_delimiter(text: str) -> str:
    """Return the delimiter that cuts most of the first lines into equally many cells."""
    sample = "\n".join(text.splitlines()[:_SAMPLE_LINES])
    best, best_score = ",", 0.0
    for delimiter in _DELIMITERS:
        try:
            rows = [
                row for row in csv.reader(StringIO(sample), delimiter=delimiter) if row
            ]
        except csv.Error:
            continue
        widths = Counter(len(row) for row in rows)
        if not widths:
            continue
        width, count = max(widths.items(), key=lambda item: (item[0] > 1, item[1]))
        score = count / len(rows) * min(width, 4) if width > 1 else 0.0
        if score > best_score:
            best, best_score = delimiter, score
    return best
