"""Plain text, logs and source files: the structure that people type by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from connectors.conversion.builder import ContentBuilder

_UNDERLINE = re.compile(r"^([=\-~^\"'#*+.`:_])\1{2,}\s*$")
_ITEM = re.compile(r"^(\s*)(?:[-*•◦▪–·+]|(\d{1,4})[.)])\s+(\S.*)$")
_QUOTED = re.compile(r"^\s{0,3}>+ ?")
#: Blocks of this many characters: a chunk or two, cut at line ends.
_GROUP = 1200
#: A line this long that goes on in the next was wrapped by a program.
_WRAPPED = 50


def write_text(builder: ContentBuilder, text: str, *, base_level: int = 0) -> None:
    """Add plain text: underlined headings, lists, quotes and paragraphs.

    Levels of headings follow the order in which their underlines appear, as in
    reStructuredText, below `base_level`.
    """
    styles: list[str] = []
    for lines in _paragraphs(text):
        while len(lines) > 1 and (style := _heading_style(lines)):
            if style not in styles:
                styles.append(style)
            level = base_level + styles.index(style) + 1
            over = _UNDERLINE.match(lines[0]) is not None
            builder.heading(lines[1 if over else 0], level)
            lines = lines[3 if over else 2 :]
        if len(lines) == 1 and _UNDERLINE.match(lines[0]):
            continue
        _write_paragraph(builder, lines)


def write_lines(builder: ContentBuilder, text: str) -> None:
    """Add a log: lines stay lines, in groups of about 1,200 characters."""
    for group in _groups(text.splitlines()):
        builder.paragraph("\n".join(group))


def write_source(builder: ContentBuilder, text: str, *, language: str) -> None:
    """Add source text as fenced code, in groups that end at blank lines if they can."""
    pieces = ("\n".join(lines) for lines in _paragraphs(text))
    group: list[str] = []
    size = 0
    for piece in pieces:
        if group and size + len(piece) > _GROUP:
            builder.code("\n\n".join(group), language=language)
            group, size = [], 0
        group.append(piece)
        size += len(piece)
    builder.code("\n\n".join(group), language=language)


def _paragraphs(text: str) -> Iterator[list[str]]:
    lines: list[str] = []
    for line in text.splitlines():
        if line.strip():
            lines.append(line.rstrip())
        elif lines:
            yield lines
            lines = []
    if lines:
        yield lines


def _heading_style(lines: list[str]) -> str:
    """Return the underline's character ("==" with an overline), "" for no heading."""
    if len(lines) > 2 and _UNDERLINE.match(lines[0]):
        same = lines[0][0] == lines[2][:1] and _UNDERLINE.match(lines[2])
        return lines[0][0] * 2 if same else ""
    title, underline = lines[0].strip(), lines[1].strip()
    if not _UNDERLINE.match(underline) or _ITEM.match(lines[0]):
        return ""
    fits = len(underline) >= len(title) * 0.8 and len(title) <= 120
    return underline[0] if fits and any(c.isalnum() for c in title) else ""


def _write_paragraph(builder: ContentBuilder, lines: list[str]) -> None:
    if all(_QUOTED.match(line) for line in lines):
        builder.quote(_joined(_QUOTED.sub("", line) for line in lines))
        return
    plain: list[str] = []
    item: tuple[int, int | None] | None = None
    indents: list[int] = []
    for line in lines:
        match = _ITEM.match(line)
        if match is None and (item is None or not line[:1].isspace()):
            if item is not None:
                _write_item(builder, plain, item)
                plain, item = [], None
            plain.append(line)
        elif match is None:
            plain.append(line)
        else:
            _write_item(builder, plain, item)
            depth = _depth(indents, len(match.group(1)))
            item = (depth, int(match.group(2)) if match.group(2) else None)
            plain = [match.group(3)]
    _write_item(builder, plain, item)


def _write_item(
    builder: ContentBuilder, lines: list[str], item: tuple[int, int | None] | None
) -> None:
    if not lines:
        return
    if item is None:
        for group in _groups(lines, limit=_GROUP * 20):
            builder.paragraph(_joined(group))
    else:
        text = " ".join(line.strip() for line in lines)
        builder.list_item(text, depth=item[0], ordinal=item[1])


def _depth(indents: list[int], indent: int) -> int:
    while indents and indents[-1] > indent:
        indents.pop()
    if not indents or indents[-1] < indent:
        indents.append(indent)
    return len(indents) - 1


def _joined(lines: Iterable[str]) -> str:
    """Join lines that were wrapped; short ones, as in an address, stay lines."""
    stripped = [line.strip() for line in lines]
    wrapped = sum(len(line) >= _WRAPPED for line in stripped[:-1])
    is_prose = wrapped * 2 >= max(1, len(stripped) - 1)
    return (" " if is_prose else "\n").join(stripped)


def _groups(lines: Iterable[str], *, limit: int = _GROUP) -> Iterator[list[str]]:
    group: list[str] = []
    size = 0
    for line in lines:
        if group and size + len(line) > limit:
            yield group
            group, size = [], 0
        group.append(line)
        size += len(line) + 1
    if group:
        yield group
