"""What stands between hostile bytes and the parsers: errors mapped, sizes checked."""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO

from connectors.errors import ConversionError

_log = logging.getLogger(__name__)

#: No file above this is read, whatever its kind.
MAX_BYTES = 100_000_000
#: What a tree of markup may be made of: some 300 MB at most.
MAX_MARKUP = 20_000_000
MAX_TAGS = 1_000_000
_MAX_UNPACKED = 200_000_000
_MAX_MEMBERS = 20_000
#: Real office files reach about 50 where they're big; deflate's limit is 1,032.
_MAX_RATIO = 200
_RATIO_APPLIES_ABOVE = 50_000_000
_CHUNK = 1 << 20
_DOCTYPE = (
    b"<!DOCTYPE",
    b"<!ENTITY",
    b"<\x00!\x00D\x00O\x00C",
    b"\x00<\x00!\x00D\x00O\x00C",
)


@contextmanager
def parsing(kind: str) -> Iterator[None]:
    """Turn whatever a third-party parser raises into a ConversionError.

    Parsers meet damaged files with anything from KeyError to RecursionError, so this is
    the edge where all of it is caught; the type alone is logged, never the content.
    """
    try:
        yield
    except ConversionError:
        raise
    except MemoryError as error:
        raise too_large(f"The {kind} file needs more memory than there is.") from error
    except Exception as error:  # noqa: BLE001
        _log.info("%s parser refused a file: %s", kind, type(error).__name__)
        raise damaged(kind) from error


def check_markup(markup: str) -> None:
    """Raise ConversionError("too_large") for markup that would fill the memory."""
    if len(markup) > MAX_MARKUP:
        raise too_large(
            f"It has {len(markup):,} characters of markup; at most {MAX_MARKUP:,} are "
            "read."
        )
    if len(markup) > MAX_TAGS and (tags := markup.count("<")) > MAX_TAGS:
        raise too_large(f"It has {tags:,} tags; at most {MAX_TAGS:,} are read.")


def damaged(kind: str) -> ConversionError:
    """Return the error for a file that its own program couldn't read either."""
    return ConversionError(
        "damaged",
        f"The {kind} file is damaged or isn't a {kind} file; open it in its own "
        "program and save it anew.",
    )


def too_large(what: str) -> ConversionError:
    """Return the error for a file above a limit; `what` names it with its numbers."""
    return ConversionError("too_large", f"{what} Split it into smaller files.")


def protected(kind: str) -> ConversionError:
    """Return the error for a file that asks for a password."""
    return ConversionError(
        "password_protected",
        f"The {kind} file is protected with a password; save a copy without one.",
    )


def check_office_zip(data: bytes, kind: str) -> None:
    """Raise ConversionError unless the ZIP is whole, harmless and of a usable size.

    Declared sizes are checked before anything is unpacked; then XML parts are unpacked
    once and counted, since a header may lie. A document type, which Office never
    writes, could define entities that explode.
    """
    with parsing(kind), zipfile.ZipFile(BytesIO(data)) as archive:
        members = archive.infolist()
        _check_declared(members, kind)
        left = _MAX_UNPACKED
        for member in members:
            if member.filename.lower().endswith((".xml", ".rels", ".vml")):
                left -= _read_through(archive, member, kind, left)


def _check_declared(members: list[zipfile.ZipInfo], kind: str) -> None:
    if len(members) > _MAX_MEMBERS:
        raise too_large(f"The {kind} file has {len(members):,} parts.")
    total = sum(member.file_size for member in members)
    if total > _MAX_UNPACKED:
        raise too_large(
            f"The {kind} file unpacks to {total:,} bytes; the limit is "
            f"{_MAX_UNPACKED:,}."
        )
    for member in members:
        ratio = member.file_size / max(1, member.compress_size)
        if member.file_size > _RATIO_APPLIES_ABOVE and ratio > _MAX_RATIO:
            raise too_large(
                f"A part of the {kind} file unpacks to {ratio:,.0f} times its size "
                f"({member.file_size:,} bytes); the limit is {_MAX_RATIO} times."
            )
        if member.flag_bits & 0x1:
            raise protected(kind)


def _read_through(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, kind: str, limit: int
) -> int:
    """Unpack a part without keeping it, and return its true size."""
    size = 0
    with archive.open(member) as part:
        while chunk := part.read(_CHUNK):
            if size == 0 and any(mark in chunk[:8192] for mark in _DOCTYPE):
                raise damaged(kind)
            size += len(chunk)
            if size > limit:
                raise too_large(
                    f"The {kind} file unpacks to more than {_MAX_UNPACKED:,} bytes."
                )
    return size
