import io
import json

import pytest
from django.core.management import CommandError, call_command

from console.benchmarks.ask import bench_ask, read_questions
from console.benchmarks.build import bench_build
from console.benchmarks.home import run_in_clean_home
from console.benchmarks.resync import bench_resync
from console.benchmarks.syncs import BenchError

needs_database = pytest.mark.django_db(transaction=True)


@needs_database
def test_build_encodes_exactly_the_syncs_texts_again(pages, encoder):
    outcome = bench_build(pages, io.StringIO())
    texts = outcome.figures["texts"]
    counts = outcome.figures["counts"]
    assert texts == counts["chunks_embedded"] + counts["memories_embedded"] > 3
    # Eight to warm up, then twice the same.
    assert encoder.embedded == 8 + 2 * texts
    figures = outcome.figures
    assert outcome.ratio == figures["sync_s"] / figures["bare_encoder_s"]
    assert {"read", "chunk", "distil", "embed", "store"} <= figures["stage_s"].keys()


@needs_database
def test_resync_embeds_nothing_and_then_the_edited_page_alone(pages, encoder, home):
    outcome = bench_resync(pages, home, io.StringIO())
    runs = outcome.figures["runs"]
    unchanged, edited = runs["unchanged"]["counts"], runs["one page edited"]["counts"]
    assert unchanged.get("indexed", 0) == unchanged.get("chunks_embedded", 0) == 0
    assert edited["indexed"] == 1
    assert edited["chunks_embedded"] == 1
    assert "added to see" not in (pages / outcome.figures["edited"]).read_text()


@needs_database
def test_ask_times_every_question_without_and_with_the_reranker(
    pages, questions, encoder
):
    outcome = bench_ask(pages, read_questions(questions), io.StringIO())
    figures = outcome.figures
    assert figures["questions"] == 2
    assert figures["without_reranker_ms"]["total"]["n"] == 2
    assert "rerank" not in figures["without_reranker_ms"]
    assert figures["with_reranker_ms"]["rerank"]["n"] >= 1
    assert "resident MB" in outcome.as_text()


@needs_database
@pytest.mark.parametrize(
    "bench", [bench_build, lambda folder, out: bench_resync(folder, folder, out)]
)
def test_a_folder_that_is_not_there_is_named(tmp_path, bench, encoder):
    with pytest.raises(BenchError, match="none is no folder"):
        bench(tmp_path / "none", io.StringIO())


def test_questions_without_any_are_refused(tmp_path):
    (tmp_path / "q.jsonl").write_text("\n")
    with pytest.raises(BenchError, match="holds no question"):
        read_questions(tmp_path / "q.jsonl")


def test_ask_needs_questions(tmp_path):
    with pytest.raises(CommandError, match="needs --questions"):
        call_command("bench", "ask", docs=tmp_path)


def test_a_clean_home_is_another_one_and_is_removed(home, capfd, monkeypatch):
    # The tests' own settings would take another home again.
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "console.settings")
    program = (
        "import os, json; "
        "print(json.dumps({k: v for k, v in os.environ.items() if 'ATTEST' in k}))"
    )
    status = run_in_clean_home(
        ["shell", "--no-imports", "-c", program], empty_cache=True
    )
    assert status == 0
    inside = json.loads(capfd.readouterr().out.strip().splitlines()[-1])
    assert inside["ATTEST_HOME"].startswith(str(home / "bench-"))
    assert inside["ATTEST_CACHE"].startswith(inside["ATTEST_HOME"])
    assert inside["ATTEST_DATABASE_URL"] == ""
    assert list(home.iterdir()) == []
