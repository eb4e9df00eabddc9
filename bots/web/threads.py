"""The list of an account's earlier questions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User
from django.db.models import Max, OuterRef, Subquery

from bots.models import Exchange

RECENT_THREADS = 20


@dataclass(frozen=True, slots=True)
class RecentThread:
    """An entry of the list of earlier questions."""

    id: str
    question: str
    last: datetime


def recent_threads(account: User) -> list[RecentThread]:
    """Return the account's latest conversations, by their first question."""
    own = Exchange.objects.filter(account_id=account.pk, platform="web")
    first = own.filter(thread=OuterRef("thread")).order_by("asked_at")
    threads = (
        own.order_by()
        .values("thread")
        .annotate(last=Max("asked_at"))
        .annotate(first=Subquery(first.values("question")[:1]))
        .order_by("-last")[:RECENT_THREADS]
    )
    return [
        RecentThread(item["thread"], item["first"], item["last"]) for item in threads
    ]
