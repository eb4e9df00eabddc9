"""Asks every system every question and keeps what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from memory.access import Scope
from memory.documents import Chunk, Outcome, Question
from memory.errors import AttestError
from memory.evaluation.datasets import EvaluationQuestion
from memory.evaluation.judging import is_found, observe, passages
from memory.evaluation.model_judge import Judge
from memory.evaluation.responses import Response, System

#: No answer is cut short by a clock: a deadline would make figures depend on load.
_DEADLINE_S = 600.0


@dataclass(frozen=True, slots=True)
class Result:
    """One question to one system, and its numbers."""

    question: EvaluationQuestion
    response: Response
    observation: Mapping[str, float]


def run_system(
    system: System,
    questions: Sequence[EvaluationQuestion],
    *,
    scope: Scope,
    chunks: Mapping[UUID, Chunk],
    judge: Judge | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> list[Result]:
    """Return one result a question, in order; `on_progress` gets how many are done.

    Where the `judge` has a word on an answer, it counts instead of the quotes'.

    The first question is asked once before, uncounted, so that no time holds the
    loading of a model.
    """
    results: list[Result] = []
    for number, question in enumerate([*questions[:1], *questions]):
        response = _respond(system, question, scope)
        if not number:
            continue
        judged = None if judge is None else judge.judge(question, response)
        observation = observe(question, response, chunks, judged)
        results.append(Result(question, response, observation))
        if on_progress:
            on_progress(number)
    return results


def _respond(system: System, question: EvaluationQuestion, scope: Scope) -> Response:
    asked = Question(
        text=question.text,
        scope=scope.excluding(question.withheld),
        history=question.history,
        deadline_s=_DEADLINE_S,
    )
    try:
        return system.respond(asked)
    except AttestError as error:  # a baseline has no way of its own to tell a failure
        return Response(
            ranking=(),
            evidence=(),
            retrieval_ms=0.0,
            total_ms=0.0,
            outcome=Outcome.FAILED,
            fallbacks=(str(error),),
        )


def question_lines(
    results: Mapping[str, Sequence[Result]],
    chunks: Mapping[UUID, Chunk],
    names: Mapping[UUID, str],
) -> Iterable[dict[str, Any]]:
    """Yield one JSON object a question with every system's result, to read failures by.

    `names` are the documents' ids at their source.
    """
    for rows in zip(*results.values(), strict=True):
        question = rows[0].question
        yield {
            "id": question.id,
            "type": question.type,
            "question": question.text,
            "needed": [sorted(names[item] for item in one) for one in question.needed],
            "answer": question.answer,
            "systems": {
                system: _line(row, chunks, names)
                for system, row in zip(results, rows, strict=True)
            },
        }


def _line(
    result: Result, chunks: Mapping[UUID, Chunk], names: Mapping[UUID, str]
) -> dict[str, Any]:
    response = result.response
    packed = passages(response.evidence, chunks)
    return {
        "outcome": response.outcome,
        "answer": response.text,
        "answerability": response.answerability,
        "confidence": response.confidence,
        "ranking": [names[item] for item in response.ranking[:10]],
        "linked": response.linked and [names[item] for item in response.linked],
        "evidence": [
            {
                "document": names[item.document_id],
                "heading": item.heading,
                "tokens": item.tokens,
                "text": item.text,
            }
            for item in response.evidence
        ],
        "gold_found": [is_found(gold, packed) for gold in result.question.gold],
        "values": dict(result.observation),
        "timings_ms": dict(response.timings_ms),
        "fallbacks": list(response.fallbacks),
    }
