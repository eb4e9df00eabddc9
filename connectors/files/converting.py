"""Bytes to a document's content, and the version of what does it."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Protocol

from connectors import conversion
from connectors.conversion import SUPPORTED, Converted

#: What reads the formats beneath `connectors.conversion`.
_PARSERS = (
    *("markdown-it-py", "beautifulsoup4", "lxml", "charset-normalizer", "pypdfium2"),
    *("python-docx", "python-pptx", "openpyxl"),
)


class Converter(Protocol):
    """Turns bytes into content. Another `version` means that files are read again."""

    @property
    def version(self) -> str:
        """Name converter and rules; no colon in it."""
        ...

    @property
    def suffixes(self) -> Collection[str]:
        """Return the endings that it reads, in lower case, with their dot."""
        ...

    def convert(self, data: bytes, name: str) -> Converted:
        """Return a file's text and properties, or raise ConversionError."""
        ...


class PackageConverter:
    """The converters of `connectors.conversion`."""

    @property
    def version(self) -> str:
        """Name the converters' own text and their parsers' releases.

        Nobody has to remember to count it up, and a converted document whose content
        stays the same costs no embedding.
        """
        return _version()

    @property
    def suffixes(self) -> Collection[str]:
        """Return what `connectors.conversion` reads."""
        return SUPPORTED

    def convert(self, data: bytes, name: str) -> Converted:
        """Convert by the name's ending."""
        return conversion.convert(data, name=name)


@cache
def _version() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(conversion.__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    for name in _PARSERS:
        digest.update(f"{name}={_release(name)}".encode())
    return digest.hexdigest()[:12]


def _release(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
