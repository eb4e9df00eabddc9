"""The extractor's contract: chunks in, typed memories out (A3, A4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable
from uuid import UUID, uuid5

import structlog

from memory.documents import Chunk, Document, Memory, MemoryType

log = structlog.get_logger(__name__)

#: One document and its chunks, in order.
Work = tuple[Document, Sequence[Chunk]]

#: Called now and then with how many texts were read since, also 0.
OnProgress = Callable[[int], None]

_WORD = re.compile(r"\w+")


class Extractor(Protocol):
    """Distils the chunks of one document. It never invents: a chunk entails its memories."""

    @property
    def version(self) -> str:
        """Name extractor, rules or prompt, and model; part of every memory's id."""
        ...

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Memory]:
        """Return the memories of all chunks, without vectors.

        A chunk whose extraction fails has none; it never raises for one chunk.
        Exact repeats (normalised key and value) within the document are one memory
        with the union of their chunks, in document order.
        """
        ...


@dataclass(frozen=True, slots=True)
class Distilled:
    """What became of one document.

    `failed` counts chunks and groups of memories whose model call failed or wasn't
    made, so that something is missing; `dropped` the items of replies that were left
    out, being bad or one too many. `reason` says why the last one failed.
    """

    memories: list[Memory]
    failed: int = 0
    dropped: int = 0
    reason: str = ""
    #: Extraction ended for everything, not for this document: what's left is untried.
    stopped: bool = False


def extracted(
    extractor: Extractor, document: Document, chunks: Sequence[Chunk]
) -> Distilled:
    """Return what one document yields; a failure counts for each of its chunks."""
    try:
        return Distilled(extractor.extract(document, chunks))
    except Exception as error:  # noqa: BLE001 - DESIGN.md: no memories, never no chunk
        log.exception("distillation_failed", document=str(document.id))
        reason = f"An unexpected error ({type(error).__name__})."
        return Distilled([], failed=len(chunks), reason=reason)


@runtime_checkable
class BatchExtractor(Protocol):
    """An extractor that works on the chunks of several documents at once."""

    @property
    def version(self) -> str:
        """Name extractor, prompts and models; part of every memory's id."""
        ...

    def distil(
        self, work: Sequence[Work], *, on_progress: OnProgress | None = None
    ) -> list[Distilled]:
        """Return one result a document, in order. Raises only what `on_progress` does."""
        ...


@dataclass(frozen=True, slots=True)
class Statement:
    """What a memory says, before it has an id."""

    type: MemoryType
    key: str
    value: str


def make_memory(
    document_id: UUID, statement: Statement, sources: Sequence[UUID], version: str
) -> Memory:
    """Return a memory named by what it's made of."""
    name = "\x1f".join(
        [
            *("memory", *sorted(str(source) for source in sources)),
            *(version, statement.type, statement.key, statement.value),
        ]
    )
    return Memory(
        id=uuid5(document_id, name),
        document_id=document_id,
        chunk_ids=tuple(sources),
        type=statement.type,
        key=statement.key,
        value=statement.value,
        extractor=version,
    )


def normalised(text: str) -> str:
    """Return the words of a text in folded case, to find exact repeats by."""
    return " ".join(_WORD.findall(text.casefold()))
