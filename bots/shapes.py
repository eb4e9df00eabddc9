"""Text that is Markdown in shape, as blocks that every platform can draw.

Answers and evidence are plain text with the shape that `memory.documents.Content`
describes. Here they become paragraphs, lists, tables and code, whose runs of text
carry the numbers of the links that support them. Text is data: nothing in it is ever
a tag, a link or a command.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class Shape(StrEnum):
    """What a block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    TABLE = "table"
    CODE = "code"
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Run:
    """A piece of text and what is true of all of it.

    `numbers` are the links that support it (shown after it), `quoted` marks text that
    stands in a document word for word, `href` makes it a link, `mark` names a passage
    that is to be highlighted and `anchor` the place to jump to.
    """

    text: str
    numbers: tuple[int, ...] = ()
    quoted: bool = False
    href: str = ""
    mark: bool = False
    anchor: str = ""


Runs = tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A table row: its cells, and the links that support the whole row."""

    cells: tuple[Runs, ...]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Shaped:
    """A block. `level` is a heading's, `depth` and `ordinal` are a list item's.

    `ordinal` is None for a bullet. A table has `header` (maybe empty) and `rows`.
    """

    shape: Shape
    runs: Runs = ()
    level: int = 0
    depth: int = 0
    ordinal: int | None = None
    header: tuple[Runs, ...] = ()
    rows: tuple[Row, ...] = ()
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Span:
    """What is true of `text[start:end]`, handed to `shaped`."""

    start: int
    end: int
    numbers: tuple[int, ...] = ()
    quoted: bool = False


@dataclass(slots=True)
class _Line:
    """A line of the text with its marker taken off: `text[start:end]` is its content."""

    shape: Shape
    start: int
    end: int
    level: int = 0
    depth: int = 0
    ordinal: int | None = None
    fence: str = ""


_HEADING = re.compile(r"(#{1,6})[ \t]+")
_ITEM = re.compile(r"([ \t]*)(?:[-*+•]|(\d{1,9})[.)])[ \t]+")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_RULE = re.compile(r"\|?[ \t]*:?-{2,}:?[ \t]*(\|[ \t]*:?-{2,}:?[ \t]*)*\|?[ \t]*")
_ROW = re.compile(r"[ \t]*\|")
_QUOTE = re.compile(r"[ \t]*>[ \t]?")
_CELL_BORDER = re.compile(r"(?<!\\)\|")


def shaped(text: str, spans: Sequence[Span] = ()) -> list[Shaped]:
    """Return the text's blocks in order; every character but markers is in one.

    `spans` are disjoint and ordered. A span's numbers stand after its last character,
    once, wherever the span is cut; in a table they stand at the row's end.
    """
    blocks: list[Shaped] = []
    group: list[_Line] = []
    for line in [*_lines(text), None]:
        if group and (line is None or not _continues(group[-1], line)):
            blocks.extend(_block(text, group, spans))
            group = []
        if line is not None and (line.start < line.end or line.shape is Shape.CODE):
            group.append(line)
    return blocks


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    fence, offset = "", 0
    for raw in text.splitlines(keepends=True):
        line = _line(raw, offset, fence)
        offset += len(raw)
        if line.fence:
            fence = "" if fence else line.fence
            # A fence ends what stood before it and shows nothing itself.
            lines.append(_Line(Shape.PARAGRAPH, offset, offset))
            continue
        lines.append(line)
    return lines


def _line(raw: str, offset: int, fence: str) -> _Line:
    end = offset + len(raw.rstrip())
    mark = _FENCE.match(raw)
    if mark and (not fence or mark[1].startswith(fence)):
        return _Line(Shape.CODE, offset, offset, fence=mark[1])
    if fence:
        return _Line(Shape.CODE, offset, offset + len(raw.rstrip("\r\n")))
    if heading := _HEADING.match(raw):
        start = offset + heading.end()
        return _Line(Shape.HEADING, start, end, level=len(heading[1]))
    if item := _ITEM.match(raw):
        depth = len(item[1].expandtabs(2)) // 2
        ordinal = int(item[2]) if item[2] else None
        start = min(offset + item.end(), end)
        return _Line(Shape.ITEM, start, end, depth=depth, ordinal=ordinal)
    if _ROW.match(raw):
        return _Line(Shape.TABLE, offset, end)
    if quote := _QUOTE.match(raw):
        return _Line(Shape.QUOTE, min(offset + quote.end(), end), end)
    start = offset + len(raw) - len(raw.lstrip())
    return _Line(Shape.PARAGRAPH, min(start, end), end)


def _continues(before: _Line, line: _Line) -> bool:
    joined = {Shape.PARAGRAPH, Shape.TABLE, Shape.CODE, Shape.QUOTE}
    filled = line.start < line.end or line.shape is Shape.CODE
    return filled and line.shape is before.shape and line.shape in joined


def _block(text: str, group: list[_Line], spans: Sequence[Span]) -> list[Shaped]:
    first, last = group[0], group[-1]
    if first.shape is Shape.TABLE:
        table = _table(text, group, spans)
        return [table] if table else []
    if first.shape is Shape.QUOTE:
        runs = [run for line in group for run in _quote_line(text, line, spans)]
        return [Shaped(Shape.QUOTE, runs=tuple(runs))]
    return [
        Shaped(
            first.shape,
            runs=runs_of(text, first.start, last.end, spans),
            level=first.level,
            depth=first.depth,
            ordinal=first.ordinal,
        )
    ]


def _quote_line(text: str, line: _Line, spans: Sequence[Span]) -> list[Run]:
    return [*runs_of(text, line.start, line.end, spans), Run("\n")]


def runs_of(text: str, start: int, end: int, spans: Sequence[Span]) -> Runs:
    """Return `text[start:end]` cut where a span begins or ends."""
    runs: list[Run] = []
    at = start
    for span in spans:
        if span.end <= at or span.start >= end or span.start == span.end:
            continue
        if span.start > at:
            runs.append(Run(text[at : span.start]))
        cut = min(span.end, end)
        ends_here = not text[cut : span.end].strip() or _only_marks(text, cut, span)
        runs.append(
            Run(
                text[max(at, span.start) : cut],
                numbers=span.numbers if ends_here else (),
                quoted=span.quoted,
            )
        )
        at = cut
    if at < end:
        runs.append(Run(text[at:end]))
    return tuple(run for run in runs if run.text)


def _only_marks(text: str, cut: int, span: Span) -> bool:
    # A span that goes on over a closing fence has ended for the reader.
    return bool(re.fullmatch(r"[\s`~]*", text[cut : span.end]))


def cells_of(text: str, start: int, end: int) -> list[tuple[int, int]]:
    r"""Return the offsets of a row's cells, without borders and blanks; `\|` is text."""
    borders = [match.start() for match in _CELL_BORDER.finditer(text, start, end)]
    if not borders:
        return []
    edges = list(borders)
    if text[borders[-1] + 1 : end].strip():
        edges.append(end)
    if text[start : borders[0]].strip():
        edges.insert(0, start - 1)
    return [
        _trimmed(text, left + 1, right)
        for left, right in zip(edges, edges[1:], strict=False)
    ]


def is_rule(line: str) -> bool:
    """Tell whether a table line only separates header and rows."""
    return bool(_RULE.fullmatch(line.strip()))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    lead = len(piece) - len(piece.lstrip())
    return start + lead, max(start + lead, start + len(piece.rstrip()))


def unescaped(text: str) -> str:
    r"""Return a cell's text with `\|` as the reader expects it."""
    return text.replace("\\|", "|")


def _table(text: str, group: list[_Line], spans: Sequence[Span]) -> Shaped | None:
    lines = [(line.start, line.end) for line in group]
    ruled = len(lines) > 1 and is_rule(text[slice(*lines[1])])
    lines = [line for line in lines if not is_rule(text[slice(*line)])]
    if not lines:
        return None
    header: tuple[Runs, ...] = ()
    # A header is repeated above the rows that were quoted, so no span begins with it
    # alone; without a rule the first of several rows is taken for one.
    if ruled or len(lines) > 1:
        header = tuple(_cell(text, *cell) for cell in cells_of(text, *lines[0]))
        lines = lines[1:]
    rows = tuple(
        Row(
            cells=tuple(_cell(text, *cell) for cell in cells_of(text, *line)),
            numbers=_row_numbers(line, spans),
        )
        for line in lines
    )
    return Shaped(Shape.TABLE, header=header, rows=rows)


def _cell(text: str, start: int, end: int) -> Runs:
    return (Run(unescaped(text[start:end])),) if start < end else ()


def _row_numbers(line: tuple[int, int], spans: Sequence[Span]) -> tuple[int, ...]:
    start, end = line
    found = [
        number
        for span in spans
        if span.start < end and span.end > start
        for number in span.numbers
    ]
    return tuple(dict.fromkeys(found))
