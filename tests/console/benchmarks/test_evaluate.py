import io
import json

import pytest
from django.core.management import CommandError, call_command

from console.management.commands.evaluate import PIPELINES
from memory.evaluation.metrics import METRICS
from memory.systems import Parts, pipelines

pytestmark = pytest.mark.django_db


def evaluate(pages, questions, **options):
    out, err = io.StringIO(), io.StringIO()
    options = {"data": pages, "questions": questions} | options
    call_command("evaluate", "ours", stdout=out, stderr=err, **options)
    return out.getvalue()


def test_all_systems_are_measured_and_the_report_is_written(
    pages, questions, encoder, tmp_path
):
    report, lines = tmp_path / "report.json", tmp_path / "lines.jsonl"
    text = evaluate(pages, questions, json=report, per_question=lines, withhold=True)
    value = json.loads(report.read_text())
    assert value["dataset"] == "ours"
    assert value["questions"] == 3
    assert list(value["systems"]) == ["megamem", "bm25", "dense", "hybrid"]
    for system in value["systems"].values():
        assert set(system) == {*METRICS, "by_type"}
        assert set(system["by_type"]) == {"lookup", "unanswerable", "withheld"}
        assert system["document_recall_at_5"]["value"] == 1
        assert system["evidence_recall"]["value"] == 1
        assert system["failed"] == {"value": 0, "low": 0, "high": 0, "n": 3}
    assert value["systems"]["bm25"]["wrong_rate"]["n"] == 0
    assert value["manifest"]["settings"]["withheld"] == 1
    assert value["manifest"]["embedder"] == encoder.name
    asked = [json.loads(line)["id"] for line in lines.read_text().splitlines()]
    assert asked == ["h1", "u1", "h1/withheld"]
    assert "ours: 3 questions, 1 of them answerable" in text
    assert max(map(len, text.splitlines())) <= 120


def test_a_second_run_embeds_no_document(pages, questions, encoder):
    evaluate(pages, questions, systems="bm25")
    embedded = encoder.embedded
    evaluate(pages, questions, systems="bm25", limit=1)
    assert encoder.embedded == embedded > 0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (
            {"systems": "bm26"},
            "no system 'bm26'. Known: megamem, .*, bm25, dense, hybrid",
        ),
        ({"questions": None}, "no file of questions"),
    ],
)
def test_a_wrong_argument_is_told_before_anything_is_built(
    pages, questions, options, problem
):
    with pytest.raises(CommandError, match=problem):
        evaluate(pages, **({"questions": questions} | options))


def test_a_bad_line_is_told_with_its_place(pages, questions):
    questions.write_text("{}\n")
    with pytest.raises(CommandError, match=r"asked.jsonl:1: `documents` is missing"):
        evaluate(pages, questions)


def test_the_known_names_are_those_of_the_pipelines(encoder):
    assert list(PIPELINES) == list(pipelines(Parts(None, encoder)))
