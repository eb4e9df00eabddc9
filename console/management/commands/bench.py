"""`./manage.py bench`: how fast, how much memory, against a baseline."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from console.benchmarks.home import run_in_clean_home
from console.benchmarks.outcome import Outcome
from memory.errors import AttestError
from memory.evaluation.report import write_json

WHAT = ("build", "resync", "ask", "retrieval", "convert")
STORES = ("embedded", "weaviate")
_LARGE = re.compile(r"([1-9]\d{0,6})(k?)")


class Command(BaseCommand):
    """Measure one thing in a clean home."""

    help = (
        "Measure a folder's first sync (build), re-syncs (resync), questions (ask), "
        "searches in stores that grow (retrieval) or converting markup (convert)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take what to measure and on what."""
        parser.add_argument("what", choices=WHAT)
        parser.add_argument("--docs", type=Path, help="a folder; not for convert")
        parser.add_argument(
            "--questions", type=Path, help="JSONL; for ask and retrieval"
        )
        parser.add_argument("--objects", default="10k", help="a view: 10k,100k,250k")
        parser.add_argument("--stores", default="embedded", help=",".join(STORES))
        parser.add_argument("--json", type=Path, help="write all figures here")
        # Set by the command itself, for the process that works in the clean home.
        parser.add_argument("--inside", action="store_true", help="(internal)")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Start over in a clean home, or measure if this is it."""
        if options["what"] != "convert" and options["docs"] is None:
            raise CommandError(f"bench {options['what']} needs --docs, a folder.")
        if options["what"] == "ask" and options["questions"] is None:
            raise CommandError("bench ask needs --questions, a JSONL file.")
        if not options["inside"]:
            self._start(options)
            return
        try:
            outcome = self._measure(options)
            if options["json"]:
                write_json(options["json"], outcome.as_json(settings.BASE_DIR))
        except (AttestError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(outcome.as_text())

    def _start(self, options: dict[str, Any]) -> None:
        arguments = ["bench", options["what"], "--inside"]
        for name in ("docs", "questions", "json"):
            if options[name] is not None:
                arguments += [f"--{name}", str(options[name].resolve())]
        if options["what"] == "retrieval":
            plan_of(options)
            arguments += [
                "--objects",
                options["objects"],
                "--stores",
                options["stores"],
            ]
        status = run_in_clean_home(arguments, empty_cache=options["what"] == "build")
        if status:
            raise CommandError(f"bench {options['what']} failed.", returncode=status)

    def _measure(self, options: dict[str, Any]) -> Outcome:
        # Here, as each of them loads the model.
        if options["what"] == "build":
            from console.benchmarks.build import bench_build

            return bench_build(options["docs"], self.stderr)
        if options["what"] == "resync":
            from console.benchmarks.resync import bench_resync

            return bench_resync(options["docs"], settings.ATTEST_HOME, self.stderr)
        if options["what"] == "convert":
            from console.benchmarks.convert import bench_convert

            return bench_convert(self.stderr)
        if options["what"] == "retrieval":
            return self._retrieval(options)
        from console.benchmarks.ask import bench_ask, read_questions

        questions = read_questions(options["questions"])
        return bench_ask(options["docs"], questions, self.stderr)

    def _retrieval(self, options: dict[str, Any]) -> Outcome:
        from console.benchmarks.ask import read_questions
        from console.benchmarks.retrieval_report import bench_retrieval
        from memory.runtime import runtime

        asked = read_questions(options["questions"]) if options["questions"] else []
        return bench_retrieval(
            options["docs"],
            runtime().embedder,
            home=settings.ATTEST_HOME,
            plan=plan_of(options),
            questions=[question.text for question in asked],
            stream=self.stderr,
        )


def plan_of(options: dict[str, Any]) -> tuple[list[str], list[int]]:
    """Return stores and sizes. Raises CommandError for what can't be measured."""
    stores = options["stores"].split(",")
    if unknown := sorted(set(stores) - set(STORES)):
        raise CommandError(
            f"--stores: {', '.join(unknown)}; accepted: {', '.join(STORES)}"
        )
    sizes = [_LARGE.fullmatch(each) for each in options["objects"].split(",")]
    if not all(sizes):
        raise CommandError("--objects is a list such as 10k,100k,250k.")
    return stores, [int(each[1]) * (1000 if each[2] else 1) for each in sizes if each]
