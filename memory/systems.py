"""Ready pipelines by name: the product's default, and each with a part switched off."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from memory.answerability import LogisticGate, fingerprint, shipped_calibrations
from memory.answering import ExtractiveAnswerer
from memory.attribution import LocalAttributor
from memory.chunking import Chunker
from memory.confidence import LogisticConfidence
from memory.distillation.local import LocalExtractor
from memory.embedding import Embedder
from memory.errors import AttestError
from memory.megamem import MegaMem
from memory.query.base import Authority
from memory.query.expansion import PseudoRelevance
from memory.query.ranking import DocumentRanker
from memory.query.reranking import LocalReranker
from memory.query.retrieval import Retriever, RouteWeights
from memory.query.transform import LocalTransform
from memory.stores.base import MemoryStore

#: Stages that can be switched off, each by the name that the trace has for it.
STAGES = frozenset(
    {
        "transform",
        "chunks",
        "memories",
        "keyword",
        "rank",
        "reranker",
        "expansion",
        "gate",
        "attribution",
    }
)
#: Off unless asked for: not measured to help in this mode (docs/evaluation.md).
OFF_BY_DEFAULT: frozenset[str] = frozenset({"reranker"})

#: Ablations of A14 and ours: name -> what's off beside what's off anyway.
ABLATIONS: Mapping[str, frozenset[str]] = {
    "no_transform": frozenset({"transform"}),
    "no_keyword": frozenset({"keyword"}),
    "no_rank": frozenset({"rank"}),
    "no_reranker": frozenset({"reranker"}),
    "no_expansion": frozenset({"expansion"}),
    "no_distillation": frozenset({"memories"}),
    "no_dual_index": frozenset({"chunks"}),
    "no_gate": frozenset({"gate"}),
    "no_attribution": frozenset({"attribution"}),
}


#: Every pipeline by name.
PIPELINES = ("megamem", "megamem-reranker", *(f"megamem-{name}" for name in ABLATIONS))


class UnknownSystem(AttestError):
    """A system to ask has no such name."""


class UnknownStage(AttestError):
    """A stage to switch off has no such name."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What every pipeline over one store shares."""

    store: MemoryStore
    embedder: Embedder
    authority: Authority | None = None
    threshold: float | None = None
    off: Collection[str] = field(default=())


def default_chunker() -> Chunker:
    """Return the product's chunker."""
    return Chunker()


def default_extractor() -> LocalExtractor:
    """Return the extractor that needs no model."""
    return LocalExtractor()


def megamem(
    parts: Parts, *, off: Collection[str] = (), on: Collection[str] = ()
) -> MegaMem:
    """Return the product's pipeline without the stages in `off` or `parts.off`.

    `on` switches on what's off by default. Raises UnknownStage.
    """
    unknown = {*off, *on, *parts.off} - STAGES
    if unknown:
        raise UnknownStage(
            f"There's no stage {min(unknown)!r}. Known: {', '.join(sorted(STAGES))}."
        )
    left_out = {*(OFF_BY_DEFAULT - set(on)), *off, *parts.off}
    reranker = None if "reranker" in left_out else LocalReranker(parts.embedder)
    gate_calibration, confidence = shipped_calibrations()
    running = running_fingerprint(
        parts.embedder.name, reranker.name if reranker else ""
    )
    gate = LogisticGate(gate_calibration, running)
    threshold = parts.threshold
    return MegaMem(
        retriever=Retriever(parts.store, parts.embedder, _weights(left_out)),
        answerer=ExtractiveAnswerer(parts.embedder),
        transform=None if "transform" in left_out else LocalTransform(),
        ranker=None if "rank" in left_out else DocumentRanker(),
        reranker=reranker,
        authority=parts.authority,
        gate=None if "gate" in left_out else gate,
        expander=None if "expansion" in left_out else PseudoRelevance(),
        attributor=(
            None if "attribution" in left_out else LocalAttributor(parts.embedder)
        ),
        confidence=LogisticConfidence(confidence),
        threshold=gate_calibration.threshold if threshold is None else threshold,
    )


def running_fingerprint(embedder: str, reranker: str = "") -> str:
    """Return what a calibration must have been fitted for: encoder, reranker, mode."""
    return fingerprint(embedder, reranker, "local")


def pipelines(parts: Parts) -> Mapping[str, MegaMem]:
    """Return every named pipeline: `megamem`, `megamem-reranker`, each ablation."""
    return {name: pipeline(parts, name) for name in PIPELINES}


def pipeline(parts: Parts, name: str) -> MegaMem:
    """Return one named pipeline. Raises UnknownSystem, naming those there are."""
    if name not in PIPELINES:
        known = ", ".join(PIPELINES)
        raise UnknownSystem(f"There's no system {name!r}. Known: {known}.")
    if name == "megamem-reranker":
        return megamem(parts, on=["reranker"])
    return megamem(parts, off=ABLATIONS.get(name.removeprefix("megamem-"), ()))


def _weights(left_out: Collection[str]) -> RouteWeights:
    """Return the routes' weights with those of switched-off views at 0."""
    weights = RouteWeights()
    if "chunks" in left_out:
        weights = replace(weights, chunks=0.0)
    if "memories" in left_out:
        weights = replace(weights, memories=0.0)
    if "keyword" in left_out:
        weights = replace(weights, keyword_chunks=0.0, keyword_memories=0.0)
    return weights
