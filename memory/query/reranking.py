"""The `local` reranker: reads candidates sentence by sentence with the encoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.answering.units import units_of
from memory.distillation.statements import MAX_CHARACTERS, memory_key, one_line
from memory.embedding import Embedder, kept_vectors, memory_text
from memory.query.base import Candidate
from memory.query.packing import card_of


@dataclass(frozen=True, slots=True)
class LocalReranker:
    """Orders the first `candidates` by rank, best sentence and BM25.

    The score is `1 / (10 + rank) + sentence * s + keyword * b`, s the highest
    cosine of a sentence under its key with the question, b the chunk's BM25 over
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
        """Return each candidate's highest sentence similarity, in [-1, 1].

        Sentences whose vectors are kept from sync cost nothing; a candidate without
        any has its first one encoded.
        """
        sentences = [_sentences(item) for item in head]
        flat = [sentence for own in sentences for sentence in own]
        kept = kept_vectors(self.embedder, flat)
        missing = [own[0] for own in sentences if not any(s in kept for s in own)]
        if missing:
            fresh = self.embedder.embed_documents(missing)
            kept = {**kept, **dict(zip(missing, fresh, strict=True))}
        (question,) = self.embedder.embed_queries([text])
        return [
            max(
                float(kept[sentence] @ question) for sentence in own if sentence in kept
            )
            for own in sentences
        ]


def _sentences(candidate: Candidate) -> list[str]:
    """Return a chunk's statements as sync embeds them; at least one."""
    chunk = candidate.stored.chunk
    found = [
        text for unit in units_of(0, card_of(candidate)) for text in unit.statements
    ]
    topic = memory_key(chunk.title, chunk.path)
    return found or [memory_text(topic, one_line(chunk.text)[:MAX_CHARACTERS])]
