"""`./manage.py bench`: how fast, how much memory, against a baseline."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from console.benchmarks.home import run_in_clean_home
from console.benchmarks.outcome import Outcome
from memory.errors import AttestError
from memory.evaluation.report import write_json

WHAT = ("build", "resync", "ask")


class Command(BaseCommand):
    """Measure one thing in a clean home."""

    help = (
        "Measure a folder's first sync (build), re-syncs (resync) or questions (ask)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take what to measure and on what."""
        parser.add_argument("what", choices=WHAT)
        parser.add_argument("--docs", type=Path, required=True, help="a folder")
        parser.add_argument("--questions", type=Path, help="JSONL; for ask")
        parser.add_argument("--json", type=Path, help="write all figures here")
        # Set by the command itself, for the process that works in the clean home.
        parser.add_argument("--inside", action="store_true", help="(internal)")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Start over in a clean home, or measure if this is it."""
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
        from console.benchmarks.ask import bench_ask, read_questions

        questions = read_questions(options["questions"])
        return bench_ask(options["docs"], questions, self.stderr)
