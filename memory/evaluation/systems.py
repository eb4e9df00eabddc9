"""The systems that `--systems` names."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from memory.documents import Answer, Outcome, Question, Sentence
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
UNATTRIBUTED = "megamem-no_attribution"


class UnknownSystem(AttestError):
    """`--systems` names one that isn't there."""


class Pipeline(Protocol):
    """What answers questions."""

    def ask(self, question: Question) -> Answer:
        """Return the answer; a failing stage is in it, not raised."""
        ...


@dataclass(frozen=True, slots=True)
class PipelineSystem:
    """A pipeline under its name. `kept` are its answers, where a pair needs them."""

    name: str
    pipeline: Pipeline
    kept: dict[Question, Response] | None = None

    def respond(self, question: Question) -> Response:
        """Ask, with a clock around it."""
        started = time.perf_counter()
        answer = self.pipeline.ask(question)
        elapsed_ms = (time.perf_counter() - started) * 1000
        response = Response.of_answer(answer, total_ms=elapsed_ms)
        if self.kept is not None:
            self.kept[question] = response
        return response


@dataclass(frozen=True, slots=True)
class Unattributed:
    """The full system's own answers, each reporting every loaded document (A14).

    Paired, as a model may write another answer to the same question: only what
    attribution changes is changed. Its time is the full system's without attribution.
    """

    name: str
    full: PipelineSystem
    kept: dict[Question, Response] = field(default_factory=dict)

    def respond(self, question: Question) -> Response:
        """Return the kept answer for this question, or ask where there's none."""
        response = self.kept.get(question) or self.full.respond(question)
        spent = response.timings_ms.get("attribution", 0.0)
        if response.outcome is not Outcome.ANSWERED:
            return response
        loaded = tuple(dict.fromkeys(card.document_id for card in response.evidence))
        return replace(
            response,
            linked=loaded,
            sentences=(Sentence(0, len(response.text), loaded),),
            total_ms=response.total_ms - spent,
        )


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
    kept: dict[Question, Response] = {}
    for name in names:
        if name == UNATTRIBUTED and PRODUCT in pipelines:
            full = PipelineSystem(PRODUCT, pipelines[PRODUCT], kept)
            systems.append(Unattributed(name, full, kept))
        elif name in pipelines:
            own = kept if name == PRODUCT and UNATTRIBUTED in names else None
            systems.append(PipelineSystem(name, pipelines[name], own))
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
