"""Reading nodes of the Atlassian Document Format: JSON that may hold anything."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

Node = Mapping[str, Any]


def type_of(node: Node) -> str:
    """Return a node's type, "" where it has none."""
    name = node.get("type")
    return name if isinstance(name, str) else ""


def children(node: Node) -> Iterator[Node]:
    """Yield the nodes inside a node; whatever is no node is passed over."""
    inside = node.get("content")
    if isinstance(inside, list):
        yield from (child for child in inside if isinstance(child, Mapping))


def attribute(node: Node, name: str) -> str:
    """Return an attribute as text, "" where it's missing or no text or number."""
    value = attributes(node).get(name)
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value)


def attributes(node: Node) -> Mapping[str, Any]:
    """Return a node's attributes, none where they aren't an object."""
    found = node.get("attrs")
    return found if isinstance(found, Mapping) else {}


def number(node: Node, name: str, default: int) -> int:
    """Return an attribute as a whole number."""
    value = attributes(node).get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return int(value) if abs(value) < 10_000_000 else default


def text_of(node: Node) -> str:
    """Return a text node's text."""
    text = node.get("text")
    return text if isinstance(text, str) else ""


def plain_text(node: Node) -> str:
    """Return all text below a node, lines between the parts; it doesn't recurse."""
    pieces: list[str] = []
    waiting: list[Node] = [node]
    while waiting:
        current = waiting.pop()
        if text := text_of(current) or attribute(current, "text"):
            pieces.append(text)
        waiting.extend(reversed(list(children(current))))
    return "\n".join(pieces)


def card(node: Node) -> tuple[str, str]:
    """Return what a smart link shows and where it leads: name and URL.

    It has a URL, or JSON-LD under `data` with `name` and `url`.
    """
    data = attributes(node).get("data")
    data = data if isinstance(data, Mapping) else {}
    url = attribute(node, "url") or _text(data.get("url")) or _text(data.get("@id"))
    return _text(data.get("name")) or url, url


def day(timestamp: str) -> str:
    """Return the day of a time in milliseconds as 2026-03-04, or the text as it is.

    The vendor keeps a date as midnight UTC of that day.
    """
    try:
        return datetime.fromtimestamp(int(timestamp) / 1000, UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return timestamp


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
