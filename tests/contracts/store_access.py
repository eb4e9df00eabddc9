"""What every MemoryStore promises of access, beside the property tests."""

from dataclasses import replace
from uuid import uuid4

import pytest

from memory.access import NOBODY_RULE, AccessRule, Scope, Status, group
from memory.access import WORKSPACE_SCOPE as EVERYBODY
from memory.documents import View
from tests.contracts.corpus import (
    HOSTILE,
    document,
    put,
    vector,
)


class AccessPromises:
    """Mixed into StoreContract, which has the fixture `store`."""

    def test_near_equal_names_are_different_names(self, store):
        names = ["test", "test_domain", "test-domain", "Test", "test domain", "tes"]
        groups = {name: group("dir", name) for name in names}
        put(
            store,
            *(
                document(name, f"text of {name}", rule=AccessRule.of([groups[name]]))
                for name in names
            ),
        )
        for name in names:
            scope = Scope.of_person([groups[name]])
            hits = store.nearest(View.CHUNKS, vector("x"), 99, scope)
            found = store.chunks([hit.id for hit in hits], scope)
            assert [each.properties.external_id for each in found] == [name]
            assert len(store.keyword(View.CHUNKS, "text", 99, scope)) == 1

    @pytest.mark.parametrize("name", HOSTILE[:-1])
    def test_hostile_names_of_groups_match_themselves_alone(self, store, name):
        rule = AccessRule.of([group("dir", name)])
        put(store, document("a", "one", rule=rule), document("b", "two"))
        own = Scope.of_person([group("dir", name)])
        other = Scope.of_person([group("dir", name + "x")])
        assert len(store.nearest(View.CHUNKS, vector("x"), 9, own)) == 1
        assert store.nearest(View.CHUNKS, vector("x"), 9, other) == []

    def test_a_scope_of_nobody_reads_nothing(self, store):
        ids = [put(store, document("a", "one", rule=NOBODY_RULE)).chunks[0].id]
        nobody = [
            Scope(tokens=frozenset()),
            Scope(rules=frozenset()),
            Scope(rules=frozenset({NOBODY_RULE.id})),
            Scope(tokens=frozenset({NOBODY_RULE.token, ""})),
            replace(EVERYBODY, statuses=frozenset()),
            replace(EVERYBODY, sources=frozenset()),
            replace(EVERYBODY, documents=frozenset()),
        ]
        for scope in nobody:
            assert store.nearest(View.CHUNKS, vector("one"), 5, scope) == []
            assert store.keyword(View.CHUNKS, "one", 5, scope) == []
            assert store.chunks(ids, scope) == []
            assert store.count_documents(scope) == 0

    def test_documents_of_a_scope_may_be_fifty_thousand(self, store):
        many = [document(f"d{at}", f"laptop {at}") for at in range(3)]
        put(store, *many)
        ids = [each.properties.document_id for each in many]
        others = frozenset(uuid4() for _ in range(50_000))
        only = replace(EVERYBODY, documents=others | {ids[0]})
        without = EVERYBODY.excluding(others | {ids[0]})
        for scope, names in ((only, {ids[0]}), (without, {ids[1], ids[2]})):
            for hits in (
                store.nearest(View.CHUNKS, vector("x"), 9, scope),
                store.keyword(View.CHUNKS, "laptop", 9, scope),
            ):
                assert {hit.document_id for hit in hits} == names

    def test_it_counts_the_documents_that_a_scope_admits(self, store):
        secret = AccessRule.of([group("dir", "1")])
        put(
            store,
            document("a", "one", "two"),
            document("b", "three"),
            document("c", "four", rule=secret),
            document("d", "five", status=Status.ARCHIVED),
        )
        assert store.count_documents(EVERYBODY) == 2
        assert store.count_documents(Scope.of_person([group("dir", "1")])) == 1
        assert store.count_documents(Scope.of_channel([secret])) == 1
