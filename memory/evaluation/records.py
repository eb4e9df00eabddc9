"""Strict reading of JSON records: what's wrong is told with its file and line."""

from __future__ import annotations

import hashlib
import json
import lzma
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory.errors import DataSetError

_MISSING = object()


@dataclass(frozen=True, slots=True)
class Record:
    """One JSON object and where it stands, as `file:line`."""

    values: Mapping[str, Any]
    place: str

    def error(self, problem: str) -> DataSetError:
        """Return the error that names the place and the problem."""
        return DataSetError(f"{self.place}: {problem}")

    def text(self, key: str, *, default: Any = _MISSING) -> str:
        """Return a string; a required one must not be blank."""
        value = self._value(key, default)
        if not isinstance(value, str):
            raise self.error(f"`{key}` must be a string, not {_kind(value)}.")
        if default is _MISSING and not value.strip():
            raise self.error(f"`{key}` is blank.")
        return value

    def number(self, key: str) -> int:
        """Return a whole number from 0."""
        value = self._value(key, _MISSING)
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self.error(f"`{key}` must be a whole number from 0.")
        return value

    def items(self, key: str, *, required: bool = False) -> list[Any]:
        """Return a list, empty where the key is absent and not required."""
        value = self._value(key, _MISSING if required else [])
        if not isinstance(value, list):
            raise self.error(f"`{key}` must be a list, not {_kind(value)}.")
        return value

    def texts(self, key: str, *, required: bool = False) -> list[str]:
        """Return a list of strings that are not blank."""
        return self.checked_texts(self.items(key, required=required), key)

    def checked_texts(self, value: Any, name: str) -> list[str]:
        """Return `value` if it's a list of strings that are not blank."""
        if not isinstance(value, list):
            raise self.error(f"`{name}` must be a list, not {_kind(value)}.")
        if not all(isinstance(item, str) and item.strip() for item in value):
            raise self.error(f"`{name}` must hold strings that are not blank.")
        return value

    def records(self, key: str, *, required: bool = False) -> list[Record]:
        """Return a list of objects as records of their own."""
        values = self.items(key, required=required)
        if not all(isinstance(value, dict) for value in values):
            raise self.error(f"`{key}` must hold objects.")
        return [
            Record(value, f"{self.place}, {key}[{number}]")
            for number, value in enumerate(values)
        ]

    def _value(self, key: str, default: Any) -> Any:
        value = self.values.get(key, default)
        if value is _MISSING:
            raise self.error(f"`{key}` is missing.")
        return value


def read_jsonl(path: Path) -> Iterator[Record]:
    """Yield the records of a JSONL file, also one packed by xz; blank lines are skipped.

    Raises DataSetError, with file and line, where it isn't such a file.
    """
    try:
        opener = lzma.open if path.suffix == ".xz" else open
        with opener(path, "rt", encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield Record(_object(line, f"{path}:{number}"), f"{path}:{number}")
    except (OSError, EOFError, lzma.LZMAError) as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise DataSetError(f"{path}: not UTF-8 text ({error.reason}).") from error


def read_json(path: Path) -> Record:
    """Return the one object of a JSON file. Raises DataSetError."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise _unreadable(path, error) from error
    except UnicodeDecodeError as error:
        raise DataSetError(f"{path}: not UTF-8 text ({error.reason}).") from error
    return Record(_object(text, str(path)), str(path))


def hash_file(path: Path) -> str:
    """Return SHA-256 of a file's bytes. Raises DataSetError where it can't be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(path, error) from error


def _object(text: str, place: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise DataSetError(f"{place}: not JSON ({error}).") from error
    except RecursionError as error:
        raise DataSetError(f"{place}: nested too deeply.") from error
    if not isinstance(value, dict):
        raise DataSetError(f"{place}: must be an object, not {_kind(value)}.")
    return value


def _unreadable(path: Path, error: Exception) -> DataSetError:
    reason = getattr(error, "strerror", None) or type(error).__name__
    return DataSetError(f"{path}: can't be read ({reason}).")


def _kind(value: Any) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value"}
    if value is None:
        return "null"
    return names.get(type(value), "a number")
