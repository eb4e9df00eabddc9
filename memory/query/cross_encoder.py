"""Reranking by a cross-encoder, which reads question and chunk together (A8)."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from memory.deadline import check
from memory.errors import AttestError
from memory.query.base import Candidate

#: Candidates that are read, the first of the fused order (A7).
POOL = 100
_BATCH = 16


class RerankerError(AttestError):
    """The reranking model can't be loaded, or gave no usable scores."""


class CrossEncoderReranker:
    """Any sentence-transformers CrossEncoder by folder or name, loaded at first use.

    Unless `download`, only a folder or a model that was fetched before is found. It
    runs on the CPU, as in the paper's code. Safe to share by threads.
    """

    def __init__(
        self,
        name_or_path: str,
        *,
        pool: int = POOL,
        batch_size: int = _BATCH,
        max_tokens: int | None = None,
        download: bool = False,
    ) -> None:
        """Name the model; `max_tokens` of a pair replaces the model's own limit."""
        self._name_or_path = name_or_path
        self._pool = pool
        self._batch_size = batch_size
        self._max_tokens = max_tokens
        self._download = download
        self._lock = threading.Lock()
        self._loaded: Any = None

    @property
    def name(self) -> str:
        """Return the model's name (a folder's last part) and the token limit."""
        name = self._name_or_path.rstrip("/")
        if os.path.isabs(name):
            name = os.path.basename(name)
        return f"cross-encoder/{name}/{self._max_tokens or 'own limit'}"

    def load(self) -> None:
        """Load the model now, so that no question waits for it. Raises RerankerError."""
        self._model()

    def rerank(self, text: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the same candidates, best first, with `signals["rerank"]` set.

        The pair is the question and the chunk's whole text, without title or path (A8);
        ties keep the fused order. Candidates beyond the pool keep their places and have
        no such signal. Raises RerankerError, and DeadlineExceeded between two batches.
        """
        head = list(candidates[: self._pool])
        scores = self._scores([(text, chunk_text(item)) for item in head])
        scored = [
            replace(item, signals={**item.signals, "rerank": score})
            for item, score in zip(head, scores, strict=True)
        ]
        scored.sort(key=lambda item: -item.signals["rerank"])
        return [*scored, *candidates[self._pool :]]

    def _scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return one finite score a pair, longest pairs first in the batches.

        Sorted by length, a batch has little padding.
        """
        order = sorted(range(len(pairs)), key=lambda at: -len(pairs[at][1]))
        scores = [0.0] * len(pairs)
        for start in range(0, len(order), self._batch_size):
            check("reranking was done")
            batch = order[start : start + self._batch_size]
            for at, score in zip(
                batch, self._predicted([pairs[at] for at in batch]), strict=True
            ):
                scores[at] = score
        return scores

    def _predicted(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        try:
            found = self._model().predict(
                list(pairs),
                batch_size=len(pairs),
                show_progress_bar=False,
                # Raw logits: a sigmoid makes one of all that are high.
                activation_fn=_as_is,
            )
            scores = [float(score) for score in found]
        except (RuntimeError, TypeError, ValueError) as error:
            raise RerankerError(
                f"{self.name} failed on a batch ({type(error).__name__}). Its model "
                "must give one score a pair."
            ) from error
        if len(scores) != len(pairs):
            raise RerankerError(
                f"{self.name} gave {len(scores)} scores for {len(pairs)} pairs."
            )
        if not all(math.isfinite(score) for score in scores):
            raise RerankerError(f"{self.name} gave a score that isn't a number.")
        return scores

    def _model(self) -> Any:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = self._load()
        return self._loaded

    def _load(self) -> Any:
        if not self._download:
            # Read by the library when it's imported.
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
        from sentence_transformers import CrossEncoder

        more = {} if self._max_tokens is None else {"max_length": self._max_tokens}
        try:
            return CrossEncoder(
                self._name_or_path,
                device="cpu",
                local_files_only=not self._download,
                **more,
            )
        except Exception as error:  # noqa: BLE001 - a broken file raises anything
            raise RerankerError(
                f"The reranker {self._name_or_path!r} can't be loaded. Set "
                "ATTEST_RERANKER to the folder of a sentence-transformers CrossEncoder, "
                "`local` or `off`."
            ) from error


def _as_is(logits: Any) -> Any:
    return logits


def chunk_text(candidate: Candidate) -> str:
    """Return a chunk's text with the table header that it continues."""
    chunk = candidate.stored.chunk
    return f"{chunk.header}\n{chunk.text}" if chunk.header else chunk.text
