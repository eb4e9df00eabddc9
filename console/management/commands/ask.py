"""`./manage.py ask`: one question on the terminal."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from bots.asking import normalised
from bots.errors import AskingError
from bots.reading import searched_sources, with_current_names
from connectors.access import SqlAuthority, person_for, scope_of, scope_of_workspace
from connectors.errors import AccessError
from console.management.answers import answer_json, answer_lines, trace_lines
from console.management.showing import printable, printable_json
from memory.documents import Answer, Outcome, Question
from memory.errors import AttestError
from memory.language_models.ledger import collecting
from memory.models import write_spend
from memory.systems import PIPELINES


class Command(BaseCommand):
    """Ask, and print the answer with what supports it."""

    help = (
        "Ask one question. Without --as it reads what every employee may read. "
        "Nothing is stored but what models cost."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the question and who asks it."""
        parser.add_argument("question", help="the question, in quotes")
        parser.add_argument(
            "--as", dest="email", metavar="EMAIL", help="ask as this person"
        )
        parser.add_argument(
            "--system",
            default="megamem",
            metavar="S",
            help=f"which pipeline: {', '.join(PIPELINES)}",
        )
        parser.add_argument("--json", action="store_true", help="print one JSON object")
        parser.add_argument(
            "--explain", action="store_true", help="print what each stage did"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Ask and print. An abstention is an answer, a failure is none: exit 1."""
        try:
            text = normalised(options["question"])
            email = options["email"]
            # An empty address is one that a script failed to fill in: nobody's.
            known = email is not None
            scope = scope_of(person_for(email)) if known else scope_of_workspace()
            # Here, as it loads numpy, torch and the store.
            from memory.runtime import runtime

            pipeline = runtime().pipeline(SqlAuthority(), name=options["system"])
            with collecting() as ledger:
                answer = pipeline.ask(Question(text, scope))
            write_spend(ledger.calls)
            answer = with_current_names(answer)
        except (AskingError, AccessError, AttestError) as error:
            raise CommandError(printable(str(error))) from error
        self._print(answer, searched_sources(scope), options)
        if answer.outcome is Outcome.FAILED:
            sys.exit(1)

    def _print(
        self, answer: Answer, searched: Mapping[str, int], options: dict[str, Any]
    ) -> None:
        """Print the answer in the form that was asked for."""
        if options["json"]:
            self.stdout.write(printable_json(answer_json(answer)))
            return
        for line in answer_lines(answer, searched):
            self.stdout.write(line)
        if options["explain"]:
            for line in trace_lines(answer):
                self.stdout.write(line)
