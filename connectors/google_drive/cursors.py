"""Where the reading of the drives stands: a place in each change log, and the folders.

A change log names a folder that was moved, trashed or shared, but not what lies in it;
and it names a folder too when something was put into it. So the state that matters of
each folder is remembered, in twelve characters, to tell the one from the other.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from connectors.base import Cursor
from connectors.google_drive.options import DriveOptions
from connectors.google_drive.values import Drive, File, Permission

#: Files that are asked for again at the next run, though no change log names them.
MAX_AGAIN = 500

Permissions = Sequence[Permission] | None

_KEY_BYTES, _STATE_BYTES = 5, 4
_RECORD = _KEY_BYTES + _STATE_BYTES


class Folders:
    """Folders and shortcuts that are read, each with a hash of its place and rights."""

    def __init__(self, states: Mapping[bytes, bytes] | None = None) -> None:
        """Start with these hashes of states by hashes of ids."""
        self._states = dict(states or {})

    @classmethod
    def unpacked(cls, text: Any) -> Folders:
        """Read what `packed` wrote; anything else is like no folder."""
        try:
            data = base64.b64decode(
                text if isinstance(text, str) else "", validate=True
            )
        except (binascii.Error, ValueError):
            data = b""
        return cls(
            {
                data[at : at + _KEY_BYTES]: data[at + _KEY_BYTES : at + _RECORD]
                for at in range(0, len(data) - _RECORD + 1, _RECORD)
            }
        )

    def packed(self) -> str:
        """Write them as text."""
        records = (key + state for key, state in sorted(self._states.items()))
        return base64.b64encode(b"".join(records)).decode("ascii")

    def knows(self, id_: str) -> bool:
        """Tell whether a folder or shortcut was read."""
        return _digest(id_, _KEY_BYTES) in self._states

    def is_as_before(self, place: File | Drive, shared: Permissions) -> bool:
        """Tell whether one that was read is where and as it was; `shared` is with whom."""
        known = self._states.get(_digest(place.id, _KEY_BYTES))
        return known == _state(place, shared)

    def note(self, place: File | Drive, shared: Permissions) -> None:
        """Remember one as it is."""
        self._states[_digest(place.id, _KEY_BYTES)] = _state(place, shared)

    def forget(self, id_: str) -> None:
        """Forget one that isn't read any more."""
        self._states.pop(_digest(id_, _KEY_BYTES), None)


@dataclass(slots=True)
class Position:
    """`tokens` are places in change logs by drive (corpora.Corpus.key)."""

    tokens: dict[str, str] = field(default_factory=dict)
    folders: Folders = field(default_factory=Folders)
    reads: str = ""
    #: Ids of files that could not be read, in the order that they're asked for.
    again: dict[str, None] = field(default_factory=dict)

    @classmethod
    def of(cls, cursor: Cursor | None) -> Position:
        """Read a cursor; one that can't be read is like none."""
        value = cursor or {}
        tokens = value.get("tokens")
        again = value.get("again")
        return cls(
            tokens={str(key): str(token) for key, token in tokens.items()}
            if isinstance(tokens, Mapping)
            else {},
            folders=Folders.unpacked(value.get("folders")),
            reads=str(value.get("reads") or ""),
            again=dict.fromkeys(map(str, again if isinstance(again, list) else ())),
        )

    def cursor(self) -> Cursor:
        """Write it as JSON values."""
        return {
            "tokens": dict(self.tokens),
            "folders": self.folders.packed(),
            "reads": self.reads,
            "again": list(self.again)[:MAX_AGAIN],
        }

    def needs_whole(self, reads: str, keys: Iterable[str]) -> bool:
        """Tell whether everything is to be looked at: a drive has no place, say."""
        return self.reads != reads or any(key not in self.tokens for key in keys)


def fingerprint(options: DriveOptions, version: str) -> str:
    """Name what decides what is read and how; another one means a whole pass."""
    values = list(_named(options))
    return hashlib.sha256(json.dumps([values, version]).encode()).hexdigest()[:16]


def _named(options: DriveOptions) -> Iterator[Any]:
    yield options.base_url
    yield list(options.subjects)
    yield [options.key.get("client_email"), options.client_id]
    yield [options.my_drives, options.shared_with_me, options.read_shared_drives]
    for chosen in (
        options.shared_drives,
        options.folders,
        options.exclude_folders,
        options.company_domains,
    ):
        yield sorted(chosen)
    yield [options.company_links, options.anyone_with_link, options.max_file_mb]


def _state(place: File | Drive, shared: Permissions) -> bytes:
    """Return a hash of what decides whether what lies in a folder is read, and by whom."""
    with_whom = sorted(map(repr, shared or ()))
    if isinstance(place, Drive):
        parts: list[Any] = [place.is_for_members, place.is_for_its_domain]
    else:
        own = (place.is_own, place.is_limited, place.has_own_permissions)
        parts = [sorted(place.parents), place.drive_id, place.target_id, *own]
    return _digest(repr([parts, shared is None, with_whom]), _STATE_BYTES)


def _digest(text: str, size: int) -> bytes:
    return hashlib.blake2b(
        text.encode("utf-8", "surrogatepass"), digest_size=size
    ).digest()
