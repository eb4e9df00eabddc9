"""What the pipeline is made of: documents, chunks, memories, evidence, answers.

Frozen values without behaviour that matters. Offsets are characters in
`Content.text`, the end is exclusive. Times are aware.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid5

import numpy as np
from numpy.typing import NDArray

from memory.access import Scope, Status

FloatArray = NDArray[np.float32]
#: One unit vector of shape (d,).
Vector = NDArray[np.float32]

#: The exact text of an abstention in data (A10); shown in the reader's language.
ABSTENTION = "I don't have enough information to answer."


class BlockKind(StrEnum):
    """What a run of text is; decides how it's split, distilled and shown."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_HEADER = "table_header"
    TABLE_ROW = "table_row"
    CODE = "code"
    QUOTE = "quote"


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text of one kind: `Content.text[start:end]`.

    `depth` is a list item's nesting from 0. `header` is, for a table row, the header
    line of its table as it stands in the text ("" where the table has none).
    """

    kind: BlockKind
    start: int
    end: int
    depth: int = 0
    header: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it, up to the next heading of any level.

    `path` holds the titles of its ancestors and its own; () and level 0 for what
    stands before the first heading. `anchor` is the fragment that opens it at the
    source, or "".
    """

    path: tuple[str, ...]
    level: int
    start: int
    end: int
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Link:
    """A link over `Content.text[start:end]`; `url` may be relative to its document."""

    start: int
    end: int
    url: str


@dataclass(frozen=True, slots=True)
class Content:
    """A document's normalised text with its structure.

    The text is Markdown in shape: `#` headings, `-` and `1.` items indented by two
    spaces a level, `| a | b |` table rows after a header row, fenced code. Links are
    kept beside the text, not in it. Sections tile the text; blocks are ordered and
    disjoint. `unhandled` counts elements of the source that could not be rendered.
    """

    text: str
    sections: tuple[Section, ...] = ()
    blocks: tuple[Block, ...] = ()
    links: tuple[Link, ...] = ()
    unhandled: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Document:
    """One page, file or mail as its source has it now."""

    source_id: UUID
    external_id: str
    title: str
    content: Content
    url: str = ""
    kind: str = "page"
    author: str = ""
    owner: str = ""
    version: str = ""
    updated_at: datetime | None = None
    status: Status = Status.CURRENT

    @property
    def id(self) -> UUID:
        """Return uuid5 of the source's id and the document's id there."""
        return document_id(self.source_id, self.external_id)


def document_id(source_id: UUID, external_id: str) -> UUID:
    """Return a document's id; it depends on nothing that an edit changes."""
    return uuid5(source_id, external_id)


@dataclass(frozen=True, slots=True)
class Properties:
    """What a store keeps of a document beside its text, and can rewrite alone."""

    document_id: UUID
    source_id: UUID
    title: str
    access_rule: str
    tokens: frozenset[str]
    status: Status = Status.CURRENT
    url: str = ""
    source_name: str = ""
    #: The document's id at its source; relative to the folder for files.
    external_id: str = ""
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A raw chunk, the detailed view: `text` is `Content.text[start:end]`.

    `header` repeats the header line of the table that the chunk continues, else "".
    `tokens` counts `text` in cl100k_base. `title` is the document's, as embedded.
    """

    id: UUID
    document_id: UUID
    text: str
    path: tuple[str, ...]
    position: int
    start: int
    end: int
    tokens: int
    title: str = ""
    header: str = ""
    anchor: str = ""
    vector: Vector | None = field(default=None, compare=False, repr=False)


class MemoryType(StrEnum):
    """The types of A3, and the abstraction of A4."""

    FACT = "fact"
    PROCEDURE = "procedure"
    DEFINITION = "definition"
    REQUIREMENT = "requirement"
    DECISION = "decision"
    ABSTRACTION = "abstraction"


@dataclass(frozen=True, slots=True)
class Memory:
    """A distilled memory: a short key, a concise value, the chunks that entail it."""

    id: UUID
    document_id: UUID
    chunk_ids: tuple[UUID, ...]
    type: MemoryType
    key: str
    value: str
    extractor: str
    vector: Vector | None = field(default=None, compare=False, repr=False)


class View(StrEnum):
    """The two views of a store: raw chunks and distilled memories."""

    CHUNKS = "chunks"
    MEMORIES = "memories"


@dataclass(frozen=True, slots=True)
class Hit:
    """An object that a search found. `score` is raw: cosine in [-1, 1], or BM25.

    `chunk_ids` are the chunks that it stands for: itself, or a memory's sources.
    """

    id: UUID
    document_id: UUID
    chunk_ids: tuple[UUID, ...]
    score: float


@dataclass(frozen=True, slots=True)
class StoredChunk:
    """A chunk as a store returns it, with its document's properties."""

    chunk: Chunk
    properties: Properties


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier turn of the conversation; `role` is "user" or "assistant"."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked, by whom it may be answered, and by when."""

    text: str
    scope: Scope
    history: tuple[Turn, ...] = ()
    deadline_s: float = 45.0


class Outcome(StrEnum):
    """How an exchange ended; a failure is never told as an abstention."""

    ANSWERED = "answered"
    ABSTAINED = "abstained"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Evidence:
    """A packed chunk as the answer may use it. `text` has a continued table's header.

    `topic` is the key of the chunk's memories: title and headings.
    """

    chunk_id: UUID
    document_id: UUID
    heading: str
    text: str
    tokens: int
    anchor: str = ""
    topic: str = ""
    #: When its document was last changed at the source.
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class LinkedDocument:
    """A document that a reply links."""

    id: UUID
    title: str
    url: str
    source: str
    external_id: str = ""
    updated_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A piece of an answer with the documents that support it, in link order.

    The answer's text is the sentences' texts joined by `Answer.text` itself: `start`
    and `end` are offsets there.
    """

    start: int
    end: int
    document_ids: tuple[UUID, ...] = ()
    chunk_ids: tuple[UUID, ...] = ()


@dataclass(frozen=True, slots=True)
class StageTrace:
    """What one stage did: its time and whatever explains its result (JSON values)."""

    stage: str
    milliseconds: float
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Answer:
    """The result of one question.

    `documents` are those that the reply links, in link order; empty unless answered.
    `nearest` are the documents an abstention offers as "might help", or a failure as
    evidence. `ranking` are distinct documents after reranking, before the gate.
    `answerability` and `confidence` are probabilities in [0, 1]. `fallbacks` names
    the stages that fell back and why.
    """

    outcome: Outcome
    text: str
    answerability: float
    confidence: float
    documents: tuple[LinkedDocument, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    nearest: tuple[LinkedDocument, ...] = ()
    ranking: tuple[UUID, ...] = ()
    extractive: bool = True
    #: False where no gate judged: `answerability` is then a constant.
    is_judged: bool = True
    searched_documents: int | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, float | int | None] = field(default_factory=dict)
    fallbacks: tuple[str, ...] = ()
    trace: tuple[StageTrace, ...] = ()

    @property
    def evidence_tokens(self) -> int:
        """Return the size of all evidence cards in cl100k_base tokens."""
        return sum(item.tokens for item in self.evidence)
