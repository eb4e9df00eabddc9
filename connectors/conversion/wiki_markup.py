"""Jira's wiki markup to Content: what Jira Data Center's texts are written in.

The notation is the vendor's "Text Formatting Notation Help", which every installation
has at /secure/WikiRendererHelpAction.jspa?section=all. Code is taken out first and put
back as blocks, so that nothing in it is read as markup.
"""

from __future__ import annotations

import re

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.rich import Rich
from connectors.conversion.tables import write_table
from connectors.conversion.wiki_markup_inline import inline
from connectors.conversion.wiki_markup_table import Cell, cells_of, read_table
from connectors.errors import ConversionError
from memory.documents import Content

#: Stand for code and for macros on a line of their own; never in a text of the source.
_CODE, _CONTROL = "\ue000", "\ue001"
_OURS = re.compile(f"[{_CODE}{_CONTROL}]")
_PLACE = re.compile(f"{_CODE}(\\d+){_CODE}")
#: Parameters longer than this are an accident; see wiki_markup_inline.
_PARAMETERS = r"(?::([^}\n]{0,1000}))?"
_VERBATIM = re.compile(rf"(?<![\\{{])\{{(code|noformat){_PARAMETERS}\}}")
_MACRO = re.compile(rf"(?<![\\{{])\{{(panel|quote){_PARAMETERS}\}}(?!\}})")
_LEFT_OPEN = re.compile(rf"(?<![\\{{])\{{(?:code|noformat){_PARAMETERS}\}}(?!\}})")
_HEADING = re.compile(r"\s*h([1-6])\.\s+(.*)")
_QUOTED = re.compile(r"\s*bq\.\s+(.*)")
_RULE = re.compile(r"\s*-{4,}\s*$")
_ITEM = re.compile(r"\s*([*#][*#-]*|-+)\s+(\S.*)")
#: An editor takes 32,767 characters, unless its administrator says otherwise.
MAX_WIKI = 1_000_000
_ANCHOR = re.compile(r"\{anchor:[^}\n]{0,200}\}")


def wiki_content(text: object) -> Content:
    """Return a text's structure; for no text there's none."""
    builder = ContentBuilder()
    write_wiki(builder, text)
    return builder.build()


def write_wiki(builder: ContentBuilder, text: object) -> None:
    """Add a text in wiki markup to the builder."""
    if isinstance(text, str):
        WikiWriter(builder).write(text)


class WikiWriter:
    """Turns lines of markup into blocks of a ContentBuilder."""

    def __init__(self, builder: ContentBuilder) -> None:
        """Write to `builder`."""
        self._builder = builder
        self._code: list[tuple[str, str]] = []
        self._lines: list[str] = []
        self._rows: list[list[Cell]] = []
        self._row: list[str] = []
        self._item: tuple[str, list[str]] | None = None
        self._numbers: list[int] = []
        self._in_list = False
        self._is_quoted = False
        self._in_panel = False

    def write(self, text: str) -> None:
        """Add all of it. Raises ConversionError("too_large") above MAX_WIKI."""
        if len(text) > MAX_WIKI:
            raise ConversionError(
                "too_large",
                f"A text has {len(text):,} characters; at most {MAX_WIKI:,} are read.",
            )
        text = _OURS.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
        text = _ANCHOR.sub("", self._without_code(text))
        text = _MACRO.sub(_on_its_line, _LEFT_OPEN.sub("", text))
        for line in text.split("\n"):
            self._line(line)
        self._flush()

    def _without_code(self, text: str) -> str:
        """Keep code aside and return the text with what stands for it.

        Code that isn't closed is none.
        """
        pieces: list[str] = []
        unclosed: set[str] = set()
        done = 0
        for opened in _VERBATIM.finditer(text):
            name = opened[1]
            if opened.start() < done or name in unclosed:
                continue
            end = text.find(f"{{{name}}}", opened.end())
            if end < 0:
                unclosed.add(name)
                continue
            pieces += [text[done : opened.start()], f"{_CODE}{len(self._code)}{_CODE}"]
            self._code.append((opened[2] or "", text[opened.end() : end]))
            done = end + len(name) + 2
        return "".join([*pieces, text[done:]])

    def _line(self, line: str) -> None:
        if self._row:
            self._continue_row(line)
        elif line.startswith(_CONTROL):
            self._flush()
            self._control(line[1:])
        elif not line.strip():
            self._flush()
        elif line.lstrip().startswith("|"):
            self._start_row(line)
        elif _RULE.match(line):
            self._flush()
            self._in_list = False
        elif match := _HEADING.match(line):
            self._flush()
            self._in_list = False
            self._heading(int(match[1]), match[2])
        elif match := _QUOTED.match(line):
            self._flush()
            self._in_list = False
            self._builder.quote(self._inline(match[1]))
        elif (match := _ITEM.match(line)) and self._is_item(match[1]):
            self._start_item(match[1], match[2])
        elif self._item is not None:
            self._item[1].append(line)
        else:
            self._flush_rows()
            self._lines.append(line)

    def _is_item(self, marks: str) -> bool:
        # "-- so he said" is a dash, unless it's below an item.
        return marks.strip("-") != "" or len(marks) == 1 or self._in_list

    def _heading(self, level: int, title: str) -> None:
        self._builder.heading(self._inline(_PLACE.sub("", title)), level)
        self._write_code(title)

    def _control(self, macro: str) -> None:
        name, _, parameters = macro.partition(":")
        if name == "quote":
            self._is_quoted = not self._is_quoted
            return
        self._in_panel = not self._in_panel or bool(parameters)
        if self._in_panel:
            self._builder.paragraph(self._inline(_parameter(parameters, "title")))

    # Lists

    def _start_item(self, marks: str, text: str) -> None:
        self._flush(keep_list=True)
        self._item = (marks, [text])

    def _flush_item(self) -> None:
        if self._item is None:
            return
        marks, lines = self._item
        self._item = None
        depth = len(marks) - 1
        is_new = not self._in_list
        if is_new:
            self._numbers = []
        self._numbers = (self._numbers + [0] * (depth + 1))[: depth + 1]
        self._numbers[depth] += 1
        ordinal = self._numbers[depth] if marks[-1] == "#" else None
        self._in_list = True
        text = "\n".join(lines)
        self._builder.list_item(
            self._inline(_PLACE.sub(" ", text)),
            depth=depth,
            ordinal=ordinal,
            new_list=is_new,
        )
        self._write_code(text)

    # Tables

    def _start_row(self, line: str) -> None:
        self._flush_item()
        self._flush_lines()
        self._in_list = False
        self._row = [line.strip()]
        self._end_row_if_whole()

    def _continue_row(self, line: str) -> None:
        """Add a line to a cell that goes on, unless the row just lacks its last bar."""
        if line.lstrip().startswith("|") or not line.strip():
            self._end_row()
            self._line(line)
            return
        self._row.append(line.strip().removeprefix(_CONTROL))
        self._end_row_if_whole()

    def _end_row_if_whole(self) -> None:
        if self._row[-1].endswith("|") and self._row != ["|"]:
            self._end_row()

    def _end_row(self) -> None:
        if self._row:
            self._rows.append(cells_of("\n".join(self._row)))
            self._row = []

    def _flush_rows(self) -> None:
        self._end_row()
        if not self._rows:
            return
        rows, self._rows = self._rows, []
        # Code in a cell is text there: a cell has one line.
        shown = [
            [(head, _PLACE.sub(self._shown, cell)) for head, cell in r] for r in rows
        ]
        write_table(self._builder, read_table(shown, self._builder.count_unhandled))

    def _shown(self, place: re.Match[str]) -> str:
        """Return code as a cell shows it, each mark escaped."""
        code = " ".join(self._code[int(place[1])][1].split())
        return re.sub(r"([\\*_+^~?{}\[\]!|#@()-])", r"\\\1", code)

    # Paragraphs and code

    def _flush(self, *, keep_list: bool = False) -> None:
        """End whatever is being collected."""
        self._flush_item()
        self._flush_rows()
        self._flush_lines()
        self._in_list = self._in_list and keep_list

    def _flush_lines(self) -> None:
        lines, self._lines = self._lines, []
        if not lines:
            return
        self._in_list = False
        text = "\n".join(lines)
        end = 0
        for place in _PLACE.finditer(text):
            self._paragraph(text[end : place.start()])
            self._write_code(place[0])
            end = place.end()
        self._paragraph(text[end:])

    def _paragraph(self, text: str) -> None:
        line = self._inline(text.strip("\n"))
        if self._is_quoted:
            self._builder.quote(line)
        else:
            self._builder.paragraph(line)

    def _write_code(self, text: str) -> None:
        """Add the code that stands in a text."""
        for place in _PLACE.finditer(text):
            parameters, code = self._code[int(place[1])]
            self._builder.paragraph(Rich(_parameter(parameters, "title")))
            self._builder.code(code, language=_language(parameters))

    def _inline(self, text: str) -> Rich:
        return inline(text, self._builder.count_unhandled)


def _on_its_line(match: re.Match[str]) -> str:
    parameters = f":{match[2]}" if match[2] else ""
    return f"\n{_CONTROL}{match[1]}{parameters}\n"


def _parameter(parameters: str, name: str) -> str:
    """Return a macro's parameter: name=value between bars."""
    for part in parameters.split("|"):
        key, equals, value = part.partition("=")
        if equals and key.strip().lower() == name:
            return value.strip()
    return ""


def _language(parameters: str) -> str:
    first = parameters.partition("|")[0].strip()
    return "" if "=" in first else first
