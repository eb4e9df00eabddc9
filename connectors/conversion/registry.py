"""Bytes to a converted document, whatever the format."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from connectors.conversion.builder import ContentBuilder
from connectors.conversion.converted import (
    Converted,
    Warnings,
    first_heading,
    short_title,
    title_from_name,
)
from connectors.conversion.decoding import decode
from connectors.conversion.delimited import write_delimited
from connectors.conversion.guards import MAX_BYTES, parsing, too_large
from connectors.conversion.html import convert_html
from connectors.conversion.mail import MAX_DEPTH, convert_mail
from connectors.conversion.markdown import convert_markdown
from connectors.conversion.pdf import convert_pdf
from connectors.conversion.plain_text import write_lines, write_source, write_text
from connectors.conversion.sheets import convert_xlsx
from connectors.conversion.slides import convert_slides
from connectors.conversion.sniffing import SOURCE_LANGUAGES, extension, kind_of
from connectors.conversion.word import convert_word
from connectors.errors import ConversionError
from memory.documents import Content

_FILES: dict[str, Callable[[bytes, Warnings], Converted]] = {
    "pdf": convert_pdf,
    "docx": convert_word,
    "pptx": convert_slides,
    "xlsx": convert_xlsx,
}
_MARKED_UP: dict[str, Callable[[str, Warnings], Converted]] = {
    "markdown": convert_markdown,
    "html": convert_html,
}

#: White space, zero bytes and byte order marks.
_BLANK = b"\x00 \t\r\n\f\v\xef\xbb\xbf\xff\xfe"


def convert(data: bytes, *, name: str) -> Converted:
    """Return a file's text, structure and properties.

    The kind follows from the first bytes where they say, else from `name`'s extension.
    The title is the document's own, else its first level-1 heading, else made from
    `name`. Raises only ConversionError, whatever the bytes: empty, binary, damaged,
    no_text, password_protected, too_large, unsupported.
    """
    return _convert(data, name, depth=0)


def _convert(data: bytes, name: str, *, depth: int) -> Converted:
    if len(data) > MAX_BYTES:
        raise too_large(
            f"The file has {len(data):,} bytes; the limit is {MAX_BYTES:,}."
        )
    if not data.strip(_BLANK):
        raise ConversionError("empty", "The file is empty.")
    kind = kind_of(data, name)
    warnings = Warnings()
    with parsing(kind.upper()):
        converted = _read(data, name, kind, warnings, depth=depth)
    if not converted.content.text.strip():
        raise ConversionError("empty", "The file holds no text.")
    title = converted.title
    if not title and kind != "pdf":
        title = short_title(first_heading(converted.content))
    return replace(
        converted,
        title=title or title_from_name(name),
        warnings=(*converted.warnings, *warnings.found),
    )


def _read(
    data: bytes, name: str, kind: str, warnings: Warnings, *, depth: int
) -> Converted:
    if kind in _FILES:
        return _FILES[kind](data, warnings)
    if kind == "mail":

        def read(attached: bytes, attached_name: str) -> Converted:
            if depth >= MAX_DEPTH:
                raise ConversionError("too_large", "It's nested too deep in messages.")
            return _convert(attached, attached_name, depth=depth + 1)

        return convert_mail(data, warnings, read=read)
    text = decode(data, warnings)
    if kind in _MARKED_UP:
        return _MARKED_UP[kind](text, warnings)
    return Converted(_plain_content(text, name, kind, warnings), title="", kind=kind)


def _plain_content(text: str, name: str, kind: str, warnings: Warnings) -> Content:
    builder = ContentBuilder()
    if kind in ("csv", "tsv"):
        delimiter = "\t" if kind == "tsv" else ""
        write_delimited(builder, text, warnings, delimiter=delimiter)
    elif kind == "log":
        write_lines(builder, text)
    elif kind == "source":
        write_source(builder, text, language=SOURCE_LANGUAGES[extension(name)])
    else:
        write_text(builder, text)
    return builder.build()
