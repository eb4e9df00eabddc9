"""Building a document of headed parts, and knowing where each part stands."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from memory.documents import Block, BlockKind, Content, Document, Section

#: Start and end of a part in the document's text.
Place = tuple[int, int]


def headed_document(
    source: UUID, external_id: str, *, title: str, parts: Iterable[tuple[str, str]]
) -> tuple[Document, list[Place]]:
    """Return a document titled `title` whose sections are (heading, text) pairs.

    Beside it, the place of each part's own text, without its heading. Paragraphs are
    blocks, split at blank lines; the parts' text stands as it is.
    """
    text = f"# {title}\n\n"
    sections = [Section(path=(title,), level=1, start=0, end=len(text))]
    blocks = [Block(BlockKind.HEADING, 0, len(text) - 2)]
    places: list[Place] = []
    pieces = [text]
    at = len(text)
    for heading, body in parts:
        line = f"## {heading}\n\n"
        pieces += [line, body, "\n\n"]
        start = at + len(line)
        end = start + len(body)
        sections.append(Section((title, heading), level=2, start=at, end=end + 2))
        blocks.append(Block(BlockKind.HEADING, at, start - 2))
        blocks.extend(_paragraphs(body, start))
        places.append((start, end))
        at = end + 2
    content = Content(
        text="".join(pieces), sections=tuple(sections), blocks=tuple(blocks)
    )
    document = Document(
        source_id=source, external_id=external_id, title=title, content=content
    )
    return document, places


def _paragraphs(body: str, offset: int) -> list[Block]:
    """Return the runs of lines between blank lines as blocks."""
    blocks: list[Block] = []
    start: int | None = None
    at = 0
    for line in body.splitlines(keepends=True):
        if line.strip():
            start = at if start is None else start
        elif start is not None:
            blocks.append(_paragraph(body, start, at, offset))
            start = None
        at += len(line)
    if start is not None:
        blocks.append(_paragraph(body, start, at, offset))
    return blocks


def _paragraph(body: str, start: int, end: int, offset: int) -> Block:
    end = start + len(body[start:end].rstrip())
    return Block(BlockKind.PARAGRAPH, offset + start, offset + end)
