"""A page's mark: what of it can change, so that an unchanged one isn't read again.

`format|version|rest|page=version,…`: `rest` is a digest of what isn't in the version
(comments, labels, title, space), the last part says what became of included pages.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from connectors.confluence.site import Attachment, Node
from connectors.files.converting import PackageConverter

#: A comment's id and version.
CommentVersion = tuple[str, int]


#: Instead of an included page's version: not all readers may read it.
TOO_NARROW = "x"


@dataclass(frozen=True, slots=True)
class Mark:
    """What was read of a page."""

    format: str
    version: int
    rest: str
    included: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        """Write it as one line."""
        included = ",".join(f"{id_}={v}" for id_, v in sorted(self.included.items()))
        return f"{self.format}|{self.version}|{self.rest}|{included}"

    @classmethod
    def parse(cls, line: str | None) -> Mark | None:
        """Read a line; None for what is none."""
        parts = (line or "").split("|")
        if len(parts) != 4 or not parts[1].isdigit():
            return None
        pairs = (pair.partition("=") for pair in parts[3].split(",") if pair)
        included = {id_: version for id_, _, version in pairs}
        return cls(parts[0], int(parts[1]), parts[2], included)

    def shown(self) -> tuple[str, ...]:
        """Return the pages whose text is in this one's."""
        return tuple(id_ for id_, v in self.included.items() if v != TOO_NARROW)

    def is_same_page(self, other: Mark) -> bool:
        """Tell whether the page itself is as it was, whatever it includes."""
        return (self.format, self.version, self.rest) == (
            other.format,
            other.version,
            other.rest,
        )


def mark_of(
    node: Node,
    *,
    space_name: str,
    labels: Iterable[str],
    comments: Iterable[CommentVersion],
) -> Mark:
    """Return the mark of a page as it's now, without what it includes."""
    parts = [node.title, node.space_key, space_name, *labels]
    parts += [f"{id_}.{version}" for id_, version in sorted(comments)]
    digest = hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]
    return Mark(own_format(), node.version, digest)


def attachment_mark(attachment: Attachment, page: Node, max_bytes: int) -> str:
    """Return the mark of an attachment, whose title has its page's in it."""
    parts = (attachment.name, page.title, str(max_bytes), str(attachment.size))
    digest = hashlib.sha256("\x1f".join(parts).encode()).hexdigest()[:16]
    return f"{own_format()}|{attachment.version}|{digest}"


@cache
def own_format() -> str:
    """Name what turns pages into text; another one means that pages are read again."""
    digest = hashlib.sha256(PackageConverter().version.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]
