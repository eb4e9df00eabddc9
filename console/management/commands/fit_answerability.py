"""`./manage.py fit_answerability`: the coefficients that come with the package."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from console.benchmarks.progress import ProgressLine
from console.benchmarks.sets import load_data_set
from console.management.commands.evaluate import index_parts
from memory.answerability import SHIPPED_FEATURES
from memory.confidence import answer_features
from memory.documents import Question
from memory.errors import AttestError
from memory.evaluation.calibrating import Example, Fit, fit
from memory.evaluation.datasets import DataSet, EvaluationQuestion, withhold
from memory.evaluation.index import WHOLE_SCOPE, EvaluationIndex, IndexParts, open_index
from memory.evaluation.judging import is_found, passages
from memory.megamem import MegaMem
from memory.systems import Parts, megamem, running_fingerprint


class Command(BaseCommand):
    """Ask a data set's questions twice, judge the evidence, fit, and print how well."""

    help = (
        "Fit the gate's and the confidence's coefficients on a data set's questions, "
        "each also with its needed documents withheld. Prints cross-validated figures."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the data and where to write."""
        parser.add_argument(
            "--set",
            dest="sets",
            action="append",
            nargs=3,
            required=True,
            metavar=("NAME", "FOLDER", "QUESTIONS"),
            help="a data set as `evaluate` takes it, - for no questions file; repeatable",
        )
        parser.add_argument(
            "--as-asked",
            action="append",
            default=[],
            metavar="NAME",
            help="a set that isn't asked a second time with documents withheld",
        )
        parser.add_argument(
            "--threshold", type=float, default=0.25, help="answer from this figure on"
        )
        parser.add_argument("--write", type=Path, help="write the coefficients here")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Ask, fit, print, and write where asked to."""
        try:
            gate, confidence = self._fits(options)
        except AttestError as error:
            raise CommandError(str(error)) from error
        self._tell("answerability: the evidence holds a gold quote", gate)
        self._tell("confidence: the linked evidence holds a gold quote", confidence)
        if options["write"]:
            values = {
                "answerability": gate.calibration.to_json(),
                "confidence": confidence.calibration.to_json(),
            }
            text = json.dumps(values, indent=1, sort_keys=True) + "\n"
            options["write"].write_text(text, encoding="utf-8")

    def _fits(self, options: dict[str, Any]) -> tuple[Fit, Fit]:
        parts = index_parts()
        judged: dict[str, list[Judged]] = {}
        origins = []
        for name, folder, questions in options["sets"]:
            path = None if questions == "-" else Path(questions)
            data = load_data_set(name, Path(folder), path)
            twice = name not in options["as_asked"]
            judged[name] = judge(data, parts, self.stderr, twice=twice)
            how = "also with documents withheld" if twice else "as asked"
            count = len(data.questions)
            origins.append(f"{name} ({data.data_hash[:12]}, {count}, {how})")
        return fits(
            judged,
            embedder=parts.embedder.name,
            provenance=f"Questions of {', '.join(origins)}; sets weigh alike, "
            "unanswerable questions have the data's own share.",
            threshold=options["threshold"],
        )

    def _tell(self, title: str, result: Fit) -> None:
        self.stdout.write(f"\n{title}")
        self.stdout.write(
            f"  AUROC {result.auroc:.3f}, Brier {result.brier:.3f} on unseen groups"
        )
        for name, alone in sorted(result.alone.items(), key=lambda item: -item[1]):
            weight = result.calibration.features[name][2]
            self.stdout.write(f"  {name:<24} weight {weight:+.3f}, alone {alone:.3f}")


def fits(
    judged: Mapping[str, Sequence[Judged]],
    *,
    embedder: str,
    provenance: str,
    threshold: float,
) -> tuple[Fit, Fit]:
    """Return the gate's and the confidence's models; each set weighs as the smallest."""
    smallest = min(len(items) for items in judged.values())
    every = [
        item.weighing(smallest / len(items))
        for items in judged.values()
        for item in items
    ]
    fitted = partial(
        fit,
        fingerprint=running_fingerprint(embedder),
        also_for=_same_scores(embedder),
        provenance=provenance,
    )
    gate = fitted(
        [item.evidence for item in every], threshold=threshold, only=SHIPPED_FEATURES
    )
    # The gate's own figure as it would be for a question that it hasn't seen.
    answers = [
        replace(
            item.answer,
            features={**item.answer.features, "answerability": float(unseen)},
        )
        for item, unseen in zip(every, gate.unseen, strict=True)
    ]
    return gate, fitted(answers, threshold=0.5)


def _same_scores(embedder: str) -> list[str]:
    """Return the fingerprints of the packaged encoder's other precisions.

    Their cosines differ by less than 0.0001 (docs/evaluation.md), so what is fitted
    with one holds with the other.
    """
    model, _, precision = embedder.rpartition("/")
    others = {"bf16": "fp32", "fp32": "bf16"}
    if precision not in others:
        return []
    return [running_fingerprint(f"{model}/{others[precision]}")]


@dataclass(frozen=True, slots=True)
class Judged:
    """One question's two examples: its evidence's, and its answer's."""

    evidence: Example
    answer: Example

    def weighing(self, weight: float) -> Judged:
        """Return both with a weight."""
        return Judged(
            replace(self.evidence, weight=weight), replace(self.answer, weight=weight)
        )


def judge(data: DataSet, parts: IndexParts, told: Any, *, twice: bool) -> list[Judged]:
    """Ask a data set's questions, `twice`: also with their documents withheld.

    `told` is the stream for progress. Raises StoreError and DataSetError.
    """
    index = open_index(data, parts, settings.ATTEST_HOME / "evaluation")
    pipeline = megamem(Parts(index.store, parts.embedder, threshold=0.0))
    questions = list(data.questions)
    if twice:
        questions += withhold(questions)
    line = ProgressLine(told, f"{data.name}, questions")
    judged = []
    for done, question in enumerate(questions, start=1):
        judged.append(_judged(pipeline, question, index))
        line(done, len(questions))
    return judged


def _judged(
    pipeline: MegaMem, question: EvaluationQuestion, index: EvaluationIndex
) -> Judged:
    """Ask without a gate, and see where the gold quotes are."""
    scope = WHOLE_SCOPE.excluding(question.withheld)
    answer = pipeline.ask(Question(question.text, scope, question.history, 600.0))
    (judged,) = [stage for stage in answer.trace if stage.stage == "answerability"]
    linked = {document.id for document in answer.documents}
    kept = [item for item in answer.evidence if item.document_id in linked]
    group = f"{index.key}/{question.id.partition('/')[0]}"
    found, right = (
        any(is_found(gold, passages(cards, index.chunks)) for gold in question.gold)
        for cards in (answer.evidence, kept)
    )
    judgement = partial(
        Example, group=group, is_answerable=question.answerable, is_right=right
    )
    return Judged(
        judgement(judged.detail["features"], found),
        judgement(answer_features(question.text, answer), right),
    )
