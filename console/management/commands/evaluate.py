"""`./manage.py evaluate`: how good the answers are, with baselines and ablations."""

from __future__ import annotations

from argparse import ArgumentTypeError, RawDescriptionHelpFormatter
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from console.benchmarks.progress import ProgressLine
from console.benchmarks.sets import load_data_set
from memory.errors import AttestError
from memory.evaluation.datasets import DataSet, EvaluationQuestion, withhold
from memory.evaluation.gate_report import gate_lines
from memory.evaluation.index import WHOLE_SCOPE, EvaluationIndex, IndexParts, open_index
from memory.evaluation.manifest import make_manifest
from memory.evaluation.model_judge import ModelJudge
from memory.evaluation.report import (
    Report,
    SystemReport,
    write_json,
    write_json_lines,
)
from memory.evaluation.running import Result, question_lines, run_system
from memory.evaluation.systems import DEFAULT_SYSTEMS, make_systems, parse_names
from memory.language_models.base import QUESTION_ROLES, Role
from memory.models import spend_written
from memory.query.packing import Packer
from memory.stores.base import MemoryStore
from memory.systems import PIPELINES, default_chunker, pipelines

Results = dict[str, list[Result]]


class Command(BaseCommand):
    """Ask every question of a data set and measure what comes of it."""

    help = (
        "Measure retrieval, evidence, answers and abstention on a data set.\n"
        "docs/evaluation.md says what each figure means."
    )

    def create_parser(self, *args: Any, **options: Any) -> CommandParser:
        """Keep the help's lines."""
        options["formatter_class"] = RawDescriptionHelpFormatter
        return super().create_parser(*args, **options)

    def add_arguments(self, parser: CommandParser) -> None:
        """Take what DESIGN.md lists, and what helps to read failures."""
        add = parser.add_argument
        add("dataset", help="handbook, financebench, locomo, or a name for your own")
        add("--data", type=Path, required=True, help="the data set's folder")
        add("--questions", type=Path, help="JSONL; default: questions.jsonl in --data")
        add("--systems", default=",".join(DEFAULT_SYSTEMS), help="names, with commas")
        add("--withhold", action="store_true", help="also without the needed documents")
        add("--json", type=Path, help="write the whole report here")
        add("--per-question", type=Path, help="write each question's results (JSONL)")
        add("--limit", type=_positive, help="the first N questions only")
        add("--rebuild", action="store_true", help="build the data set's index anew")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Load, index, ask, measure, print."""
        try:
            with spend_written():
                self._evaluate(options)
        except AttestError as error:
            raise CommandError(str(error)) from error

    def _evaluate(self, options: dict[str, Any]) -> None:
        names = parse_names(options["systems"], PIPELINES)
        data = load_data_set(options["dataset"], options["data"], options["questions"])
        questions = list(data.questions[: options["limit"]])
        if options["withhold"]:
            questions += withhold(questions)
        parts = index_parts()
        index = open_index(
            data,
            parts,
            settings.ATTEST_HOME / "evaluation",
            rebuild=options["rebuild"],
            on_progress=ProgressLine(self.stderr, "Building the index, documents"),
        )
        results = self._run(names, questions, index, parts)
        report = _report(data, questions, results, parts)
        self._write(options, report, results, data, index)
        self._tell(data, report)
        for line in gate_lines(next(iter(results.values()))):
            self.stdout.write(line)

    def _run(
        self,
        names: list[str],
        questions: list[EvaluationQuestion],
        index: EvaluationIndex,
        parts: IndexParts,
    ) -> Results:
        from memory.runtime import runtime

        share = sum(not item.answerable for item in questions) / len(questions)
        # Figures for the data's own mix of questions; what is answered doesn't change.
        shared = replace(runtime().parts(index.store), unanswerable_share=share or None)
        judge = model_judge()
        systems = make_systems(
            names,
            pipelines=pipelines(shared) if {*names} & {*PIPELINES} else {},
            index=index,
            embedder=parts.embedder,
            packer=Packer(),
        )
        results: Results = {}
        for system in systems:
            line = ProgressLine(self.stderr, f"{system.name}, questions")
            results[system.name] = run_system(
                system,
                questions,
                scope=WHOLE_SCOPE,
                chunks=index.chunks,
                judge=judge,
                on_progress=partial(_show, line, len(questions)),
            )
        return results

    def _write(
        self,
        options: dict[str, Any],
        report: Report,
        results: Results,
        data: DataSet,
        index: EvaluationIndex,
    ) -> None:
        try:
            if options["json"]:
                write_json(options["json"], report.as_json())
            if options["per_question"]:
                names = {item.id: item.external_id for item in data.documents}
                lines = question_lines(results, index.chunks, names)
                write_json_lines(options["per_question"], lines)
        except OSError as error:
            raise CommandError(
                f"{error.filename} can't be written ({error.strerror})."
            ) from error

    def _tell(self, data: DataSet, report: Report) -> None:
        self.stdout.write(report.as_text())
        share = 1 - report.answerable / report.questions
        self.stdout.write(
            f"Note: answerability is shown for this data's own share of unanswerable "
            f"questions, {share:.0%}."
        )
        for name, count in data.notes.items():
            self.stdout.write(f"Note: {count} {name.replace('_', ' ')}.")


def index_parts() -> IndexParts:
    """Return the product's own chunker, extractor, encoder and store."""
    # Here, as it loads torch: a wrong argument is told before.
    from memory.runtime import runtime
    from memory.stores.embedded import EmbeddedStore

    embedder, extractor = runtime().embedder, runtime().extractor

    def open_store(folder: Path) -> MemoryStore:
        return EmbeddedStore(folder / "store", embedder.name, embedder.dimensions)

    return IndexParts(default_chunker(), extractor, embedder, open_store)


def model_judge() -> ModelJudge | None:
    """Return the judge, None where no model is configured for it."""
    from memory.runtime import runtime

    models = runtime().models
    named = settings.ATTEST_MODELS.get(Role.JUDGE)
    return ModelJudge(models(Role.JUDGE)) if models and named else None


def _report(
    data: DataSet,
    questions: list[EvaluationQuestion],
    results: Results,
    parts: IndexParts,
) -> Report:
    used = {
        "answer_threshold": settings.ATTEST_ANSWER_THRESHOLD,
        "stages_off": sorted(settings.ATTEST_STAGES_OFF),
        "embedding_precision": settings.ATTEST_EMBEDDING_PRECISION,
        "reranker": settings.ATTEST_RERANKER,
        "asked": len(questions),
        "withheld": sum(question.type == "withheld" for question in questions),
    }
    judge = model_judge()
    return Report(
        dataset=data.name,
        questions=len(questions),
        answerable=sum(question.answerable for question in questions),
        systems={name: SystemReport.of(rows) for name, rows in results.items()},
        manifest=make_manifest(
            data,
            parts,
            settings=used,
            checkout=settings.BASE_DIR,
            models=_question_models(),
            judge=judge.name if judge else None,
        ),
    )


def _question_models() -> dict[str, str] | None:
    """Return the names of the models that answer questions, None without any."""
    from memory.runtime import runtime

    models = runtime().question_models
    if models is None:
        return None
    return {role.value: models(role).name for role in sorted(QUESTION_ROLES)}


def _show(line: ProgressLine, total: int, done: int) -> None:
    line(done, total)


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is no whole number from 1")
    return int(text)
