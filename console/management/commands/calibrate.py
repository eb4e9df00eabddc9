"""`./manage.py calibrate`: the gate's coefficients from this workspace's questions."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from console.calibrating import judged_examples
from console.management.commands.policy import policy_lines, running_now
from memory.answerability import SHIPPED_FEATURES, Policy
from memory.errors import AttestError
from memory.evaluation import statistics
from memory.evaluation.calibrating import Example, Fit, fit
from memory.evaluation.reliability import curve_table, reliability_table
from memory.models import AnswerPolicy, Calibration, spend_written

#: Fewer of either kind would say nothing of a workspace.
FEWEST = 50
#: What's fitted: the shipped model's signals, and a model's own word where there's one.
FEATURES = SHIPPED_FEATURES | {"verdict"}


class Command(BaseCommand):
    """Fit on judged exchanges and questions, print how well, store."""

    help = (
        "Fit the gate on this workspace's judged answers (thumbs) and, with --set, on "
        "questions with known documents. Needs 50 right and 50 wrong ones. Prints "
        "cross-validated figures and stores the result, which is then used."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take further questions, and whether to store."""
        parser.add_argument(
            "--set",
            dest="sets",
            action="append",
            default=[],
            nargs=3,
            metavar=("NAME", "FOLDER", "QUESTIONS"),
            help="questions as `evaluate` takes them; may be given several times",
        )
        parser.add_argument("--dry-run", action="store_true", help="store nothing")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Gather, fit, print, store."""
        try:
            running = running_now()
            examples = judged_examples(running)
            origins = [f"{len(examples)} judged answers of this workspace"]
            for name, folder, questions in options["sets"]:
                added = self._asked(name, Path(folder), Path(questions))
                examples += added
                origins.append(f"{len(added)} questions of {name}")
            result = fit(
                examples,
                fingerprint=running,
                threshold=settings.ATTEST_ANSWER_THRESHOLD or 0.5,
                provenance=f"Fitted on {' and '.join(origins)}.",
                only=FEATURES,
                fewest=FEWEST,
            )
        except AttestError as error:
            raise CommandError(str(error)) from error
        self._tell(result, examples, options)

    def _asked(self, name: str, folder: Path, questions: Path) -> list[Example]:
        # Here, as it loads torch and the store.
        from console.benchmarks.sets import load_data_set
        from console.management.commands.evaluate import index_parts
        from console.management.commands.fit_answerability import judge

        data = load_data_set(name, folder, questions)
        parts = index_parts()
        with spend_written():
            judged = list(judge(data, parts, self.stderr, twice=True))
        return [
            replace(item.evidence, label=bool(item.evidence.is_right))
            for item in judged
        ]

    def _tell(
        self, result: Fit, examples: list[Example], options: dict[str, Any]
    ) -> None:
        labels = np.array([item.label for item in examples], dtype=np.float64)
        error = statistics.calibration_error(result.unseen, labels).value or 0.0
        policy = AnswerPolicy.current()
        mixed = not any(not item.is_answerable for item in examples)
        shown = Policy(policy.max_wrong, 0.0) if mixed else policy
        self.stdout.write(
            f"{len(examples)} examples, {int(labels.sum())} of them right. On unseen "
            f"ones: AUROC {result.auroc:.3f}, Brier {result.brier:.3f}, calibration "
            f"error {error:.3f}.\n"
        )
        self.stdout.write(reliability_table(result.unseen, labels) + "\n")
        self.stdout.write(curve_table(result.calibration.curve, shown) + "\n")
        if options["dry_run"]:
            self.stdout.write("Nothing is stored (--dry-run).")
            return
        Calibration.objects.create(
            fingerprint=result.calibration.fingerprint,
            provenance=result.calibration.provenance,
            questions=len(examples),
            auroc=result.auroc,
            brier=result.brier,
            calibration_error=error,
            model=result.calibration.to_json(),
        )
        for line in policy_lines(policy):
            self.stdout.write(line)
