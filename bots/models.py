"""Exchanges and feedback: one row a question, whatever platform it came from."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.conf import settings
from django.db import models


class Exchange(models.Model):
    """One question and what became of it. The row is the queue of record."""

    class State(models.TextChoices):
        """How far it is."""

        QUEUED = "queued"
        ANSWERING = "answering"
        DONE = "done"

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    platform = models.CharField(max_length=20)  # web, terminal, slack, teams
    #: Exchanges of one conversation share it; earlier ones are the history.
    thread = models.CharField(max_length=200, db_index=True)
    person = models.ForeignKey(
        "connectors.Person", null=True, on_delete=models.SET_NULL, related_name="+"
    )
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        on_delete=models.SET_NULL,
        related_name="exchanges",
    )
    question = models.TextField()
    #: Names one submission: a form or event that arrives twice is asked once.
    request_key = models.CharField(max_length=80, blank=True)
    state = models.CharField(max_length=10, choices=State, default=State.QUEUED)
    #: memory.documents.Outcome; "" until done.
    outcome = models.CharField(max_length=10, blank=True)
    reply = models.TextField(blank=True)
    answerability = models.FloatField(null=True)
    confidence = models.FloatField(null=True)
    #: The whole Answer as JSON (bots.answer_json): sentences, documents, evidence,
    #: nearest, trace, timings, usage, fallbacks; and `searched`: documents by source.
    answer = models.JSONField(default=dict)
    asked_at = models.DateTimeField(auto_now_add=True, db_index=True)
    #: When the worker that answers it took it; also that worker's claim.
    claimed_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    milliseconds = models.PositiveIntegerField(null=True, blank=True)

    class Meta:
        verbose_name = "question"
        ordering: ClassVar[list[str]] = ["-asked_at"]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["account", "-asked_at"], name="exchange_account_recent"
            )
        ]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["platform", "account", "request_key"],
                condition=~models.Q(request_key=""),
                name="one_exchange_per_request",
            ),
            # In SQL no account is unlike every other one, another "no account" too.
            models.UniqueConstraint(
                fields=["platform", "request_key"],
                condition=models.Q(account=None) & ~models.Q(request_key=""),
                name="one_exchange_per_request_without_account",
            ),
        ]

    def __str__(self) -> str:
        """Return the question, cut."""
        return self.question[:80]


class Feedback(models.Model):
    """A person's thumb on an exchange, changeable, with an optional reason."""

    class Value(models.TextChoices):
        """Up or down."""

        UP = "up"
        DOWN = "down"

    class Reason(models.TextChoices):
        """Why not, in a reader's words."""

        WRONG = "wrong", "The answer is wrong"
        OUTDATED = "outdated", "It's outdated"
        WRONG_SOURCE = "wrong_source", "The linked documents are the wrong ones"
        INCOMPLETE = "incomplete", "Something is missing"
        NOT_PERMITTED = "not_permitted", "I should not be able to see this"
        OTHER = "other", "Something else"

    exchange = models.ForeignKey(
        Exchange, on_delete=models.CASCADE, related_name="feedback"
    )
    account = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+"
    )
    value = models.CharField(max_length=4, choices=Value)
    reason = models.CharField(max_length=20, choices=Reason, blank=True)
    comment = models.TextField(blank=True, max_length=2000)
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "feedback"
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(
                fields=["exchange", "account"], name="one_thumb_each"
            )
        ]
