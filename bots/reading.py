"""What an asker may read, as a part of every query on documents."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from uuid import UUID

from django.db.models import Count, Q, QuerySet

from connectors.access import scope_of
from connectors.models import Document, Person
from connectors.rules import rules_by_id
from memory.access import Scope
from memory.documents import Answer, LinkedDocument


def scope_for(person: Person | None) -> Scope:
    """Return what a person may read; nobody known may read nothing."""
    return Scope(tokens=frozenset()) if person is None else scope_of(person)


def readable_documents(scope: Scope, wanted: Q) -> QuerySet[Document]:
    """Return those of the wanted documents in the store that the scope admits.

    Status doesn't narrow it: an archived page never answers, but who may read it can
    open it. `wanted` is a reply's or a page's: it matches hundreds at most.
    """
    return Document.objects.filter(id__in=_readable(scope, wanted))


def readable_ids(scope: Scope, wanted: Collection[UUID]) -> set[UUID]:
    """Return those of `wanted` that may be read now."""
    return _readable(scope, Q(id__in=wanted)) if wanted else set()


def _readable(scope: Scope, wanted: Q) -> set[UUID]:
    stored = Document.objects.filter(wanted, state__in=Document.ANSWERING)
    rows = list(stored.values_list("id", "rule_id"))
    rules = _admitted({rule for _, rule in rows}, scope)
    return {id_ for id_, rule in rows if rule in rules}


def searched_sources(scope: Scope) -> dict[str, int]:
    """Return how many documents of each source a question under this scope searches.

    Counted by source and rule, as there may be a rule for every document.
    """
    searched = Document.objects.filter(
        state__in=Document.ANSWERING, status__in=scope.statuses
    )
    groups = searched.order_by("source__name").values_list("source__name", "rule_id")
    rows = list(groups.annotate(Count("pk")))
    rules = _admitted({rule for _, rule, _ in rows}, scope)
    counts: dict[str, int] = {}
    for source, rule, count in rows:
        if rule in rules:
            counts[source] = counts.get(source, 0) + count
    return counts


def _admitted(ids: Collection[str | None], scope: Scope) -> set[str]:
    """Return the rules among these that the scope admits."""
    rules = rules_by_id([id_ for id_ in ids if id_ is not None])
    return {id_ for id_, rule in rules.items() if scope.admits(rule)}


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
