"""Sections -> chunks of at most 400 tokens that tile the text (A2).

A chunk never spans two sections that are long enough to stand alone. Inside a section
the cascade is the paper's: paragraph (here: block), then sentence, then token. Where
we differ from the authors' code: sentences are a step of the cascade, long sections
are cut into even parts instead of full ones and a small rest, and short neighbouring
sections under one parent share a chunk, as a heading with one line says too little.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import pairwise
from uuid import UUID, uuid5

from memory.documents import BlockKind, Chunk, Content, Document, Section
from memory.sentences import sentence_spans
from memory.tokens import count_tokens, token_prefix

MAX_TOKENS = 400
#: Sections are gathered until a chunk has this many tokens.
GATHER_TOKENS = 120
#: Part of every chunker's name: another version makes other chunks of the same text.
VERSION = "sections-2"

Span = tuple[int, int]

#: Token counts of neighbouring texts may add up to a little less than their join's.
_SLACK = 8


@dataclass(frozen=True, slots=True)
class Chunker:
    """Cuts a document's content; deterministic."""

    max_tokens: int = MAX_TOKENS
    gather_tokens: int = GATHER_TOKENS

    @property
    def version(self) -> str:
        """Name the rules and their limits."""
        return f"{VERSION}/{self.max_tokens}/{self.gather_tokens}"

    def chunks(self, document: Document) -> list[Chunk]:
        """Return the chunks in order, without vectors.

        Their texts are slices of the content's text, in order and disjoint; what lies
        between them is white space. None has more than `max_tokens` tokens.
        """
        content = document.content
        pieces = [
            (path, anchor, span)
            for path, anchor, segment in self._segments(content)
            for span in self._split(content, segment)
            if content.text[span[0] : span[1]].strip()
        ]
        headers = _headers(content)
        repeats: Counter[tuple[tuple[str, ...], str]] = Counter()
        chunks = []
        for position, (path, anchor, (start, end)) in enumerate(pieces):
            text = content.text[start:end]
            chunks.append(
                Chunk(
                    id=_chunk_id(document.id, path, text, repeats[path, text]),
                    document_id=document.id,
                    text=text,
                    path=path,
                    position=position,
                    start=start,
                    end=end,
                    tokens=count_tokens(text),
                    title=document.title,
                    header=headers.get(_first_block_start(content, start, end), ""),
                    anchor=anchor,
                )
            )
            repeats[path, text] += 1
        return chunks

    def _segments(
        self, content: Content
    ) -> Iterator[tuple[tuple[str, ...], str, Span]]:
        """Yield path, anchor and span of the sections, short neighbours gathered."""
        gathered: list[Section] = []
        size = 0
        for section in _tiling(content):
            tokens = count_tokens(content.text[section.start : section.end])
            if gathered and not self._joins(gathered, size, section, tokens):
                yield _segment(content, gathered)
                gathered, size = [], 0
            gathered.append(section)
            size += tokens
        if gathered:
            yield _segment(content, gathered)

    def _joins(
        self, gathered: Sequence[Section], size: int, section: Section, tokens: int
    ) -> bool:
        """Tell whether a section is gathered with those before it."""
        if size + tokens > self.max_tokens or size >= self.gather_tokens:
            return False
        first = gathered[0]
        nested = section.path[: len(first.path)] == first.path
        siblings = first.path[:-1] == section.path[:-1]
        return nested or siblings or not first.path

    def _split(self, content: Content, segment: Span) -> Iterator[Span]:
        """Yield spans of at most `max_tokens` that tile the segment."""
        start, end = segment
        total = count_tokens(content.text[start:end])
        if total <= self.max_tokens:
            yield segment
            return
        even = total / -(-total // self.max_tokens)
        chunk_start, size = start, 0
        for (unit_start, unit_end), tokens in self._units(content, segment):
            if chunk_start < unit_start and (
                size + tokens / 2 > even
                or (
                    size + tokens > self.max_tokens - _SLACK
                    and self._tokens(content, chunk_start, unit_end) > self.max_tokens
                )
            ):
                yield chunk_start, unit_start
                chunk_start, size = unit_start, 0
            size += tokens
        yield chunk_start, end

    def _units(self, content: Content, segment: Span) -> Iterator[tuple[Span, int]]:
        """Yield blocks, sentences of long blocks, token runs of long sentences."""
        for block in _cut(segment, [block.start for block in content.blocks]):
            size = self._tokens(content, *block)
            if size <= self.max_tokens // 2:
                yield block, size
                continue
            text = content.text[block[0] : block[1]]
            starts = [block[0] + start for start, _ in sentence_spans(text)]
            for sentence in _cut(block, starts):
                yield from self._runs(content, sentence)

    def _runs(self, content: Content, span: Span) -> Iterator[tuple[Span, int]]:
        """Yield a sentence, or its longest prefixes that fit."""
        start, end = span
        while start < end:
            stop = start + token_prefix(content.text[start:end], self.max_tokens)
            yield (start, stop), self._tokens(content, start, stop)
            start = stop

    @staticmethod
    def _tokens(content: Content, start: int, end: int) -> int:
        return count_tokens(content.text[start:end])


def _tiling(content: Content) -> Sequence[Section]:
    """Return the sections, or one without a heading where there are none."""
    if content.sections:
        return content.sections
    return [Section(path=(), level=0, start=0, end=len(content.text))]


def _segment(
    content: Content, gathered: Sequence[Section]
) -> tuple[tuple[str, ...], str, Span]:
    """Name gathered sections by the path that those with a body have in common."""
    telling = [section for section in gathered if _has_body(content, section)]
    paths = [section.path for section in telling or gathered if section.path]
    path = reduce(_common, paths) if paths else ()
    anchor = next((item.anchor for item in telling or gathered if item.anchor), "")
    return path, anchor, (gathered[0].start, gathered[-1].end)


def _has_body(content: Content, section: Section) -> bool:
    """Tell whether more than a heading's line stands in a section."""
    text = content.text[section.start : section.end].strip()
    return not section.path or "\n" in text


def _common(left: tuple[str, ...], right: tuple[str, ...]) -> tuple[str, ...]:
    """Return the longest common prefix of two paths."""
    size = 0
    while size < min(len(left), len(right)) and left[size] == right[size]:
        size += 1
    return left[:size]


def _cut(span: Span, starts: Sequence[int]) -> Iterator[Span]:
    """Yield the parts of a span between those of `starts` that lie inside it."""
    inner = sorted({start for start in starts if span[0] < start < span[1]})
    yield from pairwise([span[0], *inner, span[1]])


def _headers(content: Content) -> dict[int, str]:
    """Return the header line of each table row by the row's start."""
    return {
        block.start: block.header
        for block in content.blocks
        if block.kind is BlockKind.TABLE_ROW and block.header
    }


def _first_block_start(content: Content, start: int, end: int) -> int:
    """Return where the first block that begins in a span begins, or -1."""
    at = bisect_left(content.blocks, start, key=lambda block: block.start)
    if at < len(content.blocks) and content.blocks[at].start < end:
        return content.blocks[at].start
    return -1


def _chunk_id(document_id: UUID, path: tuple[str, ...], text: str, repeat: int) -> UUID:
    """Return uuid5(document, heading path, text, repeat): an edit elsewhere keeps it."""
    return uuid5(document_id, "\x1f".join(["chunk", *path, text, str(repeat)]))
