from memory.query.reranking import LocalReranker
from tests.memory.answering_examples import WordEmbedder
from tests.memory.query.examples import candidate


def test_the_candidate_with_the_nearest_sentence_rises_and_the_tail_stays():
    items = [
        candidate(1, text="Trains are booked by the office."),
        candidate(2, text="Hotels cost 300 USD a night. Bikes are kept here."),
        candidate(3, text="Hotels cost 300 USD a night."),
    ]
    reranker = LocalReranker(WordEmbedder(), candidates=2, sentence=1.0)
    ranked = reranker.rerank("hotels cost a night", items)
    assert ranked[0].chunk_id == items[1].chunk_id
    assert ranked[-1] == items[2]
    assert {c.chunk_id for c in ranked} == {c.chunk_id for c in items}


def test_a_candidate_without_a_sentence_is_compared_whole():
    [only] = LocalReranker(WordEmbedder()).rerank("x", [candidate(1, text="# Title")])
    assert -1.001 <= only.signals["best_sentence"] <= 1.001
