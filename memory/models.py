"""What the pipeline leaves in SQL (Django edge)."""

from __future__ import annotations

from collections.abc import Iterable
from uuid import UUID

from django.db import models
from django.utils import timezone

from memory.language_models.base import Call


class Spend(models.Model):
    """One call of a language or embedding model, and what it cost.

    Made for a source (building) or for an exchange (asking), by their ids: what was
    spent stays when they're deleted. Tokens are null where the endpoint reported none,
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
