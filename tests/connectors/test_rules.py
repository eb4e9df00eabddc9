"""Rules in SQL: read once, and forgotten when no document has them."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from connectors import models, rules
from connectors.rules import all_rules, forget_unused, layered_rules, rules_by_id
from connectors.syncing_batch import save_rules
from memory.access import ANYONE, WORKSPACE, WORKSPACE_RULE, AccessRule, Principal
from tests.connectors.worlds import upsert

ONE = AccessRule.of([ANYONE])
TWO = AccessRule.of([WORKSPACE], [Principal("group:s:1")])
NOBODY = AccessRule.of()

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nothing_remembered(monkeypatch):
    monkeypatch.setattr(rules, "_known", {})


def test_a_rule_is_read_once(django_assert_num_queries):
    save_rules([ONE, TWO])
    with django_assert_num_queries(1):
        assert rules_by_id([ONE.id, TWO.id, "x"]) == {ONE.id: ONE, TWO.id: TWO}
    with django_assert_num_queries(0):
        assert rules_by_id([TWO.id]) == {TWO.id: TWO}


def test_only_rules_of_several_layers_need_a_token():
    save_rules([ONE, TWO, NOBODY])
    assert list(layered_rules()) == [TWO]
    assert set(all_rules()) == {ONE, TWO, NOBODY}


def test_more_rules_than_a_statement_takes_are_read_in_parts(
    monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr(rules, "AT_ONCE", 10)
    many = [AccessRule.of([Principal(f"group:s:{n}")]) for n in range(25)]
    save_rules(many)
    with django_assert_num_queries(3):
        assert set(rules_by_id([rule.id for rule in many]).values()) == set(many)


def test_a_rule_that_no_document_has_is_forgotten_unless_it_is_fresh():
    save_rules([ONE, TWO, WORKSPACE_RULE])
    source = models.Source.objects.create(kind="files", name="F")
    models.Document.objects.create(
        id=uuid4(), source=source, external_id="a", state="indexed", rule_id=ONE.id
    )
    now = timezone.now()
    assert forget_unused(now) == 0
    assert forget_unused(now + timedelta(hours=2)) == 2
    assert [row.id for row in models.AccessRule.objects.all()] == [ONE.id]


def test_a_sync_forgets_the_rules_that_its_documents_had(world, monkeypatch):
    monkeypatch.setattr(rules, "UNUSED_FOR", timedelta(0))
    world.sync(upsert(world.source, "a", rule=ONE))
    world.sync(upsert(world.source, "a", rule=TWO))
    assert [row.id for row in models.AccessRule.objects.all()] == [TWO.id]
