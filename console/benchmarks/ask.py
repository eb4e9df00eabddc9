"""`bench ask`: how long a warm question takes, without and with the reranker."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from console.benchmarks.outcome import Outcome, resident_mb
from console.benchmarks.progress import ProgressLine, Stream
from console.benchmarks.syncs import BenchError, add_folder, sync
from memory.access import WORKSPACE_SCOPE
from memory.documents import Question, Turn
from memory.evaluation.records import read_jsonl
from memory.evaluation.tables import Column
from memory.megamem import MegaMem
from memory.runtime import runtime
from memory.systems import Parts, megamem

#: Asked first, uncounted.
WARM_UP = 5
RERANKER = "reranker"
#: Milliseconds by stage, one for each question.
Times = Mapping[str, Sequence[float]]


def read_questions(path: Path) -> list[Question]:
    """Return the questions of a JSONL file (`question`, maybe `history`)."""
    questions = [
        Question(
            text=record.text("question"),
            scope=WORKSPACE_SCOPE,
            history=tuple(
                Turn(turn.text("role"), turn.text("content"))
                for turn in record.records("history")
            ),
        )
        for record in read_jsonl(path)
    ]
    if not questions:
        raise BenchError(f"{path} holds no question.")
    return questions


def bench_ask(folder: Path, questions: Sequence[Question], stream: Stream) -> Outcome:
    """Sync the folder, then ask every question of both pipelines in this process.

    The first pass of each pipeline's warm-up isn't counted. Access is confirmed in
    SQL for every question, as the product does.
    """
    from connectors.access import SqlAuthority

    sync(add_folder(folder), ProgressLine(stream, "Sync, files"))
    parts = Parts(runtime().store, runtime().embedder, authority=SqlAuthority())
    without = _ask(
        megamem(parts, off=[RERANKER]),
        questions,
        ProgressLine(stream, "Without reranker"),
    )
    memory = resident_mb()
    reranked = _ask(
        megamem(parts, on=[RERANKER]), questions, ProgressLine(stream, "With reranker")
    )
    encoder = _encoder(questions)
    return _outcome(without, reranked, encoder, memory)


def _ask(pipeline: MegaMem, questions: Sequence[Question], line: ProgressLine) -> Times:
    times: dict[str, list[float]] = {"total": []}
    for number, question in enumerate([*questions[:WARM_UP], *questions]):
        started = time.perf_counter()
        answer = pipeline.ask(question)
        elapsed_ms = (time.perf_counter() - started) * 1000
        if number < min(WARM_UP, len(questions)):
            continue
        for stage, milliseconds in answer.timings_ms.items():
            if stage != "total":
                times.setdefault(stage, []).append(milliseconds)
        times["total"].append(elapsed_ms)
        line(len(times["total"]), len(questions))
    return times


def _encoder(questions: Sequence[Question]) -> list[float]:
    """Return how long the encoder alone takes for each question."""
    times = []
    for question in questions:
        started = time.perf_counter()
        runtime().embedder.embed_queries([question.text])
        times.append((time.perf_counter() - started) * 1000)
    return times


def _outcome(
    without: Times,
    reranked: Times,
    encoder: Sequence[float],
    memory: Mapping[str, float],
) -> Outcome:
    stages = list(dict.fromkeys([*without, *reranked]))
    stages.sort(key=lambda stage: stage == "total")
    rows = [
        [stage, *_cells(without.get(stage)), *_cells(reranked.get(stage))]
        for stage in stages
    ]
    rows.append(["encoder alone", *_cells(encoder), "", ""])
    rows.append(["resident MB", f"{memory['now']:,.0f}", "", "", ""])
    titles = ["p50 ms", "p95 ms", "reranked p50", "p95"]
    return Outcome(
        name="ask",
        columns=[Column("stage", left=True), *map(Column, titles)],
        rows=rows,
        ratio=float(np.percentile(without["total"], 50) / np.percentile(encoder, 50)),
        baseline=(
            "a question's p50 without reranker to the encoder's for the question alone, "
            f"over {len(without['total'])} questions; a stage's figures are over the "
            "questions that reached it"
        ),
        figures={
            "questions": len(without["total"]),
            "without_reranker_ms": _figures(without),
            "with_reranker_ms": _figures(reranked),
            "encoder_ms": _figures({"total": encoder})["total"],
            "resident_mb": dict(memory),
        },
    )


def _cells(times: Sequence[float] | None) -> tuple[str, str]:
    if not times:
        return "-", "-"
    p50, p95 = np.percentile(times, [50, 95])
    return f"{p50:,.1f}", f"{p95:,.1f}"


def _figures(times: Times) -> dict[str, Any]:
    return {
        stage: {
            "p50": float(np.percentile(values, 50)),
            "p95": float(np.percentile(values, 95)),
            "n": len(values),
        }
        for stage, values in times.items()
    }
