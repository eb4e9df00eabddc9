"""The console's first page: what there is, how it goes, and what needs a person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db.models import Count
from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone

from bots.models import Exchange, Feedback
from connectors.models import Document, Source, SyncRun
from memory.documents import Outcome

RECENT = timedelta(days=7)
LAST_RUNS = 8


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its name and the page that lists what it counts."""

    label: str
    value: int
    address: str = ""


def overview(request: HttpRequest, context: dict[str, Any]) -> dict[str, Any]:
    """Return the first page's context; called by the theme, with seven queries."""
    context.update(
        documents_by_state=_documents(),
        exchanges_by_outcome=_exchanges(),
        last_runs=SyncRun.objects.select_related("source")[:LAST_RUNS],
        needs_a_person=_needs(),
    )
    return context


def _documents() -> list[Figure]:
    rows = Document.objects.order_by().values_list("state").annotate(Count("pk"))
    counts = dict(rows)
    page = reverse("admin:connectors_document_changelist")
    return [
        Figure(label, counts.get(state, 0), f"{page}?state__exact={state}")
        for state, label in Document.State.choices
    ]


def _exchanges() -> list[Figure]:
    recent = Exchange.objects.filter(asked_at__gte=timezone.now() - RECENT)
    counts = dict(recent.order_by().values_list("outcome").annotate(Count("pk")))
    page = reverse("admin:bots_exchange_changelist")
    return [
        Figure(item.capitalize(), counts.get(item, 0), f"{page}?outcome__exact={item}")
        for item in Outcome
    ] + _thumbs()


def _thumbs() -> list[Figure]:
    recent = Feedback.objects.filter(updated_at__gte=timezone.now() - RECENT)
    counts = dict(recent.order_by().values_list("value").annotate(Count("pk")))
    page = reverse("admin:bots_feedback_changelist")
    return [
        Figure(f"Thumbs {value}", counts.get(value, 0), f"{page}?value__exact={value}")
        for value in Feedback.Value.values
    ]


def _needs() -> list[Figure]:
    """Return what waits for an administrator; what is at nought is left out."""
    sources = reverse("admin:connectors_source_changelist")
    documents = reverse("admin:connectors_document_changelist")
    feedback = reverse("admin:bots_feedback_changelist")
    accounts = reverse("admin:auth_user_changelist")
    counts = dict(Source.objects.order_by().values_list("state").annotate(Count("pk")))
    failed = Document.objects.filter(state=Document.State.FAILED).count()
    not_permitted = Feedback.objects.filter(
        reason=Feedback.Reason.NOT_PERMITTED,
        updated_at__gte=timezone.now() - RECENT,
    ).count()
    figures = [
        Figure("Held sources, to approve deletions", counts.get("held", 0), sources),
        Figure("Paused sources", counts.get("paused", 0), sources),
        Figure(
            "Documents that can't be read", failed, f"{documents}?state__exact=failed"
        ),
        Figure(
            "Replies that somebody should not have seen",
            not_permitted,
            f"{feedback}?reason__exact=not_permitted",
        ),
        Figure("Accounts without a person", _unlinked(), accounts),
    ]
    return [figure for figure in figures if figure.value]


def _unlinked() -> int:
    return User.objects.filter(is_active=True, person=None).count()
