"""Ready pipelines by name: the product's default, and each with a part switched off."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from uuid import UUID

from memory.answerability import (
    DEFAULT_POLICY,
    Calibration,
    Policy,
    fingerprint,
    gate_for,
    shipped_calibrations,
)
from memory.answering import ExtractiveAnswerer, WrittenAnswerer
from memory.attribution import LocalAttributor, ModelAttributor, PaperAttributor
from memory.chunking import Chunker
from memory.confidence import LogisticConfidence
from memory.distillation.base import BatchExtractor, Extractor
from memory.distillation.full import FullExtractor
from memory.distillation.local import LocalExtractor
from memory.distillation.mini import MiniExtractor
from memory.distillation.routed import RoutedExtractor
from memory.embedding import Embedder
from memory.errors import AttestError
from memory.language_models.base import LanguageModel, Role
from memory.megamem import MegaMem, Staying
from memory.query.base import (
    Answerer,
    Attributor,
    Authority,
    Expander,
    Reranker,
    Transform,
    Verdict,
)
from memory.query.expansion import PseudoRelevance
from memory.query.fusion import UNCAPPED
from memory.query.model_transform import ModelExpander, ModelTransform, PaperTransform
from memory.query.packing import Packer, render_card, render_quoted
from memory.query.ranking import DocumentRanker
from memory.query.reranking import LocalReranker
from memory.query.retrieval import Retriever, RouteWeights
from memory.query.transform import LocalTransform
from memory.query.verdict import ModelVerdict
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
        "verdict",
        "expansion",
        "gate",
        "attribution",
    }
)
#: Off unless asked for: not measured to help (docs/evaluation.md). A reranker that an
#: administrator chose is on.
OFF_BY_DEFAULT: frozenset[str] = frozenset({"reranker", "verdict"})

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


#: What the product has off, switched on.
ADDITIONS: Mapping[str, frozenset[str]] = {
    "megamem-reranker": frozenset({"reranker"}),
    "megamem-verdict": frozenset({"verdict"}),
}
PAPER = "megamem_paper"
#: The product, expanding whatever the gate says: what the gated expansion is held against.
ALWAYS_EXPAND = "megamem-always_expand"

#: Every pipeline by name.
PIPELINES = (
    *("megamem", PAPER, *ADDITIONS, ALWAYS_EXPAND),
    *(f"megamem-{name}" for name in ABLATIONS),
)

#: The depth of every route, and of the pool, in the paper (A7, A16).
PAPER_DEPTH = 20
PAPER_POOL = 100


class UnknownSystem(AttestError):
    """A system to ask has no such name."""


class UnknownStage(AttestError):
    """A stage to switch off has no such name."""


#: Gives the language model of a role.
Models = Callable[[Role], LanguageModel]


def _none_stays() -> frozenset[UUID]:
    return frozenset()


@dataclass(frozen=True, slots=True)
class Parts:
    """What every pipeline over one store shares.

    `models` gives the language model of a role; None: there's no model. `stays` names
    the sources that no model elsewhere may read. `reranker` is the configured one.
    """

    store: MemoryStore
    embedder: Embedder
    authority: Authority | None = None
    threshold: float | None = None
    off: Collection[str] = field(default=())
    on: Collection[str] = field(default=())
    models: Models | None = None
    stays: Callable[[], frozenset[UUID]] = _none_stays
    reranker: Reranker | None = None
    policy: Policy = DEFAULT_POLICY
    #: The share of unanswerable questions that figures are shown for; None: the policy's.
    unanswerable_share: float | None = None
    #: The workspace's own calibration for what runs, by fingerprint; None: the shipped.
    calibration: Callable[[str], Calibration | None] | None = None


def default_chunker() -> Chunker:
    """Return the product's chunker."""
    return Chunker()


def default_extractor() -> LocalExtractor:
    """Return the extractor that needs no model."""
    return LocalExtractor()


#: The extractors by name (A3, A4).
EXTRACTORS = ("local", "mini", "full")


def extractor(
    name: str,
    models: Models | None,
    stays: Callable[[], frozenset[UUID]] = _none_stays,
) -> Extractor:
    """Return the named extractor; documents of sources that stay are read locally.

    Raises UnknownStage for another name, and where `mini` or `full` have no model.
    """
    if name not in EXTRACTORS:
        raise UnknownStage(
            f"There's no extractor {name!r}. Known: {', '.join(EXTRACTORS)}."
        )
    if name == "local":
        return default_extractor()
    if models is None:
        raise UnknownStage(
            f"The extractor {name!r} needs a language model; none is configured."
        )
    mini = MiniExtractor(models(Role.EXTRACTION))
    remote: BatchExtractor = mini
    if name == "full":
        remote = FullExtractor(mini, models(Role.ABSTRACTION))
    return RoutedExtractor(remote, default_extractor(), stays)


def megamem(
    parts: Parts, *, off: Collection[str] = (), on: Collection[str] = ()
) -> MegaMem:
    """Return the product's pipeline without the stages in `off` or `parts.off`.

    `on` and `parts.on` switch on what's off by default. Raises UnknownStage.
    """
    on = {*on, *parts.on}
    unknown = {*off, *on, *parts.off} - STAGES
    if unknown:
        raise UnknownStage(
            f"There's no stage {min(unknown)!r}. Known: {', '.join(sorted(STAGES))}."
        )
    left_out = {*(_off_by_default(parts) - set(on)), *off, *parts.off}
    reranker = None
    if "reranker" not in left_out:
        reranker = parts.reranker or LocalReranker(parts.embedder)
    gate_calibration, confidence = shipped_calibrations()
    running = running_fingerprint(
        parts.embedder.name,
        reranker.name if reranker else "",
        mode="local" if parts.models is None else "model",
    )
    own = parts.calibration(running) if parts.calibration else None
    gate, threshold = gate_for(
        own or gate_calibration,
        running,
        parts.embedder,
        parts.policy,
        share=parts.unanswerable_share,
    )
    stages = _stages(parts)
    return MegaMem(
        retriever=Retriever(parts.store, parts.embedder, _weights(left_out)),
        answerer=stages.answerer,
        packer=Packer(render=render_card if parts.models is None else render_quoted),
        transform=None if "transform" in left_out else stages.transform,
        ranker=None if "rank" in left_out else DocumentRanker(),
        reranker=reranker,
        authority=parts.authority,
        verdict=None if "verdict" in left_out else stages.verdict,
        gate=None if "gate" in left_out else gate,
        expander=None if "expansion" in left_out else stages.expander,
        attributor=None if "attribution" in left_out else stages.attributor,
        confidence=LogisticConfidence(confidence),
        staying=_staying(parts, attributes="attribution" not in left_out),
        threshold=threshold if parts.threshold is None else parts.threshold,
    )


def megamem_paper(parts: Parts) -> MegaMem:
    """Return the paper's pipeline (A16), in which nothing is ours.

    Canonical wording and expansions in one call, always; both views at depth 20, no
    keyword route, no gate, no ranking of documents; every chunk of a hit counts. The
    configured reranker is used. Without a model the question is searched as it is, and
    answered and attributed as the product does it then. Access is confirmed as ever.
    """
    models = parts.models
    local = _stages(replace(parts, models=None))
    return MegaMem(
        retriever=Retriever(
            parts.store,
            parts.embedder,
            RouteWeights(keyword_chunks=0.0, keyword_memories=0.0),
            depth=PAPER_DEPTH,
            memory_depth=PAPER_DEPTH,
            pool=PAPER_POOL,
            max_chunks_per_hit=UNCAPPED,
        ),
        answerer=(
            WrittenAnswerer(models(Role.ANSWER), render_card)
            if models
            else local.answerer
        ),
        transform=PaperTransform(models(Role.QUERY)) if models else None,
        reranker=parts.reranker,
        authority=parts.authority,
        attributor=(
            PaperAttributor(models(Role.ATTRIBUTION)) if models else local.attributor
        ),
        staying=_staying(parts),
    )


@dataclass(frozen=True, slots=True)
class _Stages:
    """The stages that a language model does, or something local without one."""

    transform: Transform
    expander: Expander
    verdict: Verdict | None
    answerer: Answerer
    attributor: Attributor


def _stages(parts: Parts) -> _Stages:
    models = parts.models
    if models is None:
        return _Stages(
            LocalTransform(),
            PseudoRelevance(),
            None,
            ExtractiveAnswerer(parts.embedder),
            LocalAttributor(parts.embedder),
        )
    return _Stages(
        ModelTransform(models(Role.QUERY), lambda: not parts.stays()),
        ModelExpander(models(Role.QUERY)),
        ModelVerdict(models(Role.ANSWER)),
        WrittenAnswerer(models(Role.ANSWER)),
        ModelAttributor(models(Role.ATTRIBUTION)),
    )


def _staying(parts: Parts, *, attributes: bool = True) -> Staying | None:
    """Return who answers from evidence that must stay; None without a model."""
    if parts.models is None:
        return None
    local = _stages(replace(parts, models=None))
    attributor = local.attributor if attributes else None
    return Staying(parts.stays, local.answerer, attributor)


def _off_by_default(parts: Parts) -> frozenset[str]:
    return OFF_BY_DEFAULT - ({"reranker"} if parts.reranker else set())


def running_fingerprint(
    embedder: str, reranker: str = "", *, mode: str = "local"
) -> str:
    """Return what a calibration must have been fitted for: encoder, reranker, mode."""
    return fingerprint(embedder, reranker, mode)


def pipelines(parts: Parts) -> Mapping[str, MegaMem]:
    """Return every named pipeline: the product, the paper's, additions, ablations."""
    return {name: pipeline(parts, name) for name in PIPELINES}


def pipeline(parts: Parts, name: str) -> MegaMem:
    """Return one named pipeline. Raises UnknownSystem, naming those there are."""
    if name not in PIPELINES:
        known = ", ".join(PIPELINES)
        raise UnknownSystem(f"There's no system {name!r}. Known: {known}.")
    if name == PAPER:
        return megamem_paper(parts)
    if name == ALWAYS_EXPAND:
        return replace(megamem(parts), expands_always=True)
    if name in ADDITIONS:
        return megamem(parts, on=ADDITIONS[name])
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
