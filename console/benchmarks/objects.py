"""Many objects that look like a company's: real texts and vectors, multiplied with noise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import UUID, uuid5

import numpy as np

from console.benchmarks.progress import ProgressLine
from console.benchmarks.sets import folder_documents
from console.benchmarks.syncs import BenchError
from memory.access import WORKSPACE, AccessRule, group
from memory.documents import Chunk, FloatArray, Memory, Properties, Vector, View
from memory.embedding import Embedder, embedded_text
from memory.stores.base import Replacement
from memory.systems import default_chunker, default_extractor

SOURCE = UUID("00000000-0000-4000-8000-00000000be7c")
#: Chunks, and memories, of one made document.
PER_DOCUMENT = 10
#: Of each number of a vector, against 1/sqrt(d) of a unit vector's: cosine about 0.9.
NOISE = 0.5
SEED = 42


@dataclass(frozen=True, slots=True)
class Sample:
    """Real chunks and memories with their vectors."""

    chunks: Sequence[Chunk]
    memories: Sequence[Memory]
    chunk_vectors: FloatArray
    memory_vectors: FloatArray


def read_sample(folder: Path, embedder: Embedder, line: ProgressLine) -> Sample:
    """Chunk, distil and embed a folder. Raises BenchError where it has no text."""
    chunker, extractor = default_chunker(), default_extractor()
    chunks: list[Chunk] = []
    memories: list[Memory] = []
    for document in folder_documents(folder):
        own = chunker.chunks(document)
        chunks += own
        memories += extractor.extract(document, own)
    if not chunks or not memories:
        raise BenchError(f"{folder} has no text to measure with.")
    done = 0

    def show(count: int) -> None:
        nonlocal done
        done += count
        line(done, len(chunks) + len(memories))

    texts = [*map(embedded_text, chunks), *map(embedded_text, memories)]
    vectors = embedder.embed_documents(texts, on_progress=show)
    return Sample(chunks, memories, vectors[: len(chunks)], vectors[len(chunks) :])


def rule_of(number: int) -> AccessRule:
    """Return the rule of a made document: everybody, or a group of its own."""
    return AccessRule.of([WORKSPACE, group("bench", str(number))])


class Made:
    """`size` objects a view, the same for every store; vectors are kept for exactness."""

    def __init__(self, sample: Sample, size: int) -> None:
        """Make the vectors of both views; texts are made as they're asked for."""
        self.size = size
        self._sample = sample
        chance = np.random.default_rng(SEED)
        self.vectors = {
            View.CHUNKS: _noisy(sample.chunk_vectors, size, chance),
            View.MEMORIES: _noisy(sample.memory_vectors, size, chance),
        }

    @property
    def documents(self) -> int:
        """Return how many documents there are."""
        return -(-self.size // PER_DOCUMENT)

    def ids(self, view: View) -> list[UUID]:
        """Return the objects' ids in the order of their vectors."""
        return [_id(view, at) for at in range(self.size)]

    def replacements(self) -> Iterator[Replacement]:
        """Yield the documents, ten chunks and ten memories in each."""
        for number in range(self.documents):
            first = number * PER_DOCUMENT
            yield self._document(
                number, range(first, min(first + PER_DOCUMENT, self.size))
            )

    def _document(self, number: int, places: range) -> Replacement:
        id_ = uuid5(SOURCE, f"document {number}")
        rule = rule_of(number)
        properties = Properties(
            id_,
            SOURCE,
            f"Document {number}",
            rule.id,
            rule.tokens,
            external_id=str(number),
        )
        chunks = [self._chunk(id_, at) for at in places]
        memories = [self._memory(id_, at, chunks[at - places.start]) for at in places]
        return Replacement(properties, chunks, memories)

    def _chunk(self, document: UUID, at: int) -> Chunk:
        base = self._sample.chunks[at % len(self._sample.chunks)]
        return replace(
            base,
            id=_id(View.CHUNKS, at),
            document_id=document,
            vector=self.vectors[View.CHUNKS][at],
        )

    def _memory(self, document: UUID, at: int, chunk: Chunk) -> Memory:
        base = self._sample.memories[at % len(self._sample.memories)]
        return replace(
            base,
            id=_id(View.MEMORIES, at),
            document_id=document,
            chunk_ids=(chunk.id,),
            vector=self.vectors[View.MEMORIES][at],
        )


def exact(vectors: FloatArray, query: Vector, limit: int) -> list[int]:
    """Return the places of the `limit` nearest vectors, best first."""
    scores = vectors @ query
    best = np.argpartition(-scores, limit)[:limit]
    return [int(at) for at in best[np.argsort(-scores[best])]]


def _id(view: View, at: int) -> UUID:
    return uuid5(SOURCE, f"{view.value} {at}")


def _noisy(base: FloatArray, size: int, chance: np.random.Generator) -> FloatArray:
    """Return `size` unit vectors around the base ones, which come in turn."""
    made = np.empty((size, base.shape[1]), dtype=np.float32)
    scale = NOISE / np.sqrt(base.shape[1])
    for start in range(0, size, len(base)):
        part = base[: size - start]
        noise = chance.standard_normal(part.shape, dtype=np.float32) * scale
        made[start : start + len(part)] = part + noise
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    return made
