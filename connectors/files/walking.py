"""Walking a folder: every entry once, in order, following no link."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from connectors.files.names import Selection, external_id


class EntryKind(StrEnum):
    """What an entry is, before it's opened."""

    FILE = "file"
    LINK = "link"
    SPECIAL = "special"  # a pipe, socket or device: opening one could wait for ever


@dataclass(frozen=True, slots=True)
class Entry:
    """Something in the folder. `parts` are names as the system has them."""

    parts: tuple[str, ...]
    kind: EntryKind

    @property
    def external_id(self) -> str:
        """Return its id at the source."""
        return external_id(self.parts)


@dataclass(frozen=True, slots=True)
class UnreadableFolder:
    """A folder that could not be listed, so what's in it is unknown."""

    parts: tuple[str, ...]
    why: str


def walk(root: str, selection: Selection) -> Iterator[Entry | UnreadableFolder]:
    """Yield the folder's entries depth first, by name, names compared as bytes.

    Raises OSError when the root itself can't be listed.
    """
    waiting = list(reversed(_listed(root, (), selection)))
    while waiting:
        parts, kind = waiting.pop()
        if kind is not None:
            yield Entry(parts, kind)
            continue
        try:
            inside = _listed(root, parts, selection)
        except OSError as error:
            yield UnreadableFolder(parts, error.strerror or type(error).__name__)
            continue
        waiting.extend(reversed(inside))


_Found = tuple[tuple[str, ...], EntryKind | None]  # None: a folder


def _listed(root: str, parts: tuple[str, ...], selection: Selection) -> list[_Found]:
    found: list[_Found] = []
    with os.scandir(os.path.join(root, *parts)) as entries:
        for entry in entries:
            inside = (*parts, entry.name)
            kind = _kind(entry)
            chosen = selection.enters if kind is None else selection.takes
            if chosen(inside):
                found.append((inside, kind))
    return sorted(found, key=lambda item: os.fsencode(item[0][-1]))


def _kind(entry: os.DirEntry[str]) -> EntryKind | None:
    try:
        if entry.is_symlink():
            return EntryKind.LINK
        if entry.is_dir(follow_symlinks=False):
            return None
        if entry.is_file(follow_symlinks=False):
            return EntryKind.FILE
    except OSError:
        return EntryKind.FILE  # reading it will tell what's wrong
    return EntryKind.SPECIAL


def link_verdict(root: str, parts: tuple[str, ...]) -> tuple[str, str]:
    """Return why a link isn't read, as a reason and a message.

    None is followed: what it leads to inside the folder is read where it stands, and
    what is outside was not given to us.
    """
    path = os.path.join(root, *parts)
    try:
        target = os.path.realpath(path, strict=True)
    except OSError as error:
        if error.errno == errno.ELOOP:
            return "symlink_loop", "It's a symbolic link that leads back to itself."
        return "symlink_broken", "It's a symbolic link to something that isn't there."
    here = os.path.dirname(path)
    if os.path.commonpath([target, here]) == target:
        return "symlink_loop", "It's a symbolic link to a folder that it stands in."
    if os.path.commonpath([target, root]) != root:
        return (
            "symlink_outside",
            "It's a symbolic link that leads out of the folder. Links aren't followed; "
            "add what it leads to as a source of its own.",
        )
    name = external_id(tuple(os.path.relpath(target, root).split("/")))
    return (
        "symlink",
        f"It's a symbolic link to “{name}”, which is read where it stands.",
    )
