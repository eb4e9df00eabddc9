"""The `mini` extractor: at most three typed memories a chunk, by a language model (A3).

Differs from the authors' code, which refuses a reply whole for one bad item: types are
as strict, but bad items and those beyond the third are dropped singly and counted, and
exact repeats within a document are one memory of several chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import structlog

from memory.distillation.base import (
    Distilled,
    OnProgress,
    Statement,
    Work,
    make_memory,
    normalised,
)
from memory.distillation.threads import Brake, in_order
from memory.documents import Chunk, Document, Memory, MemoryType
from memory.language_models.base import (
    InvalidReply,
    LanguageModel,
    LanguageModelError,
    Parsed,
)
from memory.language_models.ledger import BudgetReached
from memory.prompts.base import Prompt, as_data
from memory.prompts.extraction import EXTRACTION

log = structlog.get_logger(__name__)

MEMORIES_PER_CHUNK = 3
#: Calls side by side; the client bounds them again over the whole process.
WORKERS = 8
#: The types of an atomic memory, which no reply may go beyond.
_TYPES = frozenset(MemoryType) - {MemoryType.ABSTRACTION}


@dataclass(frozen=True, slots=True)
class Reply:
    """The statements of one reply and how many items were left out."""

    statements: list[Statement]
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Untold:
    """A call that gave nothing: it failed, or it wasn't made."""

    reason: str


@dataclass(frozen=True, slots=True)
class MiniExtractor:
    """Asks the extraction model about each chunk, several at once."""

    model: LanguageModel
    prompt: Prompt = EXTRACTION
    workers: int = WORKERS

    @property
    def version(self) -> str:
        """Name extractor, prompt and model."""
        return f"mini/{self.prompt.version}/{self.model.name}"

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Memory]:
        """Return the memories of one document's chunks; see `Extractor`."""
        (distilled,) = self.distil([(document, chunks)])
        return distilled.memories

    def distil(
        self, work: Sequence[Work], *, on_progress: OnProgress | None = None
    ) -> list[Distilled]:
        """Return one result a document; see `BatchExtractor`."""
        brake = Brake()
        chunks = [chunk for _, own in work for chunk in own]

        def read(chunk: Chunk) -> Reply | Untold:
            return ask(brake, lambda: self._reply(chunk))

        results = in_order(
            read, chunks, workers=self.workers, on_wait=waiting(on_progress)
        )
        replies: dict[UUID, Reply | Untold] = {
            chunk.id: reply for chunk, reply in zip(chunks, results, strict=True)
        }
        return [
            self._distilled(document, own, replies, brake) for document, own in work
        ]

    def _reply(self, chunk: Chunk) -> Reply:
        request = self.prompt.request(as_data(chunk_input(chunk)))
        schema = self.prompt.schema or {}
        return self.model.json(request, "memories", schema, parse_memories)

    def _distilled(
        self,
        document: Document,
        chunks: Sequence[Chunk],
        replies: Mapping[UUID, Reply | Untold],
        brake: Brake,
    ) -> Distilled:
        """Join exact repeats and name the memories."""
        found: dict[tuple[str, str], tuple[Statement, list[UUID]]] = {}
        dropped, reasons = 0, []
        for chunk in chunks:
            reply = replies[chunk.id]
            if isinstance(reply, Untold):
                reasons.append(reply.reason)
                continue
            dropped += reply.dropped
            for statement in reply.statements:
                name = (normalised(statement.key), normalised(statement.value))
                sources = found.setdefault(name, (statement, []))[1]
                if chunk.id not in sources:
                    sources.append(chunk.id)
        memories = [
            make_memory(document.id, statement, sources, self.version)
            for statement, sources in found.values()
        ]
        return Distilled(
            memories, len(reasons), dropped, (reasons or [""])[-1], brake.is_pulled
        )


def chunk_input(chunk: Chunk) -> dict[str, Any]:
    """Return what the model is told of a chunk, whole (A3).

    The title is ours: a page's first words rarely repeat it.
    """
    content = f"{chunk.header}\n{chunk.text}" if chunk.header else chunk.text
    return {
        "chunk_id": str(chunk.id),
        "doc_id": str(chunk.document_id),
        "title": chunk.title,
        "section_path": " / ".join(chunk.path),
        "content": content,
    }


def parse_memories(value: Any) -> Reply:
    """Return the good items of a reply. Raises ValueError where there's no list."""
    items = value.get("memories") if isinstance(value, dict) else None
    if not isinstance(items, list):
        raise ValueError("The reply has no list `memories`.")
    good = [statement for item in items if (statement := _statement(item))]
    kept = good[:MEMORIES_PER_CHUNK]
    return Reply(kept, len(items) - len(kept))


def _statement(item: Any) -> Statement | None:
    """Return an item as a statement, None where its type or a text is wrong."""
    if not isinstance(item, dict):
        return None
    key, value, kind = (_text(item.get(name)) for name in ("key", "value", "type"))
    if kind not in _TYPES or not normalised(key) or not normalised(value):
        return None
    return Statement(MemoryType(kind), key.strip(), value.strip())


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def waiting(on_progress: OnProgress | None) -> Callable[[], None] | None:
    """Return what says that it goes on, though no text was read."""
    return None if on_progress is None else lambda: on_progress(0)


def ask(brake: Brake, call: Callable[[], Parsed]) -> Parsed | Untold:
    """Return a call's result, or why there's none. It raises nothing.

    A reply that's no use concerns its own text; an endpoint that is away or declines,
    several times in a row, everything that's left.
    """
    if brake.is_pulled:
        return Untold(brake.reason)
    try:
        result = call()
    except BudgetReached as error:
        brake.pull(str(error))
        return Untold(str(error))
    except InvalidReply as error:
        log.warning("distillation_reply_invalid", reason=str(error))
        return Untold(str(error))
    except LanguageModelError as error:
        log.warning("distillation_call_failed", reason=str(error))
        brake.failed(str(error))
        return Untold(str(error))
    except Exception as error:  # noqa: BLE001 - one chunk never stops a build
        log.exception("distillation_failed")
        return Untold(f"An unexpected error ({type(error).__name__}).")
    brake.worked()
    return result
