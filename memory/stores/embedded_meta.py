"""What a store's folder was built for, beside its table."""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memory.errors import StoreDamaged, StoreError, StoreMismatch

FILE = "store.json"
LOCK_FILE = "opening.lock"
FIRST_TABLE = "objects"
#: The mend that always works: all of a store follows from the database.
_MEND = "stop Attest, delete the folder and run `./manage.py rebuild`."
#: How LanceDB's errors say that a file isn't what was written; they have no class.
_DAMAGE = (
    *("corrupt", "appear to be a lance file", "failed to decode", "panicked"),
    *("failed to fill whole buffer", "file size is too small", "outside file of size"),
    *("invalid utf8", "unexpected eof", "decompression failed"),
)


def open_folder(folder: Path, wanted: dict[str, Any]) -> str:
    """Make the folder with its note, or check that the note is `wanted`.

    Returns the name of the table that answers. Raises StoreMismatch with the mend
    where it was built for something else, and StoreError where it can't be read.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not (folder / FILE).exists():
            _write(folder / FILE, wanted)
    except OSError as error:
        raise unusable(folder, error) from error
    found = read_note(folder)
    if {name: found.get(name) for name in wanted} != wanted:
        raise StoreMismatch(
            f"The store in {folder} was built for {_described(found)}; the settings "
            f"say {_described(wanted)}. Choose the old model again, or run "
            "`./manage.py rebuild`."
        )
    return table_of(found)


def read_note(folder: Path) -> dict[str, Any]:
    """Return the folder's note. Raises StoreError where there's none to read."""
    try:
        found = json.loads((folder / FILE).read_text())
    except (OSError, ValueError) as error:
        raise unusable(folder, error) from error
    return found if isinstance(found, dict) else {}


def table_of(note: dict[str, Any]) -> str:
    """Return the table that a note names; the first one of a folder isn't named."""
    return str(note.get("table", FIRST_TABLE))


def note_stamp(folder: Path) -> tuple[int, int] | None:
    """Return what changes with every new note, None where there's none."""
    try:
        found = (folder / FILE).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def point_at(folder: Path, note: dict[str, Any]) -> None:
    """Put a new note in place of the old one, in one step."""
    own = folder / f"{FILE}.{os.getpid()}"
    own.write_text(json.dumps(note, indent=2) + "\n")
    own.replace(folder / FILE)


def unusable(folder: Path, error: Exception) -> StoreError:
    """Return the error of a folder that can't be read, written or made."""
    cause = _cause(error)
    broken_note = isinstance(error, json.JSONDecodeError | UnicodeDecodeError)
    if broken_note or any(sign in str(error).lower() for sign in _DAMAGE):
        return StoreDamaged(
            f"The store in {folder} is damaged and can't be used: {cause} To mend it, "
            f"{_MEND}"
        )
    return StoreError(
        f"The store in {folder} can't be used: {cause} Check the folder's rights and "
        f"space. If it's damaged, {_MEND}"
    )


@contextmanager
def store_errors(folder: Path) -> Iterator[None]:
    """Turn LanceDB's and the system's errors into ours."""
    try:
        yield
    except Exception as error:
        # The class of a panic in LanceDB's threads can't be imported.
        panic = type(error).__name__ == "RustPanic"
        if not panic and not isinstance(error, RuntimeError | OSError | ValueError):
            raise
        raise unusable(folder, error) from error


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Let one process at a time make the table; a killed one holds no lock."""
    with (folder / LOCK_FILE).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _cause(error: Exception) -> str:
    """Return an error's first line, cut (a filter may be long), without its source path."""
    line = str(error).partition("\n")[0]
    return re.split(r",? /\S+\.rs", line)[0][:200].rstrip(" .,") + "."


def _described(note: dict[str, Any]) -> str:
    return (
        f"schema {note.get('schema')}, embedding model {note.get('embedder')!r} "
        f"of {note.get('dimensions')} dimensions"
    )


def _write(path: Path, note: dict[str, Any]) -> None:
    """Write the note whole; where two processes do, they write the same or one loses."""
    own = path.with_name(f"{FILE}.{os.getpid()}")
    own.write_text(json.dumps(note, indent=2) + "\n")
    try:
        os.link(own, path)
    except FileExistsError:
        pass
    finally:
        own.unlink()
