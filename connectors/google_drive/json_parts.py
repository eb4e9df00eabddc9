"""Parts of an answer's JSON: what isn't of the shape that's asked for is empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = Mapping[str, Any]


def part(value: Json, name: str) -> Json:
    """Return a field that is an object, else an empty one."""
    found = value.get(name)
    return found if isinstance(found, Mapping) else {}


def parts(value: Json, name: str) -> list[Json]:
    """Return the objects in a field that is a list, else none."""
    found = value.get(name)
    items = found if isinstance(found, list) else []
    return [item for item in items if isinstance(item, Mapping)]


def text(value: Json, name: str) -> str:
    """Return a field that is text, else ""."""
    found = value.get(name)
    return found if isinstance(found, str) else ""


def number(value: Json, name: str, default: int = 0) -> int:
    """Return a field that is a number, else the default."""
    found = value.get(name)
    if isinstance(found, bool) or not isinstance(found, int):
        return default
    return found
