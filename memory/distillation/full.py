"""The `full` extractor: `mini`, and abstractions over runs of its memories (A4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any
from uuid import UUID

from memory.distillation.base import (
    Distilled,
    OnProgress,
    Statement,
    Work,
    make_memory,
)
from memory.distillation.mini import WORKERS, MiniExtractor, Untold, ask, waiting
from memory.distillation.threads import Brake, in_order
from memory.documents import Chunk, Document, Memory, MemoryType
from memory.language_models.base import LanguageModel
from memory.prompts.base import Prompt, as_data
from memory.prompts.extraction import ABSTRACTION

#: Consecutive memories of a document that one abstraction is made of; the last group
#: may be smaller.
GROUP = 12


@dataclass(frozen=True, slots=True)
class FullExtractor:
    """Makes atomic memories as `mini` does, with their ids, and abstractions of them."""

    mini: MiniExtractor
    model: LanguageModel
    prompt: Prompt = ABSTRACTION
    group: int = GROUP
    workers: int = WORKERS

    @property
    def version(self) -> str:
        """Name extractor, both prompts and both models."""
        return f"{self._own_version}+{self.mini.version}"

    @property
    def _own_version(self) -> str:
        """Name what makes abstractions; atomic memories have mini's version."""
        return f"full/{self.prompt.version}/{self.model.name}"

    def extract(self, document: Document, chunks: Sequence[Chunk]) -> list[Memory]:
        """Return atomic memories, then abstractions; see `Extractor`."""
        (distilled,) = self.distil([(document, chunks)])
        return distilled.memories

    def distil(
        self, work: Sequence[Work], *, on_progress: OnProgress | None = None
    ) -> list[Distilled]:
        """Return one result a document; see `BatchExtractor`.

        A document with untold chunks gets no abstractions yet: with the chunks' own
        memories its groups will be others.
        """
        atomic = self.mini.distil(work, on_progress=on_progress)
        brake = Brake()
        brake.pull(
            next((one.reason for one in atomic if one.stopped and one.reason), "")
        )
        groups = [
            (at, one.memories[start : start + self.group])
            for at, one in enumerate(atomic)
            if not one.failed
            for start in range(0, len(one.memories), self.group)
        ]
        results = in_order(
            lambda group: ask(brake, partial(self._reply, group[1])),
            groups,
            workers=self.workers,
            on_wait=waiting(on_progress),
        )
        done = list(atomic)
        for (at, members), result in zip(groups, results, strict=True):
            done[at] = self._with(done[at], work[at][0], members, result)
        return [replace(one, stopped=brake.is_pulled) for one in done]

    def _with(
        self,
        distilled: Distilled,
        document: Document,
        members: Sequence[Memory],
        result: Statement | Untold,
    ) -> Distilled:
        """Return the document's result with one more abstraction, or one missing."""
        if isinstance(result, Untold):
            failed = distilled.failed + 1
            return replace(distilled, failed=failed, reason=result.reason)
        sources = source_ids(members)
        memory = make_memory(document.id, result, sources, self._own_version)
        return replace(distilled, memories=[*distilled.memories, memory])

    def _reply(self, members: Sequence[Memory]) -> Statement:
        ids = [str(source) for source in source_ids(members)]
        told = {
            "source_chunk_ids": ids,
            "memories": [memory_input(memory) for memory in members],
        }
        request = self.prompt.request(as_data(told))
        schema = self.prompt.schema or {}
        return self.model.json(
            request, "abstraction", schema, lambda value: parse_abstraction(value, ids)
        )


def source_ids(members: Sequence[Memory]) -> list[UUID]:
    """Return the chunks of these memories, each once, in order."""
    return list(dict.fromkeys(c for memory in members for c in memory.chunk_ids))


def memory_input(memory: Memory) -> dict[str, Any]:
    """Return what the model is told of an atomic memory."""
    return {
        "type": memory.type.value,
        "key": memory.key,
        "value": memory.value,
        "source_chunk_ids": [str(source) for source in memory.chunk_ids],
    }


def parse_abstraction(value: Any, ids: Sequence[str]) -> Statement:
    """Return a reply's abstraction.

    Raises ValueError unless both texts say something and the ids came back exactly as
    they were given (A4).
    """
    if not isinstance(value, dict):
        raise ValueError("The reply is no object.")
    key, summary = value.get("search_key"), value.get("summary")
    for text in (key, summary):
        if not isinstance(text, str) or not text.strip():
            raise ValueError("`search_key` or `summary` is empty.")
    if value.get("source_chunk_ids") != list(ids):
        raise ValueError("`source_chunk_ids` came back changed.")
    return Statement(MemoryType.ABSTRACTION, str(key).strip(), str(summary).strip())
