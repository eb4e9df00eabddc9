"""The systems that `--systems` names."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from memory.documents import Answer, Question
from memory.embedding import Embedder
from memory.errors import AttestError
from memory.evaluation.baselines import (
    DEPTH,
    Baseline,
    DenseSearch,
    HybridSearch,
    LexicalSearch,
    Packing,
)
from memory.evaluation.index import EvaluationIndex
from memory.evaluation.responses import Response, System

PRODUCT = "megamem"
BASELINES = ("bm25", "dense", "hybrid")
DEFAULT_SYSTEMS = (PRODUCT, *BASELINES)


class UnknownSystem(AttestError):
    """`--systems` names one that isn't there."""


class Pipeline(Protocol):
    """What answers questions."""

    def ask(self, question: Question) -> Answer:
        """Return the answer; a failing stage is in it, not raised."""
        ...


@dataclass(frozen=True, slots=True)
class PipelineSystem:
    """A pipeline under its name."""

    name: str
    pipeline: Pipeline

    def respond(self, question: Question) -> Response:
        """Ask, with a clock around it."""
        started = time.perf_counter()
        answer = self.pipeline.ask(question)
        elapsed_ms = (time.perf_counter() - started) * 1000
        return Response.of_answer(answer, total_ms=elapsed_ms)


def parse_names(text: str, pipelines: Iterable[str]) -> list[str]:
    """Return the names in `a,b,…`, each once. Raises UnknownSystem, with those there."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    known = [*pipelines, *BASELINES]
    for name in names:
        if name not in known:
            raise UnknownSystem(
                f"There's no system {name!r}. Known: {', '.join(known)}."
            )
    return names


def make_systems(
    names: Sequence[str],
    *,
    pipelines: Mapping[str, Pipeline],
    index: EvaluationIndex,
    embedder: Embedder,
    packer: Packing,
) -> list[System]:
    """Return the systems in the order of their names."""
    dense = DenseSearch(index.store, embedder)
    systems: list[System] = []
    for name in names:
        if name in pipelines:
            systems.append(PipelineSystem(name, pipelines[name]))
        elif name == "bm25":
            systems.append(Baseline(name, LexicalSearch(index), index, packer))
        elif name == "dense":
            systems.append(Baseline(name, dense, index, packer))
        elif name == "hybrid":
            both = HybridSearch((LexicalSearch(index, depth=DEPTH), dense))
            systems.append(Baseline(name, both, index, packer))
        else:
            raise UnknownSystem(f"There's no system {name!r}.")
    return systems
