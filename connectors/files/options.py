"""What an administrator sets for a folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from connectors.base import Option
from connectors.errors import OptionError
from connectors.files.names import Selection

BYTES_PER_MB = 1_000_000

OPTIONS: tuple[Option, ...] = (
    Option(
        "path",
        "Folder",
        "An absolute path on the machine where syncs run.",
        type="path",
        required=True,
    ),
    Option(
        "include",
        "Only these",
        "Patterns of what to read, such as *.md or policies/**; empty: everything.",
        type="list",
        default=[],
    ),
    Option(
        "exclude",
        "But not these",
        "Patterns of files and folders to leave out, such as drafts/ or *.bak.md.",
        type="list",
        default=[],
    ),
    Option(
        "access",
        "Who may read it",
        "workspace (every employee), or e-mail addresses and groups' principals.",
        type="list",
        default=["workspace"],
    ),
    Option(
        "max_file_mb",
        "Largest file, in MB",
        "Larger files are skipped, and listed as such.",
        type="number",
        default=50,
    ),
    Option(
        "follow_hidden",
        "Read hidden files",
        "Also what starts with a dot; folders of version control never are.",
        type="switch",
        default=False,
    ),
)


@dataclass(frozen=True, slots=True)
class FilesOptions:
    """The options as the connector uses them."""

    path: str
    selection: Selection
    access: Sequence[str]
    max_file_mb: float

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> FilesOptions:
        """Check complete values. Raises OptionError naming the option."""
        path = values["path"]
        if not isinstance(path, str) or not os.path.isabs(path) or "\0" in path:
            raise OptionError("“path” is an absolute path to a folder.")
        limit = values["max_file_mb"]
        if isinstance(limit, bool) or not isinstance(limit, int | float) or limit <= 0:
            raise OptionError("“max_file_mb” is a number above 0.")
        selection = Selection.of(
            texts("include", values["include"]),
            texts("exclude", values["exclude"]),
            follow_hidden=bool(values["follow_hidden"]),
        )
        readers = texts("access", values["access"])
        if not readers:
            raise OptionError("“access” names nobody; write workspace or addresses.")
        return cls(path, selection, readers, float(limit))

    @property
    def max_bytes(self) -> int:
        """Return the size of the largest file that is read."""
        return int(self.max_file_mb * BYTES_PER_MB)


def texts(name: str, value: Any) -> list[str]:
    """Return a list of texts, one text alone being a list too. Raises OptionError."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(
        isinstance(i, str) for i in items
    ):
        raise OptionError(f"“{name}” is a list of texts.")
    return [item.strip() for item in items if item.strip()]
