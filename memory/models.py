"""What the pipeline leaves in SQL (Django edge)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from uuid import UUID

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils import timezone

from memory.answerability import DEFAULT_POLICY, Policy
from memory.answerability import Calibration as FittedCalibration
from memory.language_models.base import Call
from memory.language_models.ledger import collecting

_SHARES = (MinValueValidator(0.01), MaxValueValidator(0.99))


class Spend(models.Model):
    """One call of a language or embedding model, and what it cost.

    Made for a source (building) or for an exchange (asking), by their ids, or for
    neither (the terminal, evaluations): what was spent stays when they're deleted. Tokens are null where the endpoint reported none,
    `cost` (US dollars) where the price isn't known: neither is 0.
    """

    at = models.DateTimeField(default=timezone.now, db_index=True)
    role = models.CharField(max_length=20)
    model = models.CharField(max_length=200)
    #: ok, retried or failed. Cached replies are no calls.
    outcome = models.CharField(max_length=10)
    prompt_tokens = models.PositiveIntegerField(null=True, blank=True)
    completion_tokens = models.PositiveIntegerField(null=True, blank=True)
    cost = models.DecimalField(max_digits=16, decimal_places=9, null=True, blank=True)
    milliseconds = models.PositiveIntegerField(default=0)
    source_id = models.UUIDField(null=True, blank=True)
    exchange_id = models.UUIDField(null=True, blank=True)

    class Meta:
        """Newest first; found by what it was made for."""

        ordering = ("-at", "-id")
        verbose_name_plural = "spending"
        indexes = (
            models.Index(fields=["source_id", "at"], name="spend_source"),
            models.Index(fields=["exchange_id"], name="spend_exchange"),
        )

    def __str__(self) -> str:
        """Say what was called and what it cost."""
        cost = "cost unknown" if self.cost is None else f"${self.cost:.6f}"
        return f"{self.role} by {self.model}, {cost}"


def write_spend(
    calls: Iterable[Call],
    *,
    source_id: UUID | None = None,
    exchange_id: UUID | None = None,
) -> int:
    """Write a ledger's calls as rows and return how many; cached replies are none."""
    now = timezone.now()
    rows = [
        Spend(
            at=now,
            role=call.role.value,
            model=call.model[:200],
            outcome=call.outcome,
            prompt_tokens=call.prompt_tokens,
            completion_tokens=call.completion_tokens,
            cost=call.cost,
            milliseconds=round(call.milliseconds),
            source_id=source_id,
            exchange_id=exchange_id,
        )
        for call in calls
        if call.outcome != "cached"
    ]
    Spend.objects.bulk_create(rows, batch_size=500)
    return len(rows)


@contextmanager
def spend_written() -> Iterator[None]:
    """Write the calls made inside, for no source and no exchange; also on failure."""
    with collecting() as ledger:
        try:
            yield
        finally:
            write_spend(ledger.calls)


class AnswerPolicy(models.Model):
    """How often an answer may be wrong, as a person states it; one row."""

    max_wrong = models.FloatField(
        "wrong answers at most",
        default=DEFAULT_POLICY.max_wrong,
        validators=_SHARES,
        help_text="Share of all answers, 0.01 to 0.99.",
    )
    unanswerable_share = models.FloatField(
        "questions that the documents can't answer",
        default=DEFAULT_POLICY.unanswerable_share,
        validators=_SHARES,
        help_text="Assumed share of all questions, 0.01 to 0.99.",
    )
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        """There's one."""

        verbose_name_plural = "answer policy"
        constraints = (
            models.CheckConstraint(condition=models.Q(id=1), name="one_answer_policy"),
        )

    def __str__(self) -> str:
        """Say it in a sentence."""
        return f"At most {self.max_wrong:.0%} wrong answers"

    @classmethod
    def current(cls) -> Policy:
        """Return what's set, else the default."""
        row = cls.objects.filter(pk=1).first()
        if row is None:
            return DEFAULT_POLICY
        return Policy(row.max_wrong, row.unanswerable_share)


class Calibration(models.Model):
    """Coefficients fitted on this workspace's own questions (`./manage.py calibrate`)."""

    at = models.DateTimeField(default=timezone.now, db_index=True)
    #: What they were fitted with; with anything else they aren't used.
    fingerprint = models.CharField(max_length=300, db_index=True)
    provenance = models.TextField()
    questions = models.PositiveIntegerField()
    auroc = models.FloatField()
    brier = models.FloatField()
    calibration_error = models.FloatField()
    #: memory.answerability.Calibration as JSON.
    model = models.JSONField()

    class Meta:
        """Newest first."""

        ordering = ("-at", "-id")

    def __str__(self) -> str:
        """Say what it's for."""
        return f"{self.fingerprint}, {self.questions} questions"

    @classmethod
    def newest(cls, running: str) -> FittedCalibration | None:
        """Return the newest one that was fitted with what runs, None without any."""
        row = cls.objects.filter(fingerprint=running).first()
        return FittedCalibration.from_json(row.model) if row else None
