"""Bytes to text: byte order marks, UTF-8, UTF-16, and what older tools wrote."""

from __future__ import annotations

import codecs
import re

from charset_normalizer import from_bytes

from connectors.conversion.converted import Warnings
from connectors.errors import ConversionError

#: The longest mark first: UTF-32's little-endian one begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(
    rb"(?:<meta[^>]{0,200}charset|<\?xml[^>]{0,100}encoding)\s*=\s*[\"']?\s*([\w.:-]{2,40})",
    re.IGNORECASE,
)
_SAMPLE = 65_536
#: Above this share of control bytes it's no text in any encoding that's in use.
_MAX_CONTROL_SHARE = 0.02
_CONTROL = bytes(b for b in range(32) if b not in b"\t\n\r\f\x1b")


def decode(data: bytes, warnings: Warnings, *, declared: str = "") -> str:
    """Return text with "\\n" line ends, whatever its encoding.

    In order: byte order mark, UTF-8, UTF-16 by its zero bytes, the declared encoding
    (`declared`, or HTML's own), the likeliest one. Where none fits the whole, UTF-8
    lines are read as such, the others as Windows-1252, with a `mixed_encoding` warning.
    Raises ConversionError("binary") for what is no text.
    """
    text = _decoded(data, warnings, declared)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _decoded(data: bytes, warnings: Warnings, declared: str) -> str:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return _marked(data[len(mark) :], encoding, warnings)
    if b"\x00" in data[:_SAMPLE] and (wide := _wide(data)) is not None:
        return wide
    _refuse_binary(data)
    text = _strict(data, "utf-8")
    if text is not None:
        return text
    match = _DECLARED.search(data[:4096])
    named = declared or (match.group(1).decode("ascii") if match else "")
    if named and not named.lower().replace("_", "-").startswith("utf"):
        text = _strict(data, named)
        if text is not None:
            return text
    return _guessed(data, warnings)


def _marked(data: bytes, encoding: str, warnings: Warnings) -> str:
    text = _strict(data, encoding)
    if text is not None:
        return text
    if encoding == "utf-8":
        return _mixed(data, warnings)
    text = data.decode(encoding, "replace")
    bad = text.count("\ufffd")
    if bad > len(text) * _MAX_CONTROL_SHARE:
        raise _binary()
    warnings.add("mixed_encoding", f"{bad:,} characters are not valid {encoding}.")
    return text


def _wide(data: bytes) -> str | None:
    """Return UTF-16 without a mark: nearly every other byte of Latin text is zero."""
    sample = data[:_SAMPLE]
    half = max(1, len(sample) // 2)
    for offset, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        high, low = sample[offset::2].count(0), sample[1 - offset :: 2].count(0)
        if high > 0.8 * half and low < 0.05 * half:
            return data.decode(encoding, "replace")
    return None


def _refuse_binary(data: bytes) -> None:
    for part in (data[:_SAMPLE], data[len(data) // 2 :][:_SAMPLE]):
        controls = len(part) - len(part.translate(None, _CONTROL))
        if controls > len(part) * _MAX_CONTROL_SHARE:
            raise _binary()


def _binary() -> ConversionError:
    return ConversionError(
        "binary",
        "The file holds binary data, not text; if it's a known format, give it its "
        "own extension.",
    )


def _strict(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except (UnicodeError, LookupError, ValueError):
        return None


def _guessed(data: bytes, warnings: Warnings) -> str:
    if _mostly_utf8(data):
        return _mixed(data, warnings)
    best = from_bytes(data[:_SAMPLE], cp_exclusion=["utf_7"]).best()
    if best is not None and (text := _strict(data, best.encoding)) is not None:
        return text
    return _mixed(data, warnings)


def _mostly_utf8(data: bytes) -> bool:
    """Return whether most bytes above ASCII are in valid UTF-8 sequences."""
    high = sum(1 for _ in re.finditer(rb"[\x80-\xff]", data[:_SAMPLE]))
    bad = data[:_SAMPLE].decode("utf-8", "replace").count("\ufffd")
    return high > 0 and bad <= high * 0.5


def _mixed(data: bytes, warnings: Warnings) -> str:
    lines = data.split(b"\n")
    decoded: list[str] = []
    others = 0
    for line in lines:
        text = _strict(line, "utf-8")
        if text is None:
            others += 1
            text = line.decode("cp1252", "replace")
        decoded.append(text)
    warnings.add(
        "mixed_encoding",
        f"{others:,} of {len(lines):,} lines are not UTF-8; they were read as "
        "Windows-1252 and may show wrong characters. Save the file as UTF-8.",
    )
    return "\n".join(decoded)
