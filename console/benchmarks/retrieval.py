"""`bench retrieval`: what a question's search takes as the stores grow."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from console.benchmarks.objects import Made, Sample, exact, rule_of
from console.benchmarks.progress import ProgressLine, Stream
from console.benchmarks.retrieval_stores import STORES, OpenStore
from memory.access import WORKSPACE_SCOPE, Scope
from memory.documents import FloatArray, View
from memory.embedding import Embedder
from memory.query.base import WeightedQuery
from memory.query.retrieval import DEPTH, MEMORY_DEPTH, Retriever
from memory.stores.base import MemoryStore

#: Documents in one write, as a sync's batch has.
BATCH = 32
QUESTIONS = 50
#: Asked first, uncounted.
WARM_UP = 5
RECALL_AT = 20
#: Rules of a channel's scope.
SCOPES = (10, 100, 1_000, 10_000, 50_000)
SCOPE_QUESTIONS = 10
WHOLE = "whole retrieval"


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions and their vectors, shape (n, d)."""

    texts: Sequence[str]
    vectors: FloatArray


@dataclass(slots=True)
class Measured:
    """One store at one size. Times in milliseconds, one for each question."""

    store: str
    size: int
    load_s: float = 0.0
    memory_mb: float = 0.0
    disk_mb: float = 0.0
    times: dict[str, list[float]] = field(default_factory=dict)
    scopes: dict[int, list[float]] = field(default_factory=dict)
    recall: dict[str, float] = field(default_factory=dict)

    def percentile(self, name: str, share: int) -> float:
        """Return a route's time that `share` percent of the questions keep within."""
        return float(np.percentile(self.times[name], share))


def questions_of(sample: Sample, embedder: Embedder, given: Sequence[str]) -> Asked:
    """Return the given questions, or the beginnings of chunks where there are none."""
    step = max(1, len(sample.chunks) // QUESTIONS)
    texts = list(given)[:QUESTIONS] or [
        " ".join(chunk.text.split()[:12]) for chunk in sample.chunks[::step][:QUESTIONS]
    ]
    return Asked(texts, embedder.embed_queries(texts))


def measure(
    store_name: str, made: Made, asked: Asked, folder: Path, stream: Stream
) -> Measured:
    """Fill one store with `made` and ask it everything."""
    with STORES[store_name](asked.vectors.shape[1], folder) as opened:
        found = Measured(store_name, made.size)
        found.load_s = _load(
            opened.store, made, ProgressLine(stream, f"{store_name}, documents")
        )
        time.sleep(opened.rest_s)
        _time_routes(opened.store, asked, found)
        _time_scopes(opened.store, asked, made, found)
        _recall(opened.store, asked, made, found)
        _weigh(opened, found)
    return found


def _load(store: MemoryStore, made: Made, line: ProgressLine) -> float:
    documents, done = made.replacements(), 0
    started = time.perf_counter()
    while batch := list(islice(documents, BATCH)):
        store.replace_documents(batch)
        done += len(batch)
        line(done, made.documents)
    store.optimize()
    return time.perf_counter() - started


def _time_routes(store: MemoryStore, asked: Asked, found: Measured) -> None:
    scope = WORKSPACE_SCOPE
    retriever = _retriever(store, asked)
    for number, (text, vector) in enumerate(_rounds(asked, QUESTIONS + WARM_UP)):
        chunks, memories = View.CHUNKS, View.MEMORIES
        steps: Mapping[str, Callable[[], object]] = {
            "dense_chunks": partial(store.nearest, chunks, vector, DEPTH, scope),
            "dense_memories": partial(
                store.nearest, memories, vector, MEMORY_DEPTH, scope
            ),
            "keyword_chunks": partial(store.keyword, chunks, text, DEPTH, scope),
            "keyword_memories": partial(store.keyword, memories, text, DEPTH, scope),
            WHOLE: partial(retriever.retrieve, [_query(text)], scope),
        }
        for name, step in steps.items():
            elapsed = _timed(step)
            if number >= WARM_UP:
                found.times.setdefault(name, []).append(elapsed)


def _time_scopes(store: MemoryStore, asked: Asked, made: Made, found: Measured) -> None:
    retriever = _retriever(store, asked)
    for count in SCOPES:
        # Documents that aren't there have rules too: a channel's scope may name them.
        scope = Scope.of_channel(
            rule_of(number * 7 % max(count, made.documents)) for number in range(count)
        )
        found.scopes[count] = [
            _timed(partial(retriever.retrieve, [_query(text)], scope))
            for text, _ in _rounds(asked, SCOPE_QUESTIONS)
        ]


def _recall(store: MemoryStore, asked: Asked, made: Made, found: Measured) -> None:
    for view in View:
        ids = made.ids(view)
        shares = []
        for vector in asked.vectors:
            right = {ids[at] for at in exact(made.vectors[view], vector, RECALL_AT)}
            hits = store.nearest(view, vector, DEPTH, WORKSPACE_SCOPE)[:RECALL_AT]
            shares.append(len(right & {hit.id for hit in hits}) / RECALL_AT)
        found.recall[view.value] = float(np.mean(shares))


def _weigh(opened: OpenStore, found: Measured) -> None:
    found.memory_mb = opened.memory_mb()
    found.disk_mb = opened.disk_mb()


def _rounds(asked: Asked, count: int) -> list[tuple[str, FloatArray]]:
    pairs = list(zip(asked.texts, asked.vectors, strict=True))
    return [pairs[at % len(pairs)] for at in range(count)]


def _timed(step: Callable[[], object]) -> float:
    started = time.perf_counter()
    step()
    return (time.perf_counter() - started) * 1000


def _query(text: str) -> WeightedQuery:
    return WeightedQuery(text, 1.0, "original")


def _retriever(store: MemoryStore, asked: Asked) -> Retriever:
    return Retriever(store, _Known(asked))


@dataclass(frozen=True, slots=True)
class _Known:
    """An embedder that knows the questions' vectors: its time isn't the store's."""

    asked: Asked

    @property
    def name(self) -> str:
        return "known"

    @property
    def dimensions(self) -> int:
        return int(self.asked.vectors.shape[1])

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        places = [self.asked.texts.index(text) for text in texts]
        return self.asked.vectors[places]

    def embed_documents(
        self, texts: Sequence[str], *, on_progress: Callable[[int], None] | None = None
    ) -> FloatArray:
        raise NotImplementedError
