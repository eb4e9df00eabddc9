"""Reranking by a cross-encoder: a tiny random BERT, and faults of a model."""

import math
import shutil

import numpy as np
import pytest

from memory.deadline import DeadlineExceeded, within
from memory.query.cross_encoder import CrossEncoderReranker, RerankerError
from tests.memory.query.examples import candidate

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@pytest.fixture(scope="module")
def model_folder(tmp_path_factory):
    """Return the folder of a BERT with random weights and a vocabulary of letters."""
    torch = pytest.importorskip("torch")
    from transformers import (
        BertConfig,
        BertForSequenceClassification,
        BertTokenizerFast,
    )

    folder = tmp_path_factory.mktemp("tiny-bert")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LETTERS]
    words += [f"##{letter}" for letter in LETTERS]
    (folder / "vocab.txt").write_text("\n".join(words))
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
        initializer_range=1.0,
        num_labels=1,
    )
    BertForSequenceClassification(config).eval().save_pretrained(folder)
    tokenizer = BertTokenizerFast(
        vocab_file=str(folder / "vocab.txt"), model_max_length=64
    )
    tokenizer.save_pretrained(folder)
    return folder


def candidates(count):
    return [
        candidate(n + 1, text=f"{LETTERS[n % 26]} text of number {'x' * (n % 7)}")
        for n in range(count)
    ]


def scores(reranked):
    return {item.chunk_id: item.signals["rerank"] for item in reranked}


def test_any_model_folder_scores_pairs_whatever_the_batch(model_folder):
    found = candidates(11)
    together = CrossEncoderReranker(str(model_folder), batch_size=16)
    few = CrossEncoderReranker(str(model_folder), batch_size=3)
    first, second = (one.rerank("who approves", found) for one in (together, few))
    assert sorted(first, key=lambda c: -c.signals["rerank"]) == first
    assert {item.chunk_id for item in first} == {item.chunk_id for item in found}
    assert len(set(scores(first).values())) >= 2
    for chunk_id, score in scores(first).items():
        assert score == pytest.approx(scores(second)[chunk_id], abs=1e-5)
    assert together.name == f"cross-encoder/{model_folder.name}/own limit"


def test_the_question_counts(model_folder):
    reranker = CrossEncoderReranker(str(model_folder))
    found = candidates(6)
    assert scores(reranker.rerank("who approves", found)) != scores(
        reranker.rerank("zzz", found)
    )


def test_a_text_beyond_the_limit_is_cut_by_the_model(model_folder):
    reranker = CrossEncoderReranker(str(model_folder), max_tokens=16)
    long = [candidate(1, text="a b c d " * 500), candidate(2, text="a b c d " * 5)]
    first, second = scores(reranker.rerank("q", long)).values()
    assert first == pytest.approx(second, abs=1e-5)
    assert reranker.name.endswith("/16")


def test_a_folder_without_a_model_is_told_with_the_setting(tmp_path):
    reranker = CrossEncoderReranker(str(tmp_path))
    with pytest.raises(RerankerError, match="ATTEST_RERANKER"):
        reranker.rerank("q", candidates(2))


def test_weights_that_are_broken_are_told_with_the_setting(model_folder, tmp_path):
    folder = tmp_path / "broken"
    shutil.copytree(model_folder, folder)
    (folder / "model.safetensors").write_bytes(b"these are no weights")
    with pytest.raises(RerankerError, match="ATTEST_RERANKER"):
        CrossEncoderReranker(str(folder)).load()


class Predicting:
    """Stands for the library's model: gives what it's told."""

    def __init__(self, predict):
        self.predict_pairs = predict
        self.batches = []

    def predict(self, pairs, **_options):
        self.batches.append(list(pairs))
        return self.predict_pairs(pairs)


def reranker(predict, **options):
    made = CrossEncoderReranker("fake", **options)
    made._loaded = Predicting(predict)
    return made


def by_length(pairs):
    return np.array([float(len(text)) for _, text in pairs])


@pytest.mark.parametrize(
    "predict",
    [
        lambda pairs: np.array([math.nan] * len(pairs)),
        lambda pairs: np.array([math.inf] + [0.0] * (len(pairs) - 1)),
        lambda pairs: np.zeros(len(pairs) - 1),
        lambda pairs: np.zeros((len(pairs), 3)),
        lambda pairs: None,
        lambda pairs: 1 / 0 if not pairs else (_ for _ in ()).throw(RuntimeError("x")),
    ],
)
def test_scores_that_are_no_scores_are_an_error(predict):
    with pytest.raises(RerankerError):
        reranker(predict).rerank("q", candidates(4))


def test_the_pair_is_the_question_and_the_chunks_text_with_its_table_header():
    made = reranker(by_length)
    made.rerank("q", [candidate(1, text="| 36 |", header="| months |")])
    assert made._loaded.batches == [[("q", "| months |\n| 36 |")]]


def test_ties_keep_the_fused_order_and_the_rest_of_the_pool_its_places():
    made = reranker(lambda pairs: np.zeros(len(pairs)), pool=3)
    found = candidates(5)
    reranked = made.rerank("q", found)
    assert [c.chunk_id for c in reranked] == [c.chunk_id for c in found]
    assert ["rerank" in item.signals for item in reranked] == [True] * 3 + [False] * 2


def test_the_best_comes_first_and_raw_signals_are_kept():
    found = [candidate(1, text="ab", dense_chunks=0.5), candidate(2, text="abcd")]
    first, second = reranker(by_length).rerank("q", found)
    assert first.chunk_id == found[1].chunk_id
    assert second.signals == {"dense_chunks": 0.5, "rerank": 2.0}


def test_nothing_to_rank_asks_nothing():
    assert reranker(by_length).rerank("q", []) == []


def test_time_that_is_up_ends_it_between_batches():
    with within(0.0), pytest.raises(DeadlineExceeded):
        reranker(by_length).rerank("q", candidates(2))
