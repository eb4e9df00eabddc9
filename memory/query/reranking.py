"""The `local` reranker: reads candidates sentence by sentence with the encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from memory.embedding import Embedder
from memory.query.base import Candidate
from memory.sentences import sentence_spans

#: A sentence's share of the encoder's attention ends here.
MAX_SENTENCE_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class LocalReranker:
    """Orders the first `candidates` by fused rank, best sentence and BM25.

    The score is `1 / (10 + fused rank) + sentence * s + keyword * b`, s the highest
    cosine of a sentence under its heading with the question, b the chunk's BM25 over
    the pool's highest. Stands in for A8's cross-encoder where no model but the
    packaged encoder is at hand; it's used only where `evaluate` shows that it helps.
    """

    embedder: Embedder
    candidates: int = 12
    sentence: float = 0.1
    keyword: float = 0.02

    @property
    def name(self) -> str:
        """Name rule and encoder."""
        return f"local/{self.candidates}/{self.embedder.name}"

    def rerank(self, text: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the same candidates with `signals["rerank"]`, best first.

        Those beyond the first `self.candidates` keep their places and have none.
        """
        head = list(candidates[: self.candidates])
        if not head:
            return []
        best = self._best_sentences(text, head)
        highest = max(item.signals.get("keyword_chunks", 0.0) for item in head) or 1.0
        scored = []
        for rank, (item, similarity) in enumerate(zip(head, best, strict=True)):
            keyword = item.signals.get("keyword_chunks", 0.0) / highest
            score = (
                1 / (10 + rank) + self.sentence * similarity + self.keyword * keyword
            )
            signals = {**item.signals, "rerank": score, "best_sentence": similarity}
            scored.append(replace(item, signals=signals))
        scored.sort(key=lambda item: -item.signals["rerank"])
        return [*scored, *candidates[self.candidates :]]

    def _best_sentences(self, text: str, head: Sequence[Candidate]) -> list[float]:
        """Return each candidate's highest sentence similarity, in [-1, 1]."""
        sentences = [_sentences(item) for item in head]
        flat = [sentence for own in sentences for sentence in own]
        (question,) = self.embedder.embed_queries([text])
        similarities = self.embedder.embed_documents(flat) @ question
        ends = np.cumsum([len(own) for own in sentences])
        parts = np.split(similarities, ends[:-1])
        return [float(part.max()) for part in parts]


def _sentences(candidate: Candidate) -> list[str]:
    """Return a chunk's sentences, each under its last heading; at least one."""
    chunk = candidate.stored.chunk
    lead = chunk.path[-1] if chunk.path else chunk.title
    found = [
        f"{lead}\n{chunk.text[start:end][:MAX_SENTENCE_CHARACTERS]}"
        for start, end in sentence_spans(chunk.text)
        if end - start > 20
    ]
    return found or [f"{lead}\n{chunk.text[:MAX_SENTENCE_CHARACTERS]}"]
