"""A tiny evaluation from end to end, with a fake embedder, store and pipeline."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from memory.chunking import Chunker
from memory.documents import Answer, LinkedDocument, Outcome, Turn
from memory.errors import DataSetError, StoreError
from memory.evaluation.baselines import LexicalSearch
from memory.evaluation.datasets import withhold
from memory.evaluation.handbook import load_handbook
from memory.evaluation.index import WHOLE_SCOPE, IndexParts, batches, open_index
from memory.evaluation.manifest import code_version, make_manifest
from memory.evaluation.report import Report, SystemReport
from memory.evaluation.running import question_lines, run_system
from memory.evaluation.systems import UnknownSystem, make_systems, parse_names
from memory.query.packing import Packer
from tests.memory.evaluation.fakes import (
    HashEmbedder,
    ListStore,
    evidence_of,
    make_document,
)

TEXTS = {
    "laptops.md": "Laptops are replaced after thirty-six months by the IT team.",
    "travel.md": "Book flights two weeks ahead with the travel desk.",
    "lunch.md": "Lunch is free on Thursdays for everybody in the office.",
}
QUESTIONS = [
    {
        "id": "h1",
        "type": "lookup",
        "question": "When are laptops replaced?",
        "documents": ["laptops.md"],
        "evidence": [
            {"document": "laptops.md", "quote": "replaced after thirty-six months"}
        ],
    },
    {
        "id": "h2",
        "type": "follow_up",
        "question": "Which day is lunch free?",
        "history": [{"role": "user", "content": "Is lunch free?"}],
        "documents": ["lunch.md"],
        "evidence": [{"document": "lunch.md", "quote": "free on Thursdays"}],
    },
    {
        "id": "u1",
        "type": "unanswerable",
        "question": "Dental flights?",
        "documents": [],
    },
]


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "questions.jsonl"
    path.write_text("\n".join(map(json.dumps, QUESTIONS)), encoding="utf-8")
    documents = [make_document(name, text) for name, text in TEXTS.items()]
    return load_handbook(documents, path)


@pytest.fixture
def parts():
    ListStore.opened.clear()
    return IndexParts(Chunker(), None, HashEmbedder(), ListStore.open)


@pytest.fixture
def index(data, parts, tmp_path):
    return open_index(data, parts, tmp_path / "evaluation")


class FirstDocument:
    """A pipeline that answers with the first chunk of a baseline's ranking."""

    def __init__(self, index):
        self.search = LexicalSearch(index)
        self.index = index
        self.asked = []

    def ask(self, question):
        self.asked.append(question)
        hits = self.search.hits(question.text, question.scope)
        if not hits:
            return Answer(Outcome.ABSTAINED, "", 0.1, 0.0, timings_ms={"retrieve": 1.0})
        chunk = self.index.chunks[hits[0].id]
        return Answer(
            outcome=Outcome.ANSWERED,
            text=chunk.text,
            answerability=0.8,
            confidence=0.8,
            documents=(LinkedDocument(chunk.document_id, "", "", "test"),),
            evidence=(evidence_of(chunk),),
            ranking=tuple(hit.document_id for hit in hits),
            timings_ms={"retrieve": 2.0, "rerank": 1.0, "answer": 5.0, "total": 8.5},
        )


def systems(index, parts, *names, pipeline=None):
    return make_systems(
        names,
        pipelines={"megamem": pipeline or FirstDocument(index)},
        index=index,
        embedder=parts.embedder,
        packer=Packer(),
    )


def run(system, index, questions):
    return run_system(system, questions, scope=WHOLE_SCOPE, chunks=index.chunks)


def test_every_system_is_measured_over_all_questions(data, parts, index):
    questions = [*data.questions, *withhold(data.questions)]
    reports = {
        system.name: SystemReport.of(run(system, index, questions))
        for system in systems(index, parts, "megamem", "bm25", "dense", "hybrid")
    }
    for name, one in reports.items():
        assert one.metrics["document_recall_at_5"].value == 1, name
        assert one.metrics["evidence_recall"].value == 1, name
        assert one.metrics["first_document_right"].value == 1, name
        assert one.metrics["failed"].value == 0
        assert list(one.by_type) == ["lookup", "follow_up", "unanswerable", "withheld"]
    product = reports["megamem"].metrics
    assert product["verbatim_share"].value == 1
    assert product["abstained_answerable"].value == 0
    assert product["retrieval_ms_p50"].value == 3
    assert reports["bm25"].metrics["abstained_unanswerable"].n == 0
    report = Report("handbook", len(questions), 2, reports)
    assert "megamem" in report.as_text()


def test_withheld_documents_are_out_of_every_systems_scope(data, parts, index):
    again = withhold(data.questions)
    for system in systems(index, parts, "megamem", "bm25", "dense", "hybrid"):
        for result in run(system, index, again):
            assert not result.question.withheld & set(result.response.ranking)


def test_the_product_gets_the_history_and_a_warm_up(data, parts, index):
    pipeline = FirstDocument(index)
    (system,) = systems(index, parts, "megamem", pipeline=pipeline)
    seen = []
    results = run_system(
        system,
        data.questions,
        scope=WHOLE_SCOPE,
        chunks=index.chunks,
        on_progress=seen.append,
    )
    assert [one.question.id for one in results] == ["h1", "h2", "u1"]
    assert [one.text for one in pipeline.asked] == [
        QUESTIONS[0]["question"],
        *(one["question"] for one in QUESTIONS),
    ]
    assert pipeline.asked[2].history == (Turn("user", "Is lunch free?"),)
    assert seen == [1, 2, 3]


def test_a_second_run_builds_nothing(data, parts, index, tmp_path):
    assert index.built == 3
    embedded = parts.embedder.embedded
    again = open_index(data, parts, tmp_path / "evaluation")
    assert again.built == 0
    assert again.chunks == index.chunks
    assert parts.embedder.embedded == embedded


def test_a_build_that_was_cut_short_goes_on(data, parts, index, tmp_path):
    folder = tmp_path / "evaluation" / index.key
    (folder / "complete.json").unlink()
    removed = data.documents[0]
    del index.store.documents[removed.id]
    embedded = parts.embedder.embedded
    again = open_index(data, parts, tmp_path / "evaluation")
    assert again.built == 3
    assert len(again.chunks) == 3
    # What was stored already keeps its vectors.
    assert parts.embedder.embedded == embedded + 1


def test_an_index_is_named_by_all_that_it_is_made_of(data, parts, tmp_path):
    other = IndexParts(Chunker(max_tokens=200), None, parts.embedder, ListStore.open)
    assert parts.key(data) != other.key(data)
    assert parts.key(data) == parts.key(data)


def test_a_rebuild_starts_from_an_empty_folder(data, parts, index, tmp_path):
    rest = tmp_path / "evaluation" / index.key / "rest"
    rest.write_text("x")
    again = open_index(data, parts, tmp_path / "evaluation", rebuild=True)
    assert again.built == 3
    assert not rest.exists()


def test_a_data_set_without_text_is_refused(data, parts, tmp_path):
    with pytest.raises(DataSetError, match="no text to search"):
        open_index(replace(data, documents=()), parts, tmp_path / "none")


def test_batches_hold_documents_up_to_a_size():
    pages = [make_document(str(size), "x" * size) for size in (5, 4, 20, 1)]
    sizes = [
        [len(one.content.text) for one in batch]
        for batch in batches(pages, characters=9)
    ]
    assert sizes == [[5, 4], [20], [1]]


class Broken:
    """A store that is down."""

    name = "bm25"

    def respond(self, question):
        raise StoreError("The store is down.")


def test_a_failing_baseline_is_a_failure_and_not_an_exception(data, index):
    results = run(Broken(), index, data.questions)
    assert SystemReport.of(results).metrics["failed"].value == 1
    assert SystemReport.of(results).metrics["abstained_answerable"].n == 0
    assert results[0].response.fallbacks == ("The store is down.",)


def test_each_question_can_be_read_with_every_systems_result(data, parts, index):
    chosen = systems(index, parts, "megamem", "bm25")
    results = {one.name: run(one, index, data.questions) for one in chosen}
    names = {page.id: page.external_id for page in data.documents}
    lines = list(question_lines(results, index.chunks, names))
    json.dumps(lines)
    assert [line["id"] for line in lines] == ["h1", "h2", "u1"]
    product = lines[0]["systems"]["megamem"]
    assert lines[0]["needed"] == [["laptops.md"]]
    assert product["outcome"] == "answered"
    assert product["linked"] == ["laptops.md"]
    assert product["gold_found"] == [True]
    assert lines[0]["systems"]["bm25"]["outcome"] is None
    assert lines[0]["systems"]["bm25"]["linked"] is None


def test_names_of_systems_are_checked():
    known = ["megamem", "megamem-no_gate"]
    assert parse_names("bm25, megamem-no_gate,bm25", known) == [
        "bm25",
        "megamem-no_gate",
    ]
    with pytest.raises(
        UnknownSystem, match="'bm26'.*Known: megamem, megamem-no_gate, bm25"
    ):
        parse_names("bm26", known)
    with pytest.raises(UnknownSystem):
        parse_names("", known)


def test_the_manifest_names_what_the_figures_depend_on(data, parts, tmp_path):
    checkout = Path(__file__).resolve().parents[3]
    manifest = make_manifest(
        data, parts, settings={"threshold": 0.5}, checkout=checkout
    )
    json.dumps(manifest)
    assert manifest["data_hash"] == data.data_hash
    assert manifest["embedder"] == "hash-32"
    assert manifest["settings"] == {"threshold": 0.5}
    assert manifest["packages"]["numpy"]
    assert manifest["machine"]["cores"] >= 1
    assert code_version(tmp_path) == {"commit": None, "changed": None}
