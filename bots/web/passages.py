"""The passages of a document that an answer rested on, where they stand now."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.documents import Evidence


@dataclass(frozen=True, slots=True)
class Passage:
    """A range of the text that an answer rested on; `opens` is a chunk's first."""

    start: int
    end: int
    chunk_id: UUID
    opens: bool = True

    @property
    def anchor(self) -> str:
        """Return the id of its first character on the page."""
        return passage_anchor(self.chunk_id)


def passage_anchor(chunk_id: UUID) -> str:
    """Return the fragment that jumps to a chunk."""
    return f"c-{chunk_id}"


def passages(
    text: str,
    evidence: Sequence[Evidence],
    quotes: Mapping[UUID, Sequence[str]] | None = None,
) -> list[Passage]:
    """Return where the evidence stands in the text now, in order and disjoint.

    `quotes` are what the answer quotes of each chunk: where all of a chunk's are found
    in it, they are its passages, and else the whole chunk is one.

    Evidence that isn't there word for word any more is left out: the document
    changed since. The repeated header of a continued table isn't looked for.
    """
    found: list[Passage] = []
    for item in evidence:
        if place := _place(text, item.text):
            quoted = (quotes or {}).get(item.chunk_id, ())
            found.extend(_narrowed(text, Passage(*place, item.chunk_id), quoted))
    disjoint: list[Passage] = []
    for passage in sorted(found, key=lambda item: item.start):
        if not disjoint or passage.start >= disjoint[-1].end:
            disjoint.append(passage)
    return disjoint


def _narrowed(text: str, chunk: Passage, quotes: Sequence[str]) -> list[Passage]:
    places = []
    for quote in quotes:
        words = r"\s+".join(re.escape(word) for word in quote.split())
        match = re.compile(words).search(text, chunk.start, chunk.end)
        if not words or match is None:
            return [chunk]
        places.append(match.span())
    return [
        Passage(*place, chunk.chunk_id, opens=order == 0)
        for order, place in enumerate(sorted(set(places)))
    ] or [chunk]


def _place(text: str, wanted: str) -> tuple[int, int] | None:
    _, _, without_header = wanted.partition("\n")
    for candidate in (wanted.strip(), without_header.strip()):
        if candidate and (start := text.find(candidate)) >= 0:
            return start, start + len(candidate)
    return None
