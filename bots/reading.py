"""What an asker may read, as a part of every query on documents."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from uuid import UUID

from django.db.models import Count, QuerySet

from connectors.access import scope_of
from connectors.models import AccessRule, Document, Person
from memory.access import Scope
from memory.documents import Answer, LinkedDocument


def scope_for(person: Person | None) -> Scope:
    """Return what a person may read; nobody known may read nothing."""
    return Scope(tokens=frozenset()) if person is None else scope_of(person)


def readable_documents(scope: Scope) -> QuerySet[Document]:
    """Return the documents in the store that the scope admits, whatever their status.

    Status doesn't narrow it: an archived page never answers, but who may read it can
    open it.
    """
    admitted = [
        rule.id for rule in AccessRule.objects.all() if scope.admits(rule.as_value())
    ]
    return Document.objects.filter(state__in=Document.ANSWERING, rule_id__in=admitted)


def readable_ids(scope: Scope, wanted: Collection[UUID]) -> set[UUID]:
    """Return those of `wanted` that may be read now."""
    if not wanted:
        return set()
    found = readable_documents(scope).filter(id__in=wanted)
    return set(found.values_list("id", flat=True))


def searched_sources(scope: Scope) -> dict[str, int]:
    """Return how many documents of each source a question under this scope searches."""
    searched = readable_documents(scope).filter(status__in=scope.statuses)
    counts = searched.order_by("source__name").values_list("source__name")
    return dict(counts.annotate(Count("pk")))


def with_current_names(answer: Answer) -> Answer:
    """Return the answer with each document's source named as it's named now.

    The store keeps the name that a source had when the document was written.
    """
    named = [item.id for item in (*answer.documents, *answer.nearest)]
    rows = Document.objects.filter(id__in=named).values_list("id", "source__name")
    names = dict(rows)

    def renamed(item: LinkedDocument) -> LinkedDocument:
        return replace(item, source=names.get(item.id, item.source))

    return replace(
        answer,
        documents=tuple(map(renamed, answer.documents)),
        nearest=tuple(map(renamed, answer.nearest)),
    )
