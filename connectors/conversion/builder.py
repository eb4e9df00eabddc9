"""Builds `Content`: the normalised text and its spans, from blocks in order."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from connectors.conversion.rich import Rich, clean, rich, rich_lines
from connectors.errors import ConversionError
from memory.documents import Block, BlockKind, Content, Link, Section

#: More text than this in one document is no page that a person reads.
MAX_CHARACTERS = 20_000_000

_BACKTICKS = re.compile(r"`{3,}")
_TABLE = frozenset((BlockKind.TABLE_HEADER, BlockKind.TABLE_ROW))


@dataclass(frozen=True, slots=True)
class _Heading:
    start: int
    level: int
    title: str
    anchor: str


class ContentBuilder:
    """Takes a document's blocks in reading order and returns its Content.

    A block without text is left out. Titles may be blank (no section then) or repeat.
    Text is given as a string, whose white space collapses, or as a Rich with links.
    Raises ConversionError("too_large") above MAX_CHARACTERS.
    """

    def __init__(self) -> None:
        """Start with an empty document."""
        self._pieces: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._links: list[Link] = []
        self._headings: list[_Heading] = []
        self._unhandled: Counter[str] = Counter()

    @property
    def length(self) -> int:
        """Return the number of characters so far."""
        return self._length

    @property
    def is_empty(self) -> bool:
        """Return whether no block was added yet."""
        return not self._blocks

    def heading(self, title: Rich | str, level: int, *, anchor: str = "") -> None:
        """Start a section; `level` from 1, deeper than 6 is shown as 6."""
        line = rich(title)
        if not line:
            return
        level = max(1, level)
        prefix = "#" * min(level, 6) + " "
        start = self._add(BlockKind.HEADING, line, prefix=prefix)
        self._headings.append(_Heading(start, level, line.text, clean(anchor)))

    def paragraph(self, text: Rich | str) -> None:
        """Add a paragraph; its line breaks stay."""
        self._add(BlockKind.PARAGRAPH, rich_lines(text))

    def list_item(
        self,
        text: Rich | str,
        *,
        depth: int = 0,
        ordinal: int | None = None,
        new_list: bool = False,
    ) -> None:
        """Add a list's item; `ordinal` is its number in an ordered list.

        `new_list` sets it apart from the item before it.
        """
        marker = "- " if ordinal is None else f"{ordinal}. "
        self._add(
            BlockKind.LIST_ITEM,
            rich(text),
            prefix="  " * depth + marker,
            apart=new_list and depth == 0,
            depth=depth,
        )

    def quote(self, text: Rich | str) -> None:
        """Add a quoted paragraph."""
        lines = rich_lines(text)
        breaks = [match.end() for match in re.finditer("\n", lines.text)]
        self._add(BlockKind.QUOTE, lines.inserted(breaks, "> "), prefix="> ")

    def code(self, text: str, *, language: str = "") -> None:
        """Add a fenced block; indentation stays."""
        lines = (line.rstrip() for line in clean(text.expandtabs(4)).splitlines())
        body = "\n".join(lines).strip("\n")
        if not body:
            return
        longest = max((len(run) for run in _BACKTICKS.findall(body)), default=2)
        fence = "`" * (longest + 1)
        language = "".join(clean(language).split())
        self._add(BlockKind.CODE, Rich(f"{fence}{language}\n{body}\n{fence}"))

    def table(
        self,
        header: Sequence[Rich | str] | None,
        rows: Iterable[Sequence[Rich | str]],
    ) -> None:
        """Add a table; None or a blank header means that it has none.

        Rows shorter than the header are filled up; rows without text are left out.
        """
        width, line, first = len(header or ()), "", True
        if header and (top := _row(header, width)):
            self._add(BlockKind.TABLE_HEADER, top, apart=True)
            line, first = top.text, False
        for cells in rows:
            if row := _row(cells, width):
                self._add(BlockKind.TABLE_ROW, row, apart=first, header=line)
                first = False

    def append(self, content: Content, *, below: int = 0) -> None:
        """Add another document's content, its headings `below` levels deeper."""
        levels = {section.start: section for section in content.sections}
        starts = [link.start for link in content.links]
        end = 0
        for block in content.blocks:
            first, last = (
                bisect_left(starts, block.start),
                bisect_left(starts, block.end),
            )
            text = Rich(
                content.text[block.start : block.end],
                tuple(
                    Link(x.start - block.start, x.end - block.start, x.url)
                    for x in content.links[first:last]
                ),
            )
            if block.kind is BlockKind.HEADING:
                section = levels[block.start]
                title = text.without_start(len(text.text) - len(section.path[-1]))
                self.heading(title, section.level + below, anchor=section.anchor)
            else:
                apart = content.text[end : block.start] != "\n"
                self._add(
                    block.kind,
                    text,
                    apart=apart,
                    depth=block.depth,
                    header=block.header,
                )
            end = block.end
        self._unhandled.update(content.unhandled)

    def count_unhandled(self, name: str) -> None:
        """Count an element of the source that could not be rendered."""
        self._unhandled[name] += 1

    def build(self) -> Content:
        """Return the document so far; sections tile its text."""
        return Content(
            text="".join(self._pieces),
            sections=tuple(self._sections()),
            blocks=tuple(self._blocks),
            links=tuple(self._links),
            unhandled=dict(self._unhandled),
        )

    def _add(
        self,
        kind: BlockKind,
        text: Rich,
        *,
        prefix: str = "",
        apart: bool = False,
        depth: int = 0,
        header: str = "",
    ) -> int:
        """Write a block after its separator and return where it starts."""
        if not text.text:
            return self._length
        if self._blocks:
            self._write(self._separator(kind, apart=apart))
        start = self._length
        self._write(prefix + text.text)
        self._blocks.append(Block(kind, start, self._length, depth, header))
        if text.links:
            offset = start + len(prefix)
            self._links.extend(
                Link(link.start + offset, link.end + offset, link.url)
                for link in text.links
                if link.url
            )
        return start

    def _separator(self, kind: BlockKind, *, apart: bool) -> str:
        before = self._blocks[-1].kind
        together = (kind is BlockKind.LIST_ITEM and before is kind) or (
            kind in _TABLE and before in _TABLE
        )
        return "\n" if together and not apart else "\n\n"

    def _write(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
        if self._length > MAX_CHARACTERS:
            raise ConversionError(
                "too_large",
                f"The text is longer than {MAX_CHARACTERS:,} characters; "
                "split the document into smaller ones.",
            )

    def _sections(self) -> Iterable[Section]:
        if not self._blocks:
            return
        starts = [heading.start for heading in self._headings]
        ends = [*starts[1:], self._length]
        if not starts or starts[0] > 0:
            yield Section((), 0, 0, starts[0] if starts else self._length)
        above: list[_Heading] = []
        for heading, end in zip(self._headings, ends, strict=bool(starts)):
            while above and above[-1].level >= heading.level:
                above.pop()
            above.append(heading)
            path = tuple(item.title for item in above)
            yield Section(path, heading.level, heading.start, end, heading.anchor)


def _row(cells: Sequence[Rich | str], width: int) -> Rich:
    """Return one table line, or an empty one where no cell has text."""
    values = [rich(cell) for cell in cells]
    if not any(values):
        return Rich("")
    values.extend([Rich("")] * (width - len(values)))
    pieces: list[str] = []
    links: list[Link] = []
    offset = 2
    for value in values:
        bars = [match.start() for match in re.finditer(r"\|", value.text)]
        cell = value.inserted(bars, "\\")
        links += [Link(x.start + offset, x.end + offset, x.url) for x in cell.links]
        pieces.append(cell.text)
        offset += len(cell.text) + 3
    return Rich("| " + " | ".join(pieces) + " |", tuple(links))
