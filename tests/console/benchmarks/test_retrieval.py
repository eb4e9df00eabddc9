"""`bench retrieval`: stores as they grow."""

import io

import numpy as np
import pytest
from django.core.management import CommandError

from console.benchmarks import retrieval
from console.benchmarks.objects import Made, exact, read_sample
from console.benchmarks.progress import ProgressLine
from console.benchmarks.retrieval_report import bench_retrieval
from console.benchmarks.syncs import BenchError
from console.management.commands.bench import plan_of
from memory.documents import View


@pytest.fixture
def sample(pages, encoder):
    return read_sample(pages, encoder, ProgressLine(io.StringIO(), "Sample"))


def test_made_objects_are_many_and_the_same_each_time(sample):
    made, again = Made(sample, 25), Made(sample, 25)
    assert made.documents == 3
    documents = list(made.replacements())
    assert [len(each.chunks) for each in documents] == [10, 10, 5]
    assert [len(each.memories) for each in documents] == [10, 10, 5]
    ids = [each.id for document in documents for each in document.chunks]
    assert ids == made.ids(View.CHUNKS)
    assert len(set(ids)) == 25
    assert len({each.properties.access_rule for each in documents}) == 3
    for view in View:
        vectors = made.vectors[view]
        assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
        assert (vectors == again.vectors[view]).all()
        # Noise: no two are alike, though texts come again and again.
        assert len(np.unique(vectors, axis=0)) == 25


def test_exactness_is_by_cosine():
    vectors = np.eye(5, dtype=np.float32)
    query = np.array([0.1, 0.5, 0.3, 0.9, 0.2], dtype=np.float32)
    assert exact(vectors, query, 3) == [3, 1, 2]


def test_every_store_and_size_has_a_line(pages, encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(retrieval, "SCOPES", (10, 100))
    monkeypatch.setattr("console.benchmarks.retrieval_report.SCOPES", (10, 100))
    outcome = bench_retrieval(
        pages,
        encoder,
        home=tmp_path,
        plan=(["embedded"], [30, 60]),
        questions=["When are laptops replaced?", "Who books flights?"],
        stream=io.StringIO(),
    )
    first, second = outcome.figures["stores"]
    assert (first["objects_a_view"], second["objects_a_view"]) == (30, 60)
    assert first["recall"] == {"chunks": 1.0, "memories": 1.0}
    assert set(first["ms"]) >= {"dense_chunks", "keyword_chunks", retrieval.WHOLE}
    assert first["rules_ms_p50"].keys() == {"10", "100"}
    assert "objects a view" in outcome.as_text()
    # Nothing is left of the stores.
    assert not (tmp_path / "embedded").exists()


def test_a_folder_without_text_is_refused(tmp_path, encoder):
    (tmp_path / "empty").mkdir()
    with pytest.raises(BenchError, match="no text"):
        read_sample(tmp_path / "empty", encoder, ProgressLine(io.StringIO(), "S"))


def test_a_plan_names_stores_and_sizes():
    options = {"stores": "embedded,weaviate", "objects": "10k,500"}
    assert plan_of(options) == (["embedded", "weaviate"], [10_000, 500])
    with pytest.raises(CommandError, match="qdrant; accepted: embedded, weaviate"):
        plan_of({"stores": "qdrant", "objects": "10k"})
    with pytest.raises(CommandError, match="10k,100k"):
        plan_of({"stores": "embedded", "objects": "many"})
