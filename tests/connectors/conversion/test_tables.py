"""Cells that span, whatever they claim: HTML's and the document format's alike."""

import tracemalloc

import pytest

from connectors.conversion.adf import adf_content
from connectors.conversion.converted import Warnings
from connectors.conversion.html import html_content
from connectors.conversion.rich import Rich
from connectors.conversion.tables import MAX_CELLS, MAX_COLUMNS, Grid
from connectors.errors import ConversionError


def grid_of(*rows, widest=0):
    """Lay out rows of (text, across, down)."""
    grid = Grid(widest or max(map(len, rows)))
    for row in rows:
        for text, across, down in row:
            grid.add(Rich(text), across=across, down=down)
        grid.end_row()
    return [[cell.text for cell in row] for row in grid.rows]


def test_a_cell_is_repeated_where_it_spans():
    rows = grid_of([("a", 2, 2), ("b", 1, 1)], [("c", 1, 1)], [("d", 1, 1)])
    assert rows == [["a", "a", "b"], ["a", "a", "c"], ["d"]]


def test_a_span_wider_than_any_table_is_as_wide_as_this_one():
    one = [("x", 1, 1), ("y", 1, 1), ("z", 1, 1)]
    assert grid_of(one, [("all", 10**6, 1)]) == [["x", "y", "z"], ["all"] * 3]
    html = (
        '<table><tr><th>A</th><th>B</th></tr><tr><td colspan="1000000">all</td></tr>'
        '<tr><td rowspan="1000000">x</td><td>y</td></tr><tr><td>z</td></tr></table>'
    )
    assert html_content(html, Warnings()).text == (
        "| A | B |\n| all |  |\n| x | y |\n| x | z |"
    )


def test_the_document_format_takes_no_wider_span_either():
    def cell(kind, words, **spans):
        text = {"type": "paragraph", "content": [{"type": "text", "text": words}]}
        return {"type": kind, "attrs": spans, "content": [text]}

    rows = [
        [cell("tableHeader", "A"), cell("tableHeader", "B")],
        [cell("tableCell", "all", colspan=10**6, rowspan=10**6)],
        [cell("tableCell", "more", colspan=10**9)],
    ]
    table = [{"type": "tableRow", "content": row} for row in rows]
    document = {"type": "doc", "content": [{"type": "table", "content": table}]}
    lines = adf_content(document).text.splitlines()
    assert lines[:2] == ["| A | B |", "| all | all |"]
    assert max(line.count("|") for line in lines) <= 5


def test_a_table_that_spans_fill_is_refused_before_it_fills_the_memory():
    half = f'<td colspan="{MAX_COLUMNS // 2}" rowspan="65534">x</td>'
    html = f"<table><tr>{half * 2}</tr>{'<tr></tr>' * 12_000}</table>"
    tracemalloc.start()
    try:
        with pytest.raises(ConversionError) as refused:
            html_content(html, Warnings())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert refused.value.reason == "too_large"
    assert f"{MAX_CELLS:,} cells" in str(refused.value)
    assert most < 200_000_000
