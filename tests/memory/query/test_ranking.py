from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.access import WORKSPACE_SCOPE
from memory.documents import Hit, View
from memory.query.base import WeightedQuery
from memory.query.ranking import DocumentRanker
from memory.query.retrieval import Retriever, RouteWeights
from tests.memory.encoders.fakes import FakeEmbedder
from tests.memory.query.examples import candidate


def order(*candidates, text="laptop approval"):
    ranked = DocumentRanker().rank(text, list(candidates))
    return [item.chunk_id.int for item in ranked]


def test_the_nearer_document_comes_first():
    assert order(
        candidate(1, document=1, dense_chunks=0.3),
        candidate(2, document=2, dense_chunks=0.7),
    ) == [2, 1]


def test_a_document_that_covers_more_of_the_question_wins_at_equal_nearness():
    assert order(
        candidate(1, document=1, text="An apple a day.", dense_chunks=0.5),
        candidate(2, document=2, text="Approval of a laptop.", dense_chunks=0.5),
    ) == [2, 1]


def test_words_spread_over_a_documents_chunks_count_together():
    assert order(
        candidate(1, document=1, text="A laptop.", dense_chunks=0.5),
        candidate(2, document=1, text="The approval.", dense_chunks=0.4),
        candidate(3, document=2, text="A laptop.", dense_chunks=0.5),
        candidate(4, document=2, text="The garden.", dense_chunks=0.4),
    )[:2] == [1, 2]


def test_a_chunk_of_the_best_document_outranks_a_lone_better_chunk_of_a_worse_one():
    ranked = order(
        candidate(1, document=1, text="Laptop approval.", dense_chunks=0.8),
        candidate(2, document=1, text="Laptop approval.", dense_chunks=0.45),
        candidate(3, document=2, text="Nothing.", dense_chunks=0.5),
    )
    assert ranked == [1, 2, 3]


signals = st.fixed_dictionaries(
    {},
    optional={
        "dense_chunks": st.floats(-1, 1),
        "dense_memories": st.floats(-1, 1),
        "keyword_chunks": st.floats(0.1, 30),
    },
)
candidates = st.lists(
    st.tuples(st.integers(1, 50), st.integers(1, 6), signals),
    max_size=20,
    unique_by=lambda item: item[0],
).map(lambda items: [candidate(n, document=d, **own) for n, d, own in items])


@given(candidates)
def test_ranking_loses_and_invents_nothing(given_candidates):
    ranked = DocumentRanker().rank("laptop approval", given_candidates)
    assert sorted(item.chunk_id for item in ranked) == sorted(
        item.chunk_id for item in given_candidates
    )


class OneStore:
    """Finds the same two chunks in every route, scored by the query's number."""

    def __init__(self):
        self.searches = []

    def nearest(self, view, vector, limit, scope):
        self.searches.append(("nearest", view, limit, scope))
        return self._hits(view, 0.5)

    def keyword(self, view, text, limit, scope):
        self.searches.append(("keyword", view, limit, scope))
        return self._hits(view, 9.0 if text == "expanded" else 3.0)

    def chunks(self, ids, scope):
        return [candidate(found.int).stored for found in ids]

    def _hits(self, view, score):
        document = UUID(int=1001)
        return [Hit(UUID(int=n), document, (UUID(int=n),), score) for n in (1, 2)]


def test_every_route_is_asked_under_the_scope_of_the_question():
    store = OneStore()
    queries = [WeightedQuery("original", 1.0, "original")]
    found = Retriever(store, FakeEmbedder()).retrieve(queries, WORKSPACE_SCOPE)
    assert store.searches == [
        ("nearest", View.CHUNKS, 100, WORKSPACE_SCOPE),
        ("nearest", View.MEMORIES, 200, WORKSPACE_SCOPE),
        ("keyword", View.CHUNKS, 100, WORKSPACE_SCOPE),
    ]
    assert found.hits == {"dense_chunks": 2, "dense_memories": 2, "keyword_chunks": 2}
    assert found.candidates[0].signals == {
        "dense_chunks": 0.5,
        "dense_memories": 0.5,
        "keyword_chunks": 3.0,
    }


def test_a_route_of_weight_0_is_not_asked():
    store = OneStore()
    weights = RouteWeights(memories=0.0, keyword_chunks=0.0)
    queries = [WeightedQuery("original", 1.0, "original")]
    Retriever(store, FakeEmbedder(), weights).retrieve(queries, WORKSPACE_SCOPE)
    assert [search[:2] for search in store.searches] == [("nearest", View.CHUNKS)]


def test_an_expansion_finds_candidates_but_never_raises_a_raw_signal():
    queries = [
        WeightedQuery("original", 1.0, "original"),
        WeightedQuery("expanded", 0.5, "expansion"),
    ]
    retriever = Retriever(OneStore(), FakeEmbedder())
    found = retriever.retrieve(queries, WORKSPACE_SCOPE)
    assert found.candidates[0].signals["keyword_chunks"] == 3.0
    alone = retriever.retrieve(queries[:1], WORKSPACE_SCOPE)
    assert found.candidates[0].fused == pytest.approx(1.5 * alone.candidates[0].fused)


def test_a_second_pass_fuses_the_first_one_s_routes_without_asking_them_again():
    store = OneStore()
    original = WeightedQuery("original", 1.0, "original")
    expanded = WeightedQuery("expanded", 0.5, "expansion")
    retriever = Retriever(store, FakeEmbedder())
    at_once = retriever.retrieve([original, expanded], WORKSPACE_SCOPE)
    first = retriever.retrieve([original], WORKSPACE_SCOPE)
    store.searches.clear()
    second = retriever.retrieve([expanded], WORKSPACE_SCOPE, first.routes)
    assert second == at_once
    assert len(store.searches) == 3
