"""The `local` extractor: typed memories by rules, without a model.

It stands in for A3 where no language model may read the text. A memory's value is one
sentence, list item or table row of the chunk, its key the titles above it; so it
never says more than its chunk. Where A3 allows three memories a chunk, the limit here
is `per_chunk`, chosen on the handbook by `evaluate` (docs/evaluation.md).
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from memory.distillation.base import Statement, make_memory, normalised
from memory.distillation.statements import (
    is_statement,
    item_values,
    lead_in,
    memory_key,
    one_line,
    row_value,
)
from memory.documents import (
    BlockKind,
    Chunk,
    Content,
    Document,
    Memory,
    MemoryType,
)
from memory.sentences import sentence_spans

VERSION = "local-1"

_WORD = re.compile(r"\w+")
_DECISION = re.compile(
    r"\b(decided|decision|agreed|we chose|approved|no longer|instead of|as of|effective)\b",
    re.I,
)
_REQUIREMENT = re.compile(
    r"\b(must|shall|should|required?|requires|need(?:s|ed)? to|ha(?:s|ve) to|may not|"
    r"can ?not|never|always|mandatory|only if|at least|at most|no more than)\b",
    re.I,
)
_DEFINITION = re.compile(
    r"^[\"“']?[\w /&()-]{2,60}?[\"”']?\s+(?:is|are|means|refers to|stands for)\s+", re.I
)
_PROCEDURE = re.compile(
    r"^(?:\d+[.)]\s+)?(?:to \w+|go|click|open|select|create|add|send|submit|ask|run|"
    r"use|post|fill|enter|choose|contact|email|request|log|check|review|follow|make|"
    r"navigate|install|update|schedule|share|assign|set)\b",
    re.I,
)


@dataclass(frozen=True, slots=True)
class _Statement:
    """One candidate value with the kind of block that it stands in."""

    value: str
    kind: BlockKind
    ordered: bool = False


@dataclass(frozen=True, slots=True)
class LocalExtractor:
    """Makes memories of sentences, items and rows. Deterministic."""

    per_chunk: int = 8

    @property
    def version(self) -> str:
        """Name the rules and their limit."""
        return f"{VERSION}/{self.per_chunk}"

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Memory]:
        """Return memories in document order, repeats joined; see `Extractor`."""
        found: dict[tuple[str, str], tuple[MemoryType, str, str, list[UUID]]] = {}
        for chunk in chunks:
            key = memory_key(document.title, chunk.path)
            statements = list(_statements(document.content, chunk))
            for statement in _best(statements, self.per_chunk):
                name = (normalised(key), normalised(statement.value))
                if name not in found:
                    kind = memory_type(statement.value, statement.kind)
                    found[name] = (kind, key, statement.value, [])
                sources = found[name][3]
                if chunk.id not in sources:
                    sources.append(chunk.id)
        return [
            make_memory(document.id, Statement(kind, key, value), sources, self.version)
            for kind, key, value, sources in found.values()
        ]


def memory_type(value: str, kind: BlockKind) -> MemoryType:
    """Return a statement's type by its wording; a fact where no rule fits."""
    if kind in (BlockKind.TABLE_ROW, BlockKind.TABLE_HEADER):
        return MemoryType.FACT
    if _DECISION.search(value):
        return MemoryType.DECISION
    if _REQUIREMENT.search(value):
        return MemoryType.REQUIREMENT
    if _PROCEDURE.search(value):
        return MemoryType.PROCEDURE
    if _DEFINITION.search(value):
        return MemoryType.DEFINITION
    return MemoryType.FACT


def _statements(content: Content, chunk: Chunk) -> Iterator[_Statement]:
    """Yield the statements that a chunk makes, in order."""
    first = bisect_left(content.blocks, chunk.start, key=lambda block: block.end - 1)
    lead = ""
    for block in content.blocks[first:]:
        if block.start >= chunk.end:
            return
        text = content.text[max(block.start, chunk.start) : min(block.end, chunk.end)]
        if block.kind in (BlockKind.PARAGRAPH, BlockKind.QUOTE):
            sentences = (text[start:end] for start, end in sentence_spans(text))
            yield from (_Statement(one_line(s), block.kind) for s in sentences)
            lead = lead_in(text)
        elif block.kind is BlockKind.LIST_ITEM:
            yield from _item(text, lead)
        elif block.kind is BlockKind.TABLE_ROW:
            yield _Statement(row_value(text, block.header), block.kind)


def _item(text: str, lead: str) -> Iterator[_Statement]:
    """Yield a list item under its lead-in; a long item sentence by sentence."""
    ordered = bool(re.match(r"^\s*\d+[.)]\s", text))
    for value in item_values(text, lead):
        yield _Statement(value, BlockKind.LIST_ITEM, ordered)


def _best(statements: Sequence[_Statement], limit: int) -> list[_Statement]:
    """Return at most `limit` statements that say something, in their order."""
    useful = [
        (at, statement)
        for at, statement in enumerate(statements)
        if is_statement(statement.value)
    ]
    useful.sort(key=lambda item: (-_weight(item[1]), item[0]))
    return [statement for _, statement in sorted(useful[:limit], key=lambda i: i[0])]


def _weight(statement: _Statement) -> float:
    """Return how much a statement is worth keeping, by its form alone."""
    value = statement.value
    words = len(_WORD.findall(value))
    score = min(words, 25) / 25
    score += 0.5 * bool(re.search(r"\d", value))
    score += 0.4 * bool(_REQUIREMENT.search(value)) + 0.3 * bool(
        _DECISION.search(value)
    )
    score += 0.3 * bool(_DEFINITION.search(value))
    score += 0.3 * (statement.kind is BlockKind.TABLE_ROW) + 0.2 * statement.ordered
    return score - 0.5 * value.endswith(("?", ":"))
