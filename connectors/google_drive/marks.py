"""A file's mark: what its document was made of, and how it came to be read."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from connectors.google_drive.survey import Seen

_VIA = " via "


@dataclass(frozen=True, slots=True)
class Mark:
    """`via` is the shortcut that led to a file, "" where it's read for its place."""

    stamp: str
    via: str = ""

    @classmethod
    def of(cls, seen: Seen, version: str) -> Mark:
        """Return a file's mark now.

        Sharing, moving and trashing change none of its parts.
        """
        file = seen.file
        parts = (file.modified, file.md5, file.name, file.mime, file.url, version)
        digest = hashlib.sha256("\x1f".join(parts).encode("utf-8", "surrogatepass"))
        return cls(digest.hexdigest()[:24], seen.via)

    @classmethod
    def parse(cls, text: str | None) -> Mark:
        """Read a mark; none is like that of another file."""
        stamp, _, via = (text or "").partition(_VIA)
        return cls(stamp, via)

    def __str__(self) -> str:
        """Write it."""
        return f"{self.stamp}{_VIA}{self.via}" if self.via else self.stamp
