"""What a system under evaluation gives back, and what a system is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol
from uuid import UUID

from memory.documents import Answer, Evidence, Outcome, Question, Sentence

#: Stages of `Answer.timings_ms` that come after retrieval, and sums of stages.
AFTER_RETRIEVAL = frozenset({"answer", "attribution", "confidence", "total"})


@dataclass(frozen=True, slots=True)
class Response:
    """One system's result for one question.

    `ranking` are distinct documents after reranking, before the gate; `evidence` is
    what was packed. A baseline answers nothing: its `outcome`, `answerability` and
    `linked` are None.
    """

    ranking: tuple[UUID, ...]
    evidence: tuple[Evidence, ...]
    retrieval_ms: float
    total_ms: float
    outcome: Outcome | None = None
    answerability: float | None = None
    confidence: float | None = None
    linked: tuple[UUID, ...] | None = None
    text: str = ""
    sentences: tuple[Sentence, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    fallbacks: tuple[str, ...] = ()
    #: The gate's raw signals of the last pass.
    features: Mapping[str, float] = field(default_factory=dict)

    @property
    def evidence_tokens(self) -> int:
        """Return the size of all evidence cards in cl100k_base tokens."""
        return sum(item.tokens for item in self.evidence)

    @property
    def failed(self) -> bool:
        """Tell whether a failure ended it."""
        return self.outcome is Outcome.FAILED

    @classmethod
    def of_answer(cls, answer: Answer, *, total_ms: float) -> Response:
        """Return a pipeline's answer as a response; `total_ms` is a clock's around it.

        Retrieval is every timed stage up to and with the gate.
        """
        retrieval_ms = sum(
            milliseconds
            for stage, milliseconds in answer.timings_ms.items()
            if stage not in AFTER_RETRIEVAL
        )
        return cls(
            ranking=answer.ranking,
            evidence=answer.evidence,
            retrieval_ms=retrieval_ms,
            total_ms=total_ms,
            outcome=answer.outcome,
            answerability=answer.answerability if answer.is_judged else None,
            confidence=answer.confidence,
            linked=tuple(document.id for document in answer.documents),
            text=answer.text,
            sentences=answer.sentences,
            timings_ms=answer.timings_ms,
            fallbacks=answer.fallbacks,
            features=_features(answer),
        )


def _features(answer: Answer) -> Mapping[str, float]:
    """Return the features of the trace's last judgement, {} without a gate."""
    found: Mapping[str, float] = {}
    for stage in answer.trace:
        if stage.stage == "answerability":
            found = stage.detail.get("features", {})
    return found


class System(Protocol):
    """Something that is evaluated: the product, an ablation of it, a baseline."""

    @property
    def name(self) -> str:
        """Name it as `--systems` does."""
        ...

    def respond(self, question: Question) -> Response:
        """Return the result; a failure is an outcome, not an exception."""
        ...
