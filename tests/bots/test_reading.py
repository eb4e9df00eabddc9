"""What may be read, with a rule for every document."""

from uuid import UUID, uuid4

import pytest
from django.db.models import Q

from bots.reading import readable_documents, readable_ids, searched_sources
from connectors.models import AccessRule, Document
from memory import access
from memory.access import Principal, Scope
from tests.bots.worlds import make_document, make_source

pytestmark = pytest.mark.django_db

COUNT = 100_000


def test_a_rule_for_each_of_a_hundred_thousand_documents_is_no_hindrance(source):
    rules = [access.AccessRule.of([Principal(f"group:s:{n}")]) for n in range(COUNT)]
    AccessRule.objects.bulk_create(
        [
            AccessRule(id=rule.id, layers=[sorted(layer) for layer in rule.layers])
            for rule in rules
        ],
        batch_size=10_000,
    )
    Document.objects.bulk_create(
        [
            Document(
                id=UUID(int=n), source=source, external_id=str(n), state="indexed",
                rule_id=rule.id,
            )
            for n, rule in enumerate(rules)
        ],
        batch_size=10_000,
    )  # fmt: skip
    held = {Principal(f"group:s:{n}") for n in range(0, COUNT, 2)}
    scope = Scope.of_person(held)
    assert searched_sources(scope) == {"Handbook": COUNT // 2}
    assert readable_ids(scope, {UUID(int=2), UUID(int=3)}) == {UUID(int=2)}


def test_readable_documents_are_the_wanted_ones_that_the_scope_admits():
    wiki, files = make_source("Wiki"), make_source("Files")
    mine = access.AccessRule.of([access.person(UUID(int=7))])
    open_ = make_document(wiki, "a")
    closed = make_document(wiki, "b", rule=mine)
    make_document(wiki, "gone", state=Document.State.REMOVED)
    make_document(files, "c", status="archived")
    scope = access.WORKSPACE_SCOPE
    assert list(readable_documents(scope, Q(source=wiki))) == [open_]
    assert readable_ids(scope, {open_.id, closed.id, uuid4()}) == {open_.id}
    assert searched_sources(scope) == {"Wiki": 1}
    assert searched_sources(Scope.of_person([access.person(UUID(int=7))])) == {
        "Wiki": 1
    }
