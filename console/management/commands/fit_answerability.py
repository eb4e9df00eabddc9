"""`./manage.py fit_answerability`: the coefficients that come with the package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from console.benchmarks.progress import ProgressLine
from console.benchmarks.sets import load_data_set
from console.management.commands.evaluate import index_parts
from memory.confidence import answer_features
from memory.documents import Outcome, Question
from memory.errors import AttestError
from memory.evaluation.calibrating import Example, Fit, fit
from memory.evaluation.datasets import EvaluationQuestion, withhold
from memory.evaluation.index import WHOLE_SCOPE, EvaluationIndex, open_index
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
        parser.add_argument("dataset", help="handbook, or a name for your own")
        parser.add_argument("--data", type=Path, required=True, help="its folder")
        parser.add_argument("--questions", type=Path, help="JSONL of questions")
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
        data = load_data_set(options["dataset"], options["data"], options["questions"])
        parts = index_parts()
        index = open_index(data, parts, settings.ATTEST_HOME / "evaluation")
        shared = Parts(index.store, parts.embedder, threshold=0.0)
        questions = [*data.questions, *withhold(data.questions)]
        line = ProgressLine(self.stderr, "questions")
        examples: list[Example] = []
        answers: list[tuple[dict[str, float], bool]] = []
        pipeline = megamem(shared)
        for done, question in enumerate(questions, start=1):
            example, answer = _judged(pipeline, question, index)
            examples.append(example)
            answers.append(answer)
            line(done, len(questions))
        named = {
            "fingerprint": running_fingerprint(shared),
            "threshold": options["threshold"],
            "provenance": (
                f"{data.name} ({data.data_hash[:12]}), {len(data.questions)} questions "
                f"and {len(questions) - len(data.questions)} withheld; the share of "
                "answerable ones is the data's own"
            ),
        }
        gate = fit(examples, **named)
        # The gate's own figure as it would be for a question that it hasn't seen.
        seconds = [
            Example({**features, "answerability": float(unseen)}, label, example.group)
            for (features, label), unseen, example in zip(
                answers, gate.unseen, examples, strict=True
            )
        ]
        return gate, fit(seconds, **{**named, "threshold": 0.5})

    def _tell(self, title: str, result: Fit) -> None:
        self.stdout.write(f"\n{title}")
        self.stdout.write(
            f"  AUROC {result.auroc:.3f}, Brier {result.brier:.3f} on unseen groups"
        )
        for name, alone in sorted(result.alone.items(), key=lambda item: -item[1]):
            weight = result.calibration.features[name][2]
            self.stdout.write(f"  {name:<24} weight {weight:+.3f}, alone {alone:.3f}")


def _judged(
    pipeline: MegaMem, question: EvaluationQuestion, index: EvaluationIndex
) -> tuple[Example, tuple[dict[str, float], bool]]:
    """Return the evidence's example, and the answer's features with its label."""
    scope = WHOLE_SCOPE.excluding(question.withheld)
    answer = pipeline.ask(Question(question.text, scope, question.history, 600.0))
    (judged,) = [stage for stage in answer.trace if stage.stage == "answerability"]
    packed = passages(answer.evidence, index.chunks)
    found = any(is_found(gold, packed) for gold in question.gold)
    linked = {document.id for document in answer.documents}
    kept = [item for item in answer.evidence if item.document_id in linked]
    right = any(is_found(gold, passages(kept, index.chunks)) for gold in question.gold)
    group = question.id.partition("/")[0]
    example = Example(judged.detail["features"], found, group)
    features = dict(answer_features(question.text, answer))
    return example, (features, right and answer.outcome is Outcome.ANSWERED)
