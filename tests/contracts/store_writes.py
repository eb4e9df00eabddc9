"""What every MemoryStore promises of writing."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import uuid4

import numpy as np
import pytest

from memory.access import NOBODY_RULE, WORKSPACE, Scope, Status, group
from memory.access import WORKSPACE_SCOPE as EVERYBODY
from memory.documents import View
from memory.embedding import embedded_text, text_hash
from memory.errors import StoreError
from memory.stores.base import Replacement
from tests.contracts.corpus import (
    DIMENSIONS,
    HOSTILE,
    VIEWS,
    document,
    put,
    vector,
    without_vectors,
)


class WritePromises:
    """Mixed into StoreContract, which has the fixture `store`."""

    def test_replacing_removes_what_is_no_longer_there(self, store):
        old = put(store, document("a", "one", "two"), document("b", "three"))
        new = document("a", "two", "four")
        store.replace_document(new.properties, new.chunks, new.memories)
        ids = {each.id for each in (*old.chunks, *new.chunks)}
        found = store.chunks(sorted(ids), EVERYBODY)
        assert {each.chunk.text for each in found} == {"two", "four"}
        assert {chunk_id for chunk_id, _ in store.inventory(View.MEMORIES)} == {
            *(each.id for each in new.memories),
            *(each.id for each in document("b", "three").memories),
        }

    def test_a_known_object_without_a_vector_keeps_its_own(self, store):
        written = put(store, document("a", "one", "two"))
        renamed = without_vectors(written)
        moved = [replace(each, position=7, title="New") for each in renamed.chunks]
        store.replace_document(renamed.properties, moved, renamed.memories)
        [hit] = store.nearest(View.CHUNKS, vector("two"), 1, EVERYBODY)
        assert hit.id == written.chunks[1].id
        assert hit.score == pytest.approx(1, abs=1e-5)
        [stored] = store.chunks([hit.id], EVERYBODY)
        assert (stored.chunk.position, stored.chunk.title) == (7, "New")

    def test_a_new_object_without_a_vector_is_refused_by_id(self, store):
        old = put(store, document("a", "one"))
        new = without_vectors(document("a", "two"))
        with pytest.raises(StoreError, match=str(new.chunks[0].id)):
            store.replace_document(new.properties, new.chunks, [])
        assert len(store.chunks([old.chunks[0].id], EVERYBODY)) == 1

    @pytest.mark.parametrize(
        "bad", [np.ones(DIMENSIONS - 1), np.full(DIMENSIONS, np.inf)]
    )
    def test_an_object_with_a_bad_vector_is_refused_by_id(self, store, bad):
        new = document("a", "two")
        chunks = [replace(new.chunks[0], vector=bad.astype(np.float32))]
        with pytest.raises(StoreError, match=str(chunks[0].id)):
            store.replace_document(new.properties, chunks, [])
        assert list(store.inventory(View.CHUNKS)) == []

    def test_an_object_of_another_document_is_refused(self, store):
        one, other = document("a", "one"), document("b", "two")
        with pytest.raises(StoreError, match=str(other.chunks[0].id)):
            store.replace_document(one.properties, other.chunks, [])

    def test_an_object_that_comes_twice_is_refused(self, store):
        one = document("a", "one")
        with pytest.raises(StoreError, match=str(one.chunks[0].id)):
            store.replace_document(one.properties, [*one.chunks, *one.chunks], [])

    def test_many_documents_are_replaced_at_once(self, store):
        old = [document(f"d{at}", f"old {at}") for at in range(5)]
        store.replace_documents(old)
        new = [
            document("d0", "new 0"),
            without_vectors(old[1]),
            Replacement(old[2].properties, [], []),
            document("d9", "new 9"),
        ]
        store.replace_documents(new)
        texts = {
            found.chunk.text
            for found in store.chunks(
                [each.id for part in (*old, *new) for each in part.chunks], EVERYBODY
            )
        }
        assert texts == {"new 0", "old 1", "old 3", "old 4", "new 9"}
        store.replace_documents([])

    def test_a_document_without_objects_leaves_nothing(self, store):
        written = put(store, document("a", "one"))
        store.replace_document(written.properties, [], [])
        assert store.embedded_hashes(written.properties.document_id).chunks == {}
        assert list(store.inventory(View.MEMORIES)) == []

    def test_deleting_removes_all_of_a_document_alone(self, store):
        one = put(store, document("a", "one"), document("b", "two"))
        store.delete_document(one.properties.document_id)
        store.delete_document(one.properties.document_id)
        for view in VIEWS:
            documents = {of.external_id for _, of in store.inventory(view)}
            assert documents == {"b"}
        assert store.keyword(View.CHUNKS, "one", 5, EVERYBODY) == []

    def test_many_documents_are_deleted_at_once(self, store):
        many = [document(f"d{at}", f"text {at}") for at in range(4)]
        put(store, *many)
        store.delete_documents([each.properties.document_id for each in many[:3]])
        store.delete_documents([])
        assert {of.external_id for _, of in store.inventory(View.CHUNKS)} == {"d3"}

    @pytest.mark.parametrize("text", HOSTILE)
    def test_properties_are_rewritten_alone(self, store, text):
        written = put(store, document("a", "one"), document("b", "two"))
        changed = replace(
            written.properties,
            title=text,
            url=text,
            external_id=text,
            access_rule="f" * 32,
            tokens=frozenset({WORKSPACE, f"group:{text}:1"}),
            status=Status.ARCHIVED,
            updated_at=datetime(2026, 1, 1, tzinfo=UTC),
        )
        store.set_properties(changed)
        for view in VIEWS:
            found = {of.document_id: of for _, of in store.inventory(view)}
            assert found[changed.document_id] == changed
            assert len(found) == 2
        scope = replace(EVERYBODY, statuses=frozenset({Status.ARCHIVED}))
        [hit] = store.nearest(View.CHUNKS, vector("one"), 5, scope)
        assert hit.score == pytest.approx(1, abs=1e-5)

    def test_properties_without_tokens_or_time_are_rewritten_too(self, store):
        written = put(
            store, document("a", "one", updated_at=datetime(2026, 1, 1, tzinfo=UTC))
        )
        changed = replace(
            written.properties,
            access_rule=NOBODY_RULE.id,
            tokens=frozenset(),
            updated_at=None,
        )
        store.set_properties(changed)
        assert [of for _, of in store.inventory(View.CHUNKS)] == [changed]
        assert store.nearest(View.CHUNKS, vector("one"), 5, EVERYBODY) == []

    def test_properties_of_many_are_rewritten_each_to_its_own(self, store):
        many = [document(f"d{at}", f"text {at}") for at in range(5)]
        put(store, *many)
        changed = [
            replace(
                each.properties,
                title=f"it's {at}",
                tokens=frozenset({f"group:dir:{n}" for n in range(at)}),
                updated_at=datetime(2026, 1, 1 + at, tzinfo=UTC) if at else None,
            )
            for at, each in enumerate(many[:4])
        ]
        unknown = replace(many[0].properties, document_id=uuid4())
        store.set_many_properties([many[1].properties, *changed, unknown])
        store.set_many_properties([])
        expected = {of.document_id: of for of in [*changed, many[4].properties]}
        for view in VIEWS:
            found = [of for _, of in store.inventory(view)]
            assert {of.document_id: of for of in found} == expected
        scope = Scope.of_person([group("dir", "2")])
        hits = store.nearest(View.CHUNKS, vector("one"), 9, scope)
        assert {hit.document_id for hit in hits} == {changed[3].document_id}

    def test_hashes_tell_what_was_embedded(self, store):
        written = put(store, document("a", "one", "two"), document("b", "three"))
        hashes = store.embedded_hashes(written.properties.document_id)
        assert hashes.chunks == {
            each.id: text_hash(embedded_text(each)) for each in written.chunks
        }
        assert hashes.memories == {
            each.id: text_hash(embedded_text(each)) for each in written.memories
        }
        assert store.embedded_hashes(uuid4()).chunks == {}

    def test_the_inventory_has_every_object_whatever_its_access(self, store):
        hidden = document("a", "one", "two", rule=NOBODY_RULE, status=Status.DRAFT)
        put(store, hidden, document("b", "three"))
        pairs = dict(store.inventory(View.CHUNKS))
        assert len(pairs) == 3
        assert pairs[hidden.chunks[0].id] == hidden.properties

    def test_closing_twice_is_fine_and_the_next_opening_sees_all(self, store, tmp_path):
        written = put(store, document("a", "one"))
        store.close()
        store.close()
        again = self.make_store(tmp_path / "store")
        assert len(again.chunks([written.chunks[0].id], EVERYBODY)) == 1
        again.close()
