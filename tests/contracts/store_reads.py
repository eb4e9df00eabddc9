"""What every MemoryStore promises of reading and searching."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from uuid import uuid4

import numpy as np
import pytest

from memory.access import WORKSPACE_SCOPE as EVERYBODY
from memory.documents import StoredChunk, View
from memory.errors import StoreError
from tests.contracts.corpus import (
    DIMENSIONS,
    HOSTILE,
    VIEWS,
    chunk,
    document,
    memory,
    properties,
    put,
    vector,
)


class ReadPromises:
    """Mixed into StoreContract, which has the fixture `store`."""

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
        written = put(store, document("a", "one", updated_at=when))
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
        written = put(store, document("a", "one", "two", "three"))
        ids = [each.id for each in written.chunks]
        asked = [ids[2], uuid4(), ids[0]]
        found = store.chunks(asked, EVERYBODY)
        assert [each.chunk.text for each in found] == ["three", "one"]
        assert store.chunks([], EVERYBODY) == []

    def test_a_memory_is_no_chunk(self, store):
        written = put(store, document("a", "one"))
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
        written = put(store, document("a", *texts))
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
        put(store, document("a", "one"))
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
        put(store, document("a", *(f"laptop {at}" for at in range(5))))
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
        written = put(store, document("a", *texts))
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
        put(store, document("a", "one laptop for each"), document("b", "a desk"))
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
        put(store, document("a", "one? two! * ___"))
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
        written = put(store, document("a", "laptop"), document("b", "chair"))
        hits = store.keyword(View.CHUNKS, text, 5, EVERYBODY)
        assert written.chunks[0].id in [hit.id for hit in hits]

    @pytest.mark.parametrize(
        "text",
        ["laptop " * 3000, "laptop " + "x" * 20_000, "laptop " + "?" * 20_000],
        ids=["repeats", "one long word", "punctuation"],
    )
    def test_a_text_of_twenty_thousand_characters_is_fine(self, store, text):
        put(store, document("a", "laptop"))
        assert len(store.keyword(View.CHUNKS, text, 5, EVERYBODY)) == 1

    def test_what_is_written_after_optimize_is_found_at_once(self, store):
        put(store, document("a", "laptop one"))
        store.optimize()
        new = put(store, document("b", "telephone two"))
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
