import sqlite3
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from memory.encoders import CachedEmbedder
from memory.errors import EmbeddingError
from tests.memory.encoders.fakes import FakeEmbedder

TEXTS = [f"text {at} " + "word " * (at % 7) for at in range(700)]


@pytest.fixture
def fake():
    return FakeEmbedder()


@pytest.fixture
def cached(fake, tmp_path):
    embedder = CachedEmbedder(fake, tmp_path / "cache")
    yield embedder
    embedder.close()


def test_it_returns_what_the_embedder_returns_in_the_given_order(cached, fake):
    expected = fake.embed_queries(TEXTS)
    np.testing.assert_array_equal(cached.embed_documents(TEXTS), expected)
    np.testing.assert_array_equal(cached.embed_documents(TEXTS[::-1]), expected[::-1])


def test_it_tells_what_it_keeps_without_encoding(cached, fake):
    vectors = cached.embed_documents(TEXTS[:3])
    fake.embedded.clear()
    kept = cached.kept(TEXTS[2:5])
    assert list(kept) == [TEXTS[2]]
    np.testing.assert_array_equal(kept[TEXTS[2]], vectors[2])
    assert fake.embedded == []


def test_it_encodes_only_what_is_new(cached, fake):
    cached.embed_documents(TEXTS[:300])
    fake.embedded.clear()
    cached.embed_documents(TEXTS[200:400])
    assert sorted(fake.embedded) == sorted(TEXTS[300:400])


def test_it_encodes_a_repeated_text_once(cached, fake):
    vectors = cached.embed_documents(["same", "other", "same"])
    assert sorted(fake.embedded) == ["other", "same"]
    np.testing.assert_array_equal(vectors[0], vectors[2])


def test_it_counts_every_text_once(cached):
    cached.embed_documents(TEXTS[:100])
    counts = []
    cached.embed_documents([*TEXTS, "twice", "twice"], on_progress=counts.append)
    assert counts[0] == 100
    assert sum(counts) == len(TEXTS) + 2


def test_no_texts_have_no_vectors(cached):
    assert cached.embed_documents([]).shape == (0, 16)


def test_another_model_has_vectors_of_its_own(cached, fake, tmp_path):
    cached.embed_documents(TEXTS[:10])
    other = FakeEmbedder(name="fake/other precision")
    embedder = CachedEmbedder(other, tmp_path / "cache")
    embedder.embed_documents(TEXTS[:10])
    embedder.close()
    assert len(other.embedded) == 10


def test_it_never_keeps_a_query(cached, fake):
    cached.embed_queries(["who signs off?"])
    cached.embed_documents(["who signs off?"])
    assert fake.embedded == ["who signs off?"]


def test_what_was_encoded_before_a_failure_is_kept(fake, tmp_path):
    class Failing(FakeEmbedder):
        def embed_documents(self, texts, *, on_progress=None):
            if len(self.embedded) >= 512:
                raise EmbeddingError("The encoder failed.")
            return super().embed_documents(texts, on_progress=on_progress)

    failing = Failing()
    embedder = CachedEmbedder(failing, tmp_path)
    with pytest.raises(EmbeddingError):
        embedder.embed_documents(TEXTS)
    embedder.close()
    again = CachedEmbedder(fake, tmp_path)
    again.embed_documents(TEXTS)
    again.close()
    assert len(failing.embedded) == 512
    assert len(fake.embedded) == len(TEXTS) - 512


@pytest.mark.parametrize(
    "bad",
    [np.zeros((1, 16)), np.full((1, 16), np.nan), np.eye(15)[:1], np.eye(16)[:2]],
    ids=["length 0", "not a number", "dimensions", "count"],
)
def test_it_keeps_no_bad_vector(bad, tmp_path):
    class Bad(FakeEmbedder):
        def embed_documents(self, texts, *, on_progress=None):
            return bad.astype(np.float32)

    embedder = CachedEmbedder(Bad(), tmp_path)
    with pytest.raises(EmbeddingError):
        embedder.embed_documents(["a"])
    rows = sqlite3.connect(tmp_path / "vectors.sqlite3")
    assert rows.execute("SELECT count(*) FROM vectors").fetchone() == (0,)
    rows.close()
    embedder.close()


def test_a_file_that_is_no_database_is_named_with_the_mend(fake, tmp_path):
    (tmp_path / "vectors.sqlite3").write_bytes(b"not a database" * 100)
    with pytest.raises(EmbeddingError, match="delete it"):
        CachedEmbedder(fake, tmp_path).embed_documents(["a"])


def test_several_processes_share_it(cached, fake, tmp_path):
    script = """
        import sys
        from pathlib import Path
        from memory.encoders import CachedEmbedder
        from tests.memory.encoders.fakes import FakeEmbedder
        embedder = CachedEmbedder(FakeEmbedder(), Path(sys.argv[1]))
        first = int(sys.argv[2])
        for at in range(first, first + 100):
            embedder.embed_documents([f"text {at}", "shared"])
        embedder.close()
    """
    run = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "cache")]
    writers = [subprocess.Popen([*run, str(first)]) for first in (0, 100)]
    assert [writer.wait(timeout=120) for writer in writers] == [0, 0]
    cached.embed_documents([f"text {at}" for at in range(200)])
    assert fake.embedded == []


def test_a_question_that_several_stages_ask_for_is_encoded_once(tmp_path):
    inner = CountingQueries()
    embedder = CachedEmbedder(inner, tmp_path)
    first = embedder.embed_queries(["who approves?"])
    both = embedder.embed_queries(["and when?", "who approves?"])
    assert inner.asked == ["who approves?", "and when?"]
    assert both[1].tolist() == first[0].tolist()
    assert (
        both.tolist()
        == FakeEmbedder().embed_queries(["and when?", "who approves?"]).tolist()
    )


def test_only_the_last_questions_stay_in_memory_and_none_on_disk(tmp_path):
    inner = CountingQueries()
    embedder = CachedEmbedder(inner, tmp_path)
    for number in range(100):
        embedder.embed_queries([f"question {number}"])
    embedder.embed_queries(["question 99"])
    assert len(inner.asked) == 100
    embedder.embed_queries(["question 0"])
    assert len(inner.asked) == 101
    assert list(tmp_path.iterdir()) == []


class CountingQueries(FakeEmbedder):
    """Keeps the questions that it encoded."""

    def __init__(self):
        super().__init__()
        self.asked = []

    def embed_queries(self, texts):
        self.asked.extend(texts)
        return super().embed_queries(texts)
