"""An embedding model behind OpenAI's API (A5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import openai
from openai.types import CreateEmbeddingResponse

from memory.documents import FloatArray
from memory.embedding import checked_vectors
from memory.errors import EmbeddingError
from memory.language_models.base import LanguageModelError, Role
from memory.language_models.calling import Body, Caller, Sending
from memory.language_models.capabilities import Capability
from memory.language_models.failures import BROKEN, NotAnApi
from memory.language_models.prices import Tokens, counted

BATCH = 64
#: Seconds that one request may take, in a build and in a question.
BUILD_LIMIT_S = 120.0
QUESTION_LIMIT_S = 15.0


@dataclass(frozen=True, slots=True)
class OpenAIEmbedder:
    """Embeds by requests of 64 texts (A5). See `Embedder`; safe to share by threads.

    `dimensions` are asked for where the model takes that, and checked in any case.
    Vectors are brought to length 1, as not every compatible server does (the authors'
    code leaves them as they come).
    """

    caller: Caller
    dimensions: int

    @property
    def name(self) -> str:
        """Name model and dimensions."""
        return f"openai/{self.caller.model}/{self.dimensions}"

    def embed_documents(
        self, texts: Sequence[str], *, on_progress: Callable[[int], None] | None = None
    ) -> FloatArray:
        """Return unit vectors of shape (n, d). Raises EmbeddingError."""
        parts = []
        for start in range(0, len(texts), BATCH):
            part = texts[start : start + BATCH]
            parts.append(self._embedded(part, BUILD_LIMIT_S))
            if on_progress is not None:
                on_progress(len(part))
        return self._joined(parts)

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Return unit vectors of shape (n, d). Raises EmbeddingError."""
        starts = range(0, len(texts), BATCH)
        return self._joined(
            [
                self._embedded(texts[start : start + BATCH], QUESTION_LIMIT_S)
                for start in starts
            ]
        )

    def _joined(self, parts: list[FloatArray]) -> FloatArray:
        if not parts:
            return np.empty((0, self.dimensions), dtype=np.float32)
        return np.concatenate(parts)

    def _embedded(self, texts: Sequence[str], limit_s: float) -> FloatArray:
        # The vendor refuses an empty text.
        asked = [text if text.strip() else "-" for text in texts]

        def body(capability: Capability) -> Body:
            made: dict[str, Any] = {"model": self.caller.model, "input": asked}
            if "dimensions" not in capability.without:
                made["dimensions"] = self.dimensions
            return made

        sending = Sending(Role.EMBEDDING, limit_s, body, _embeddings)
        try:
            answer, spent_ms = self.caller.send(sending)
        except LanguageModelError as error:
            raise EmbeddingError(str(error)) from error
        prompt = counted(getattr(answer.usage, "prompt_tokens", None))
        tokens = None if prompt is None else Tokens(prompt, 0)
        self.caller.record(Role.EMBEDDING, tokens, spent_ms, "ok")
        return self._vectors(answer, len(texts))

    def _vectors(self, answer: CreateEmbeddingResponse, count: int) -> FloatArray:
        """Return the answer's vectors in the texts' order, each of length 1."""
        rows: list[Any] = list(answer.data)
        if all(isinstance(row.index, int) for row in rows):
            rows.sort(key=lambda row: row.index)
        if [row.index for row in rows] != list(range(count)):
            raise EmbeddingError(
                f"{self.caller.subject} returned {len(rows)} vectors for {count} texts."
            )
        sizes = {len(row.embedding or ()) for row in rows}
        if sizes - {self.dimensions}:
            raise EmbeddingError(
                f"{self.caller.subject} returns {max(sizes)} dimensions, not "
                f"{self.dimensions}. Set ATTEST_EMBEDDING_DIMENSIONS to what it returns."
            )
        vectors = np.array([row.embedding for row in rows], dtype=np.float32)
        with np.errstate(invalid="ignore", divide="ignore"):
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return checked_vectors(vectors, count=count, dimensions=self.dimensions)


def _embeddings(client: openai.OpenAI, body: Body) -> CreateEmbeddingResponse:
    """Post a request. Raises NotAnApi where what answers speaks another language."""
    try:
        made: Any = client.embeddings.create(**body)
    except BROKEN:
        raise
    except (AttributeError, TypeError, ValueError):
        # So the client meets an answer without vectors.
        raise NotAnApi from None
    if not isinstance(made, CreateEmbeddingResponse):
        raise NotAnApi
    return made
