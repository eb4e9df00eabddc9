"""`./manage.py policy`: how often an answer may be wrong, and what follows from it."""

from __future__ import annotations

from argparse import ArgumentTypeError
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from memory.answerability import Policy, shifted, shipped_calibrations
from memory.models import AnswerPolicy, Calibration


class Command(BaseCommand):
    """Show the policy, or change it."""

    help = (
        "Show or set the answer policy: at most N percent wrong answers, where so many "
        "percent of the questions can't be answered from the documents."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        """Take both percentages."""
        parser.add_argument(
            "--max-wrong", type=_share, metavar="N", help="percent, 1 to 99"
        )
        parser.add_argument(
            "--unanswerable-share", type=_share, metavar="N", help="percent, 1 to 99"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        """Store what's given, then print policy, threshold and what's expected."""
        given = {
            name: options[name]
            for name in ("max_wrong", "unanswerable_share")
            if options[name] is not None
        }
        if given:
            AnswerPolicy.objects.update_or_create(pk=1, defaults=given)
        for line in policy_lines(AnswerPolicy.current()):
            self.stdout.write(line)


def policy_lines(policy: Policy) -> list[str]:
    """Return the policy, the threshold that follows, and what's expected of it."""
    running = running_now()
    own = Calibration.newest(running)
    calibration = own or shipped_calibrations()[0]
    lines = [
        f"At most {policy.max_wrong:.0%} wrong answers, where "
        f"{policy.unanswerable_share:.0%} of the questions can't be answered."
    ]
    operation = calibration.operation(policy)
    if operation is not None:
        shift = calibration.shift(policy.unanswerable_share)
        lines.append(
            f"Answers from answerability {shifted(operation.threshold, shift):.2f} on. "
            f"Expected: {operation.coverage:.0%} of the questions answered, "
            f"{operation.wrong_rate:.0%} of the answers wrong."
        )
        if not operation.is_met:
            lines.append("No threshold keeps to this policy; this comes nearest.")
    which = "this workspace's own" if own else "shipped"
    lines.append(f"Calibration: {which}. {calibration.provenance}")
    if not calibration.fits(running):
        lines.append(
            f"It wasn't fitted for what runs ({running}), so the gate is uncalibrated "
            "and cautious: `./manage.py calibrate` fits one."
        )
    override = settings.ATTEST_ANSWER_THRESHOLD
    if override is not None:
        lines.append(f"ATTEST_ANSWER_THRESHOLD overrides the threshold: {override}.")
    return lines


def running_now() -> str:
    """Return the fingerprint of what answers questions now."""
    # Here, as it loads torch.
    from memory.runtime import runtime
    from memory.systems import running_fingerprint

    made = runtime()
    reranker = made.reranker
    return running_fingerprint(
        made.embedder.name,
        reranker.name if reranker else "",
        mode="local" if made.question_models is None else "model",
    )


def _share(text: str) -> float:
    try:
        percent = float(text.removesuffix("%"))
    except ValueError:
        percent = 0.0
    if not 1 <= percent <= 99:  # noqa: PLR2004 - percent
        raise ArgumentTypeError(f"{text!r} is no percentage from 1 to 99")
    return percent / 100
