"""A model that judges answers beside the expected ones (A15), where one is configured."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import structlog

from memory.documents import Outcome
from memory.evaluation.datasets import EvaluationQuestion
from memory.evaluation.responses import Response
from memory.language_models.base import LanguageModel, LanguageModelError
from memory.prompts.base import as_data
from memory.prompts.judging import JUDGE

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Judged:
    """The judge's word on one answer; `stated` of `facts` facts stand in it."""

    correct: bool
    stated: int = 0
    facts: int = 0


class Judge(Protocol):
    """Says whether an answer is right."""

    @property
    def name(self) -> str:
        """Name model and prompt, for the manifest."""
        ...

    def judge(self, question: EvaluationQuestion, response: Response) -> Judged | None:
        """Return the judgement, None where there's nothing to judge or it failed."""
        ...


@dataclass(frozen=True, slots=True)
class ModelJudge:
    """Asks the judge's model about answers to answerable questions that have one."""

    model: LanguageModel

    @property
    def name(self) -> str:
        """Name model and prompt."""
        return f"{self.model.name}/{JUDGE.version}"

    def judge(self, question: EvaluationQuestion, response: Response) -> Judged | None:
        """Return the judgement; see `Judge`.

        An abstention and an answer to an unanswerable question need no judge.
        """
        answered = response.outcome is Outcome.ANSWERED
        if not answered or not question.answerable or not question.answer:
            return None
        told = {
            "question": question.text,
            "expected": question.answer,
            "facts": dict(enumerate(question.facts, start=1)),
            "answer": response.text,
        }
        facts = len(question.facts)
        try:
            return self.model.json(
                JUDGE.request(as_data(told)),
                "judgement",
                JUDGE.schema or {},
                lambda value: parse_judged(value, facts),
            )
        except LanguageModelError as error:
            log.warning("judging_failed", question=question.id, reason=str(error))
            return None


def parse_judged(value: Any, facts: int) -> Judged:
    """Return a reply's judgement. Raises ValueError for another shape."""
    if not isinstance(value, dict) or not isinstance(value.get("correct"), bool):
        raise ValueError("The reply has no truth value `correct`.")
    stated = value.get("stated")
    if not isinstance(stated, list):
        raise ValueError("The reply has no list `stated`.")
    numbers = {n for n in stated if type(n) is int and 1 <= n <= facts}
    return Judged(value["correct"], len(numbers), facts)
