"""`./manage.py doctor`: what works, what doesn't, and how to mend it."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from console.doctor import data, database, machine, models, workers
from console.doctor.findings import Check, Level, run_checks

CHECKS: Sequence[Check] = (
    machine.python,
    machine.packages,
    machine.configuration,
    machine.home,
    database.database,
    data.model,
    models.language_models,
    data.gate,
    data.store,
    workers.workers,
    data.sources,
    data.accounts,
)


class Command(BaseCommand):
    """Run all checks; exit with 1 when one failed."""

    help = "Check settings, packages, database, model, store and sources."
    #: The settings' own checks are among ours, and told like the others.
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the output's form."""
        parser.add_argument("--json", action="store_true", help="print JSON alone")

    def handle(self, *_args: Any, **options: Any) -> None:
        """Print a line for each finding as it's found."""
        findings = []
        for finding in run_checks(CHECKS):
            findings.append(finding)
            if not options["json"]:
                line = f"{finding.level:<5} {finding.subject}: {finding.message}"
                self.stdout.write(line)
                if finding.mend:
                    self.stdout.write(f"      → {finding.mend}")
        if options["json"]:
            rows = [asdict(finding) for finding in findings]
            self.stdout.write(json.dumps(rows, indent=2, ensure_ascii=False))
        if any(finding.level == Level.FAIL for finding in findings):
            sys.exit(1)
