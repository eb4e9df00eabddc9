"""What every MemoryStore promises. A subclass gives `make_store(folder)`."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import uuid4

import numpy as np
import pytest

from memory.access import NOBODY_RULE, WORKSPACE, AccessRule, Scope, Status, group
from memory.access import WORKSPACE_SCOPE as EVERYBODY
from memory.documents import StoredChunk, View
from memory.embedding import embedded_text, text_hash
from memory.errors import StoreError
from memory.stores.base import Replacement
from tests.contracts.corpus import (
    DIMENSIONS,
    chunk,
    document,
    memory,
    properties,
    vector,
    without_vectors,
)

VIEWS = [View.CHUNKS, View.MEMORIES]
HOSTILE = [
    "it's",
    '"quoted"',
    "back\\slash",
    "') OR true --",
    "%_*?",
    "Ünï 价格 ✓",
    "line\nbreak",
    "",
]


class StoreContract:
    """The promises of MemoryStore, one test each."""

    def make_store(self, folder):
        raise NotImplementedError

    @pytest.fixture
    def store(self, tmp_path):
        store = self.make_store(tmp_path / "store")
        yield store
        store.close()

    def put(self, store, *documents):
        store.replace_documents(documents)
        return documents[0]

    # Reading back

    def test_a_chunk_comes_back_as_it_was_written(self, store):
        of = properties(
            "a",
            url="https://example.org/a?b='c'",
            source_name="Handbook",
            updated_at=datetime(2026, 3, 1, 9, 30, 5, 123456, tzinfo=UTC),
        )
        written = replace(
            chunk(of, "| 36 | months |"), header="| time | unit |", path=("A", "B/C")
        )
        store.replace_document(of, [written], [])
        assert store.chunks([written.id], EVERYBODY) == [StoredChunk(written, of)]

    def test_a_time_in_another_zone_is_the_same_time(self, store):
        zone = timezone(timedelta(hours=-7))
        when = datetime(2026, 3, 1, tzinfo=zone)
        written = self.put(store, document("a", "one", updated_at=when))
        [found] = store.chunks([written.chunks[0].id], EVERYBODY)
        assert found.properties.updated_at == when

    @pytest.mark.parametrize("text", HOSTILE)
    def test_any_characters_come_back_unchanged(self, store, text):
        of = replace(
            properties("a"), title=text, url=text, external_id=text, source_name=text
        )
        written = replace(
            chunk(of, "some words"),
            title=text,
            path=(text, "x"),
            text=text,
            anchor=text,
        )
        store.replace_document(of, [written], [])
        assert store.chunks([written.id], EVERYBODY) == [StoredChunk(written, of)]

    def test_chunks_come_in_the_given_order_and_unknown_ids_are_left_out(self, store):
        written = self.put(store, document("a", "one", "two", "three"))
        ids = [each.id for each in written.chunks]
        asked = [ids[2], uuid4(), ids[0]]
        found = store.chunks(asked, EVERYBODY)
        assert [each.chunk.text for each in found] == ["three", "one"]
        assert store.chunks([], EVERYBODY) == []

    def test_a_memory_is_no_chunk(self, store):
        written = self.put(store, document("a", "one"))
        assert store.chunks([written.memories[0].id], EVERYBODY) == []

    def test_an_empty_store_has_nothing(self, store):
        for view in VIEWS:
            assert store.nearest(view, vector("one"), 5, EVERYBODY) == []
            assert store.keyword(view, "one", 5, EVERYBODY) == []
            assert list(store.inventory(view)) == []
        assert store.count_documents(EVERYBODY) == 0
        store.optimize()

    # Searching

    def test_nearest_gives_cosines_best_first(self, store):
        texts = [f"text {at}" for at in range(40)]
        written = self.put(store, document("a", *texts))
        query = vector("a question")
        cosines = {each.id: float(each.vector @ query) for each in written.chunks}
        expected = sorted(cosines.items(), key=lambda pair: -pair[1])[:10]
        hits = store.nearest(View.CHUNKS, query, 10, EVERYBODY)
        assert [hit.id for hit in hits] == [chunk_id for chunk_id, _ in expected]
        assert [hit.score for hit in hits] == pytest.approx(
            [score for _, score in expected], abs=1e-5
        )
        assert all(hit.chunk_ids == (hit.id,) for hit in hits)

    def test_nearest_scores_run_from_one_to_minus_one(self, store):
        self.put(store, document("a", "one"))
        [same] = store.nearest(View.CHUNKS, vector("one"), 1, EVERYBODY)
        [opposite] = store.nearest(View.CHUNKS, -vector("one"), 1, EVERYBODY)
        assert same.score == pytest.approx(1, abs=1e-5)
        assert opposite.score == pytest.approx(-1, abs=1e-5)
        assert same.score <= 1
        assert opposite.score >= -1

    def test_a_memory_names_its_document_and_its_chunks_in_order(self, store):
        of = properties("a")
        chunks = [chunk(of, text) for text in ("one", "two", "three")]
        written = memory(of, "both", [chunks[2], chunks[0]])
        store.replace_document(of, chunks, [written])
        for hits in (
            store.nearest(View.MEMORIES, vector("both"), 5, EVERYBODY),
            store.keyword(View.MEMORIES, "both", 5, EVERYBODY),
        ):
            assert [hit.id for hit in hits] == [written.id]
            assert hits[0].document_id == of.document_id
            assert hits[0].chunk_ids == (chunks[2].id, chunks[0].id)

    @pytest.mark.parametrize("limit", [0, 1, 3, 100])
    def test_a_limit_is_kept(self, store, limit):
        self.put(store, document("a", *(f"laptop {at}" for at in range(5))))
        count = min(limit, 5)
        assert len(store.nearest(View.CHUNKS, vector("x"), limit, EVERYBODY)) == count
        assert len(store.keyword(View.CHUNKS, "laptop", limit, EVERYBODY)) == count

    @pytest.mark.parametrize(
        "bad", [np.ones(DIMENSIONS + 1), np.full(DIMENSIONS, np.nan)]
    )
    def test_a_query_vector_that_is_none_is_refused(self, store, bad):
        with pytest.raises(StoreError):
            store.nearest(View.CHUNKS, bad.astype(np.float32), 5, EVERYBODY)

    def test_keyword_ranks_by_rare_words(self, store):
        texts = ["laptop order form", "laptop mouse", "laptop desk", "laptop chair"]
        written = self.put(store, document("a", *texts))
        hits = store.keyword(View.CHUNKS, "laptop form", 10, EVERYBODY)
        assert hits[0].id == written.chunks[0].id
        assert len(hits) == 4
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        assert all(score > 0 for score in scores)

    def test_keyword_finds_title_headings_and_table_header(self, store):
        of = replace(properties("a"), title="Equipment")
        written = replace(
            chunk(of, "| 36 |", path=("Replacement",)), header="| Months |"
        )
        store.replace_document(of, [written], [])
        for word in ("equipment", "replacement", "months", "36"):
            [hit] = store.keyword(View.CHUNKS, word, 5, EVERYBODY)
            assert hit.id == written.id

    def test_keyword_finds_a_memory_by_key_and_value(self, store):
        of = properties("a")
        base = chunk(of, "text")
        written = memory(of, "after 36 months", [base], key="laptop replacement")
        store.replace_document(of, [base], [written])
        for word in ("laptop", "36"):
            [hit] = store.keyword(View.MEMORIES, word, 5, EVERYBODY)
            assert hit.id == written.id

    @pytest.mark.parametrize("form", ["laptops", "LAPTOP", "Laptop's", "laptop?"])
    def test_keyword_finds_other_forms_of_a_word(self, store, form):
        self.put(store, document("a", "one laptop for each"), document("b", "a desk"))
        assert len(store.keyword(View.CHUNKS, form, 5, EVERYBODY)) >= 1
        best = store.keyword(View.CHUNKS, form, 5, EVERYBODY)[0]
        [found] = store.chunks([best.id], EVERYBODY)
        assert found.chunk.text == "one laptop for each"

    def test_keyword_folds_accents(self, store):
        of = properties("a")
        store.replace_document(of, [chunk(of, "café au lait", path=())], [])
        assert len(store.keyword(View.CHUNKS, "cafe", 5, EVERYBODY)) == 1

    @pytest.mark.parametrize("text", ["", "   ", "?!", "-- ~ ^ * \" ' ( ) : \\", "___"])
    def test_a_text_without_a_word_finds_nothing(self, store, text):
        self.put(store, document("a", "one? two! * ___"))
        assert store.keyword(View.CHUNKS, text, 5, EVERYBODY) == []

    @pytest.mark.parametrize(
        "text",
        [
            '"laptop" AND NOT desk',
            "+laptop -laptop",
            "text:laptop title:*",
            "laptop~2 [a TO z] {x}",
            "laptop'; DROP TABLE objects; --",
            "(laptop",
            'laptop "',
            "laptop\\",
            "laptop\x00",
        ],
    )
    def test_no_character_of_a_text_is_query_syntax(self, store, text):
        written = self.put(store, document("a", "laptop"), document("b", "chair"))
        hits = store.keyword(View.CHUNKS, text, 5, EVERYBODY)
        assert written.chunks[0].id in [hit.id for hit in hits]

    @pytest.mark.parametrize(
        "text",
        ["laptop " * 3000, "laptop " + "x" * 20_000, "laptop " + "?" * 20_000],
        ids=["repeats", "one long word", "punctuation"],
    )
    def test_a_text_of_twenty_thousand_characters_is_fine(self, store, text):
        self.put(store, document("a", "laptop"))
        assert len(store.keyword(View.CHUNKS, text, 5, EVERYBODY)) == 1

    def test_what_is_written_after_optimize_is_found_at_once(self, store):
        self.put(store, document("a", "laptop one"))
        store.optimize()
        new = self.put(store, document("b", "telephone two"))
        [hit] = store.keyword(View.CHUNKS, "telephones", 5, EVERYBODY)
        assert hit.id == new.chunks[0].id
        [best] = store.nearest(View.CHUNKS, vector("telephone two"), 1, EVERYBODY)
        assert best.id == new.chunks[0].id

    def test_optimize_changes_no_result(self, store):
        many = [document(f"d{at}", f"laptop {at}", f"desk {at}") for at in range(30)]
        for each in many:
            store.replace_documents([each])

        def results():
            return [
                *(
                    hit.id
                    for hit in store.nearest(View.CHUNKS, vector("q"), 20, EVERYBODY)
                ),
                *sorted(
                    hit.id
                    for hit in store.keyword(View.MEMORIES, "desk", 99, EVERYBODY)
                ),
                *sorted(str(pair) for pair in store.inventory(View.CHUNKS)),
            ]

        before = results()
        store.optimize()
        assert results() == before
        store.optimize()
        assert results() == before

    # Writing

    def test_replacing_removes_what_is_no_longer_there(self, store):
        old = self.put(store, document("a", "one", "two"), document("b", "three"))
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
        written = self.put(store, document("a", "one", "two"))
        renamed = without_vectors(written)
        moved = [replace(each, position=7, title="New") for each in renamed.chunks]
        store.replace_document(renamed.properties, moved, renamed.memories)
        [hit] = store.nearest(View.CHUNKS, vector("two"), 1, EVERYBODY)
        assert hit.id == written.chunks[1].id
        assert hit.score == pytest.approx(1, abs=1e-5)
        [stored] = store.chunks([hit.id], EVERYBODY)
        assert (stored.chunk.position, stored.chunk.title) == (7, "New")

    def test_a_new_object_without_a_vector_is_refused_by_id(self, store):
        old = self.put(store, document("a", "one"))
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
        written = self.put(store, document("a", "one"))
        store.replace_document(written.properties, [], [])
        assert store.embedded_hashes(written.properties.document_id).chunks == {}
        assert list(store.inventory(View.MEMORIES)) == []

    def test_deleting_removes_all_of_a_document_alone(self, store):
        one = self.put(store, document("a", "one"), document("b", "two"))
        store.delete_document(one.properties.document_id)
        store.delete_document(one.properties.document_id)
        for view in VIEWS:
            documents = {of.external_id for _, of in store.inventory(view)}
            assert documents == {"b"}
        assert store.keyword(View.CHUNKS, "one", 5, EVERYBODY) == []

    def test_many_documents_are_deleted_at_once(self, store):
        many = [document(f"d{at}", f"text {at}") for at in range(4)]
        self.put(store, *many)
        store.delete_documents([each.properties.document_id for each in many[:3]])
        store.delete_documents([])
        assert {of.external_id for _, of in store.inventory(View.CHUNKS)} == {"d3"}

    @pytest.mark.parametrize("text", HOSTILE)
    def test_properties_are_rewritten_alone(self, store, text):
        written = self.put(store, document("a", "one"), document("b", "two"))
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
        written = self.put(
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

    def test_hashes_tell_what_was_embedded(self, store):
        written = self.put(store, document("a", "one", "two"), document("b", "three"))
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
        self.put(store, hidden, document("b", "three"))
        pairs = dict(store.inventory(View.CHUNKS))
        assert len(pairs) == 3
        assert pairs[hidden.chunks[0].id] == hidden.properties

    def test_closing_twice_is_fine_and_the_next_opening_sees_all(self, store, tmp_path):
        written = self.put(store, document("a", "one"))
        store.close()
        store.close()
        again = self.make_store(tmp_path / "store")
        assert len(again.chunks([written.chunks[0].id], EVERYBODY)) == 1
        again.close()

    # Access; the property test is in tests/memory/stores/test_access.py

    def test_near_equal_names_are_different_names(self, store):
        names = ["test", "test_domain", "test-domain", "Test", "test domain", "tes"]
        groups = {name: group("dir", name) for name in names}
        self.put(
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
        self.put(store, document("a", "one", rule=rule), document("b", "two"))
        own = Scope.of_person([group("dir", name)])
        other = Scope.of_person([group("dir", name + "x")])
        assert len(store.nearest(View.CHUNKS, vector("x"), 9, own)) == 1
        assert store.nearest(View.CHUNKS, vector("x"), 9, other) == []

    def test_a_scope_of_nobody_reads_nothing(self, store):
        ids = [self.put(store, document("a", "one", rule=NOBODY_RULE)).chunks[0].id]
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
        self.put(store, *many)
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
        self.put(
            store,
            document("a", "one", "two"),
            document("b", "three"),
            document("c", "four", rule=secret),
            document("d", "five", status=Status.ARCHIVED),
        )
        assert store.count_documents(EVERYBODY) == 2
        assert store.count_documents(Scope.of_person([group("dir", "1")])) == 1
        assert store.count_documents(Scope.of_channel([secret])) == 1
