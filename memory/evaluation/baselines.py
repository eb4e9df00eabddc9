"""BM25, dense and hybrid retrieval over the same chunks and with the same packer (A14).

They answer nothing: no rewriting, no expansion, no reranking, no gate. A follow-up
question reaches them without its history.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

import numpy as np

from memory.access import Scope
from memory.documents import Hit, Question, StoredChunk, View
from memory.embedding import Embedder
from memory.evaluation.bm25 import BM25
from memory.evaluation.index import EvaluationIndex
from memory.evaluation.responses import Response
from memory.query.base import Candidate, Packed
from memory.query.fusion import Route, fuse
from memory.stores.base import MemoryStore

#: A14's depth of the lexical baseline alone.
BM25_DEPTH = 20
#: Depth of the dense ranking, and of both lists before they are fused.
DEPTH = 100


class Packing(Protocol):
    """The packer that all systems share."""

    def pack(self, candidates: Sequence[Candidate]) -> Packed:
        """Return what fits."""
        ...


class Search(Protocol):
    """A way to rank chunks for a question's text."""

    def hits(self, text: str, scope: Scope) -> list[Hit]:
        """Return hits on raw chunks, best first."""
        ...


class LexicalSearch:
    """BM25 in memory over the chunks' own text; collection figures are the whole's.

    A scope's documents are left out after scoring, so withholding a document doesn't
    move the others' scores.
    """

    def __init__(self, index: EvaluationIndex, *, depth: int = BM25_DEPTH) -> None:
        """Index every chunk."""
        self._chunks = list(index.chunks.values())
        self._bm25 = BM25([chunk.text for chunk in self._chunks])
        self._depth = depth

    def hits(self, text: str, scope: Scope) -> list[Hit]:
        """Return at most `depth` chunks that share a term, ties in document order."""
        scores = self._bm25.scores(text)
        found: list[Hit] = []
        for row in np.argsort(-scores, kind="stable"):
            chunk = self._chunks[row]
            if scores[row] <= 0 or len(found) == self._depth:
                break
            if _admits(scope, chunk.document_id):
                score = float(scores[row])
                found.append(Hit(chunk.id, chunk.document_id, (chunk.id,), score))
        return found


@dataclass(frozen=True, slots=True)
class DenseSearch:
    """The raw view by cosine similarity to the question."""

    store: MemoryStore
    embedder: Embedder
    depth: int = DEPTH

    def hits(self, text: str, scope: Scope) -> list[Hit]:
        """Return at most `depth` chunks."""
        (vector,) = self.embedder.embed_queries([text])
        return self.store.nearest(View.CHUNKS, vector, self.depth, scope)


@dataclass(frozen=True, slots=True)
class HybridSearch:
    """Two searches by reciprocal rank fusion with equal weights, gamma 60."""

    searches: Sequence[Search]

    def hits(self, text: str, scope: Scope) -> list[Hit]:
        """Return all chunks that any of them found."""
        lists = [search.hits(text, scope) for search in self.searches]
        documents = {hit.id: hit.document_id for hits in lists for hit in hits}
        fused = fuse([Route(str(at), 1.0, hits) for at, hits in enumerate(lists)])
        return [Hit(item, documents[item], (item,), score) for item, score in fused]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A search and the shared packer as a system."""

    name: str
    search: Search
    index: EvaluationIndex
    packer: Packing

    def respond(self, question: Question) -> Response:
        """Return ranking and packed evidence. Raises StoreError, EmbeddingError."""
        started = time.perf_counter()
        hits = self.search.hits(question.text, question.scope)
        candidates = [self._candidate(hit) for hit in hits]
        packed = self.packer.pack(candidates)
        elapsed_ms = (time.perf_counter() - started) * 1000
        return Response(
            ranking=tuple(dict.fromkeys(hit.document_id for hit in hits)),
            evidence=packed.evidence,
            retrieval_ms=elapsed_ms,
            total_ms=elapsed_ms,
        )

    def _candidate(self, hit: Hit) -> Candidate:
        chunk = self.index.chunks[hit.id]
        stored = StoredChunk(chunk, self.index.properties[hit.document_id])
        return Candidate(stored, fused=hit.score)


def _admits(scope: Scope, document_id: UUID) -> bool:
    """Tell whether a document is in scope; the index holds one rule and all statuses."""
    within = scope.documents is None or document_id in scope.documents
    return within and document_id not in scope.without_documents
