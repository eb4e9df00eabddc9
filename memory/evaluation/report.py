"""The report: its JSON, as DESIGN.md has it, and its tables for a terminal."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memory.evaluation.comparison import COMPARED, differences
from memory.evaluation.judging import Observation
from memory.evaluation.metrics import METRICS, measure
from memory.evaluation.running import Result
from memory.evaluation.statistics import Estimate
from memory.evaluation.tables import Column, render_table

Measured = Mapping[str, Estimate]

#: Metric, heading and format of the terminal's columns; the JSON has every metric.
COLUMNS = (
    ("document_recall_at_5", "doc R@5", "{:.3f}"),
    ("evidence_recall", "evid R", "{:.3f}"),
    ("first_document_right", "1st doc", "{:.3f}"),
    ("reported_recall", "linked R", "{:.3f}"),
    ("verbatim_share", "verbatim", "{:.3f}"),
    ("abstained_answerable", "abst +", "{:.3f}"),
    ("abstained_unanswerable", "abst -", "{:.3f}"),
    ("answerability_auroc", "AUROC", "{:.3f}"),
    ("wrong_rate", "wrong", "{:.3f}"),
    ("evidence_tokens", "tokens", "{:,.0f}"),
    ("total_ms_p50", "p50 ms", "{:,.0f}"),
)
_LEGEND = (
    "abst + / abst -: abstained on answerable / unanswerable questions; wrong: among\n"
    "answered. docs/evaluation.md says what each metric means."
)


@dataclass(frozen=True, slots=True)
class SystemReport:
    """One system's metrics over all questions, and over those of each type."""

    metrics: Measured
    by_type: Mapping[str, Measured]
    observations: Sequence[Observation] = field(default=(), repr=False)

    @classmethod
    def of(cls, results: Sequence[Result]) -> SystemReport:
        """Measure results; types stand in the order of their first question."""
        types = dict.fromkeys(result.question.type for result in results)
        return cls(
            metrics=measure([result.observation for result in results]),
            by_type={
                kind: measure(
                    [row.observation for row in results if row.question.type == kind]
                )
                for kind in types
            },
            observations=tuple(result.observation for result in results),
        )

    def as_json(self) -> dict[str, Any]:
        """Return each metric by name, and the same under `by_type`."""
        return {
            **_metrics_json(self.metrics),
            "by_type": {kind: _metrics_json(one) for kind, one in self.by_type.items()},
        }


@dataclass(frozen=True, slots=True)
class Report:
    """All that one run of `evaluate` found."""

    dataset: str
    questions: int
    answerable: int
    systems: Mapping[str, SystemReport]
    manifest: Mapping[str, Any] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Return the object that `--json` writes."""
        return {
            "dataset": self.dataset,
            "questions": self.questions,
            "manifest": dict(self.manifest),
            "systems": {name: one.as_json() for name, one in self.systems.items()},
        }

    def as_text(self) -> str:
        """Return the tables: all systems, then the first one's by type."""
        first, leading = next(iter(self.systems.items()))
        everything = {name: one.metrics for name, one in self.systems.items()}
        lines = [
            f"{self.dataset}: {self.questions} questions, {self.answerable} of them answerable",
            "",
            _table("system", everything),
            "",
            _spread(first, leading.metrics),
            *self._comparison(),
            "",
            f"{first} by type of question",
            "",
            _table("type", leading.by_type, with_count=True),
            "",
            _LEGEND,
        ]
        return "\n".join(lines)

    def _comparison(self) -> list[str]:
        """Return the table of the first system less each other one, if there is one."""
        first, *others = self.systems
        rows = []
        for name in others:
            compared = differences(
                self.systems[first].observations, self.systems[name].observations
            )
            rows.append([name, *(_difference(compared[key]) for key in COMPARED)])
        if not rows:
            return []
        titles = [title for metric, title, _ in COLUMNS if metric in COMPARED]
        columns = [Column(f"{first} less", left=True), *map(Column, titles)]
        return ["", render_table(columns, rows)]


def write_json(path: Path, value: object) -> None:
    """Write JSON beside `path` and move it there, so a reader never sees half of it."""
    _write_whole(path, [json.dumps(value, indent=2, allow_nan=False, default=str)])


def write_json_lines(path: Path, values: Iterable[object]) -> None:
    """Write one JSON value a line, whole or not at all."""
    _write_whole(path, (json.dumps(value, ensure_ascii=False) for value in values))


def _write_whole(path: Path, lines: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        with part.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in lines)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def _metrics_json(metrics: Measured) -> dict[str, Any]:
    return {name: metrics[name].as_json() for name in METRICS}


def _table(
    heading: str, rows: Mapping[str, Measured], *, with_count: bool = False
) -> str:
    columns = [Column(heading, left=True)]
    columns += [Column("n")] if with_count else []
    shown = [
        column for column in COLUMNS if any(row[column[0]].n for row in rows.values())
    ]
    columns += [Column(title) for _, title, _ in shown]
    body = []
    for name, metrics in rows.items():
        count = [str(metrics["failed"].n)] if with_count else []
        cells = [_cell(metrics[metric], form) for metric, _, form in shown]
        body.append([name, *count, *cells])
    return render_table(columns, body)


def _cell(estimate: Estimate, form: str) -> str:
    return "-" if estimate.value is None else form.format(estimate.value)


def _difference(estimate: Estimate) -> str:
    if estimate.value is None or estimate.low is None:
        return "-"
    return f"{estimate.value:+.3f} ({estimate.low:+.3f} to {estimate.high:+.3f})"


def _spread(name: str, metrics: Measured) -> str:
    """Return the 95% intervals of the main metrics in one line."""
    parts = [
        f"{title} {form.format(one.low)} to {form.format(one.high)}"
        for metric, title, form in COLUMNS[:3]
        if (one := metrics[metric]).low is not None
    ]
    return f"{name}, 95% intervals: " + "; ".join(parts)
