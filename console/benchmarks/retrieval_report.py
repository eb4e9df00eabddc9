"""`bench retrieval` as a whole, and its table: one line a store and size."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from console.benchmarks.objects import Made, read_sample
from console.benchmarks.outcome import Outcome
from console.benchmarks.progress import ProgressLine, Stream
from console.benchmarks.retrieval import (
    RECALL_AT,
    SCOPES,
    WHOLE,
    Measured,
    measure,
    questions_of,
)
from memory.embedding import Embedder
from memory.evaluation.tables import Column

_ROUTES = ("dense_chunks", "dense_memories", "keyword_chunks", "keyword_memories")
_SHORT = ("chunks", "memories", "words", "words of memories")


def bench_retrieval(
    folder: Path,
    embedder: Embedder,
    *,
    home: Path,
    plan: tuple[Sequence[str], Sequence[int]],
    questions: Sequence[str],
    stream: Stream,
) -> Outcome:
    """Measure each store of the plan at each of its sizes, one after the other.

    The stores stand in `home`, and are gone afterwards.
    """
    stores, sizes = plan
    sample = read_sample(folder, embedder, ProgressLine(stream, "Sample, texts"))
    asked = questions_of(sample, embedder, questions)
    found = []
    for size in sizes:
        made = Made(sample, size)
        for store in stores:
            found.append(measure(store, made, asked, home, stream))
    return _outcome(found)


def _outcome(found: Sequence[Measured]) -> Outcome:
    titles = [*_SHORT, "whole p50", "p95", *(f"{n:,} rules" for n in SCOPES)]
    titles += [f"recall@{RECALL_AT}", "load s", "memory MB", "disk MB"]
    first, last = found[0], found[-1]
    return Outcome(
        name="retrieval",
        columns=[
            Column("store", left=True),
            Column("objects a view"),
            *map(Column, titles),
        ],
        rows=[_row(each) for each in found],
        ratio=last.percentile(WHOLE, 50) / first.percentile(WHOLE, 50),
        baseline=(
            f"whole retrieval's p50 of the last line to the first; milliseconds, "
            f"routes p50, {len(first.times[WHOLE])} questions; columns of rules are the "
            "whole's p50 in a channel with so many"
        ),
        figures={"stores": [_figures(each) for each in found]},
    )


def _row(each: Measured) -> list[str]:
    times = [*(each.percentile(name, 50) for name in (*_ROUTES, WHOLE))]
    times.append(each.percentile(WHOLE, 95))
    times += [float(np.percentile(each.scopes[count], 50)) for count in SCOPES]
    return [
        each.store,
        f"{each.size:,}",
        *(f"{value:,.1f}" for value in times),
        f"{min(each.recall.values()):.3f}",
        *(f"{value:,.0f}" for value in (each.load_s, each.memory_mb, each.disk_mb)),
    ]


def _figures(each: Measured) -> dict[str, Any]:
    return {
        "store": each.store,
        "objects_a_view": each.size,
        "ms": {
            name: {"p50": each.percentile(name, 50), "p95": each.percentile(name, 95)}
            for name in each.times
        },
        "rules_ms_p50": {
            str(count): float(np.percentile(times, 50))
            for count, times in each.scopes.items()
        },
        "recall": each.recall,
        "load_s": each.load_s,
        "memory_mb": each.memory_mb,
        "disk_mb": each.disk_mb,
    }
