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
#: The mend that always works: all of a store follows from the database.
DAMAGED = (
    "If it's damaged, stop Attest, delete the folder and run `./manage.py rebuild`."
)


def open_folder(folder: Path, wanted: dict[str, Any]) -> None:
    """Make the folder with its note, or check that the note is `wanted`.

    Raises StoreMismatch with the mend where it was built for something else, and
    StoreError where it can't be read or made.
    """
    path = folder / FILE
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not path.exists():
            _write(path, wanted)
        found = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise StoreError(
            f"The store's folder {folder} can't be used ({error}). "
            f"Check its rights and space. {DAMAGED}"
        ) from error
    if found != wanted:
        raise StoreMismatch(
            f"The store in {folder} was built for {_described(found)}; the settings "
            f"say {_described(wanted)}. Choose the old model again, or delete the "
            "folder and run `./manage.py rebuild`."
        )


@contextmanager
def one_at_a_time(folder: Path) -> Iterator[None]:
    """Let one process at a time make the table; a killed one holds no lock."""
    with (folder / LOCK_FILE).open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _described(note: Any) -> str:
    if not isinstance(note, dict):
        return "something else"
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
