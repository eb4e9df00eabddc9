from math import log

import pytest

from memory.evaluation.bm25 import BM25, terms

TEXTS = ["the cat sat", "the dog sat on the dog", "a bird"]


def test_terms_are_unicode_word_runs_in_folded_case():
    assert terms("Straße, FOO_bar-12 naïve!") == ["strasse", "foo_bar", "12", "naïve"]


def score(tf, df, length, *, n=3, average=11 / 3):
    idf = log(1 + (n - df + 0.5) / (df + 0.5))
    return idf * tf * 2.5 / (tf + 1.5 * (0.25 + 0.75 * length / average))


def test_scores_are_those_of_the_formula():
    assert BM25(TEXTS).scores("dog sat?").tolist() == pytest.approx(
        [score(1, 2, 3), score(2, 1, 6) + score(1, 2, 6), 0]
    )


def test_a_repeated_term_of_the_question_counts_once():
    index = BM25(TEXTS)
    assert (index.scores("Dog dog DOG") == index.scores("dog")).all()


def test_unknown_terms_and_empty_collections_score_nothing():
    assert BM25(TEXTS).scores("zebra ?!").tolist() == [0, 0, 0]
    assert BM25([]).scores("cat").tolist() == []
    assert BM25(["", "?"]).scores("cat").tolist() == [0, 0]
