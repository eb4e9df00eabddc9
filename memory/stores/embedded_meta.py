"""What a store's folder was built for, beside its table."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from memory.errors import StoreError, StoreMismatch

FILE = "store.json"
LOCK_FILE = "opening.lock"
FIRST_TABLE = "objects"
#: The mend that always works: all of a store follows from the database.
DAMAGED = (
    "If it's damaged, stop Attest, delete the folder and run `./manage.py rebuild`."
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
    """Return the error of a folder that can't be read or made."""
    return StoreError(
        f"The store's folder {folder} can't be used ({error}). "
        f"Check its rights and space. {DAMAGED}"
    )


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Let one process at a time make the table; a killed one holds no lock."""
    with (folder / LOCK_FILE).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


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
