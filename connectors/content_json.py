"""Content to JSON values and back, exactly; and text that every database can hold.

Sections, blocks and links are short arrays: a document has thousands of them, and the
names of their fields would outweigh the text.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from memory.documents import Block, BlockKind, Content, Document, Link, Section

#: Written into every value, so that a later shape can tell an earlier one.
SHAPE = 1

# PostgreSQL refuses both in text and JSON; one character for one keeps offsets right.
_NOT_STORABLE = re.compile("[\x00\ud800-\udfff]")


def to_json(content: Content) -> dict[str, Any]:
    """Return JSON values that `from_json` turns into an equal Content."""
    return {
        "shape": SHAPE,
        "text": content.text,
        "sections": [
            [list(item.path), item.level, item.start, item.end, item.anchor]
            for item in content.sections
        ],
        "blocks": [
            [item.kind.value, item.start, item.end, item.depth, item.header]
            for item in content.blocks
        ],
        "links": [[item.start, item.end, item.url] for item in content.links],
        "unhandled": dict(content.unhandled),
    }


def from_json(value: dict[str, Any]) -> Content:
    """Return the Content that `to_json` was given. Raises ValueError for another shape."""
    if value.get("shape") != SHAPE:
        raise ValueError(f"Content of shape {value.get('shape')!r} can't be read.")
    return Content(
        text=value["text"],
        sections=tuple(
            Section(tuple(path), level, start, end, anchor)
            for path, level, start, end, anchor in value["sections"]
        ),
        blocks=tuple(
            Block(BlockKind(kind), start, end, depth, header)
            for kind, start, end, depth, header in value["blocks"]
        ),
        links=tuple(Link(start, end, url) for start, end, url in value["links"]),
        unhandled=dict(value["unhandled"]),
    )


def content_hash(title: str, value: dict[str, Any]) -> str:
    """Return 64 hex digits that name a title and `to_json` of a content."""
    text = json.dumps([title, value], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def storable_text(text: str) -> str:
    """Return the text with every NUL and lone surrogate replaced, one for one."""
    return _NOT_STORABLE.sub("\ufffd", text)


def storable(document: Document) -> Document:
    """Return the document with nothing in it that a database refuses.

    Offsets stay right. What is storable already is returned as it is.
    """
    return replace(
        document,
        external_id=storable_text(document.external_id),
        title=storable_text(document.title),
        content=_storable_content(document.content),
        url=storable_text(document.url),
        kind=storable_text(document.kind),
        author=storable_text(document.author),
        owner=storable_text(document.owner),
        version=storable_text(document.version),
    )


def _storable_content(content: Content) -> Content:
    if not any(map(_NOT_STORABLE.search, _strings(content))):
        return content
    return from_json(_cleaned(to_json(content)))


def _strings(content: Content) -> Iterator[str]:
    yield content.text
    for section in content.sections:
        yield from section.path
        yield section.anchor
    yield from (block.header for block in content.blocks)
    yield from (link.url for link in content.links)
    yield from content.unhandled


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {storable_text(name): _cleaned(item) for name, item in value.items()}
    return value
