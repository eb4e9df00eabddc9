"""What the gate adds to its best single signal, and what a policy would do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memory.answerability import SHIPPED_FEATURES, Point, Policy
from memory.evaluation.calibrating import Example, TooFewExamples, fit
from memory.evaluation.running import Result
from memory.evaluation.statistics import Estimate, Floats, auroc, auroc_difference

STRICT = 0.10


@dataclass(frozen=True, slots=True)
class Against:
    """AUROCs against one label, and the refitted gate's less the best signal's."""

    label: str
    gate: Estimate
    best_name: str
    best: Estimate
    difference: Estimate
    signals: Sequence[tuple[str, float]]


def gate_lines(results: Sequence[Result]) -> list[str]:
    """Return lines for a terminal on one system's gate; [] where nothing was judged.

    The shipped signals are fitted anew on these questions by grouped cross-validation
    (a question and its withheld twin, or one conversation, in one fold), so that no
    figure is of a model that saw its question, whatever the shipped one was fitted on.
    """
    examples = [made for result in results if (made := _example(result)) is not None]
    try:
        unseen, curve = _refitted(examples)
    except TooFewExamples:
        return []
    share = sum(not item.is_answerable for item in examples) / len(examples)
    lines = [
        "",
        f"The gate's signals fitted anew by grouped cross-validation, {len(examples)} "
        f"questions, {share:.0%} of them unanswerable",
    ]
    for label in ("answerability_auroc", "evidence_auroc"):
        found = _against(label, examples, unseen)
        if found is not None:
            lines += _told(found)
    operation = Policy(STRICT, share).operation(curve)
    if operation is not None:
        kept = (
            "" if operation.is_met else " (the policy can't be kept; this is nearest)"
        )
        lines.append(
            f"At most {STRICT:.0%} wrong: coverage {operation.coverage:.3f}, wrong rate "
            f"{operation.wrong_rate:.3f}{kept}"
        )
    return lines


def _example(result: Result) -> Example | None:
    values, features = result.observation, result.response.features
    if not features or "holds_gold" not in values:
        return None
    group = result.question.id.partition("/")[0]
    held = bool(values["holds_gold"])
    # What was abstained from has no answer: its evidence stands for it.
    right = not values["wrong_rate"] if "wrong_rate" in values else held
    return Example(features, held, group, result.question.answerable, right)


def _refitted(examples: Sequence[Example]) -> tuple[Floats, Sequence[Point]]:
    if not examples:
        raise TooFewExamples("No question was judged.")
    made = fit(
        examples, fingerprint="", threshold=0.5, provenance="", only=SHIPPED_FEATURES
    )
    return made.unseen, made.calibration.curve


def _against(label: str, examples: Sequence[Example], unseen: Floats) -> Against | None:
    truth = [
        item.is_answerable if label == "answerability_auroc" else item.label
        for item in examples
    ]
    labels = np.array(truth, dtype=np.float64)
    names = sorted(set.intersection(*(set(item.features) for item in examples)))
    columns = {
        name: np.array([item.features[name] for item in examples]) for name in names
    }
    alone = {name: auroc(column, labels) for name, column in columns.items()}
    known = {name: one.value for name, one in alone.items() if one.value is not None}
    if not known:
        return None
    ranked = sorted(known.items(), key=lambda item: -item[1])
    best = ranked[0][0]
    return Against(
        label,
        auroc(unseen, labels),
        best,
        alone[best],
        auroc_difference(unseen, columns[best], labels),
        ranked,
    )


def _told(found: Against) -> list[str]:
    signals = ", ".join(f"{name} {value:.3f}" for name, value in found.signals)
    return [
        f"{found.label}: {_interval(found.gate)}; best single signal "
        f"{found.best_name} {_interval(found.best)}; "
        f"difference {_interval(found.difference)}",
        f"  each signal alone: {signals}",
    ]


def _interval(one: Estimate) -> str:
    return f"{one.value:.3f} ({one.low:.3f} to {one.high:.3f})"
