import json

import pytest

from memory.evaluation.datasets import EvaluationQuestion
from memory.evaluation.metrics import METRICS
from memory.evaluation.report import Report, SystemReport, write_json, write_json_lines
from memory.evaluation.responses import Response
from memory.evaluation.running import Result
from memory.evaluation.tables import Column, render_table


def result(kind, **observation):
    question = EvaluationQuestion(id="q", type=kind, text="?", answerable=True)
    return Result(question, Response((), (), 1.0, 1.0), {"failed": 0.0, **observation})


def report():
    baseline = [result("lookup", document_recall_at_5=1.0), result("table")]
    product = [
        result("lookup", document_recall_at_5=0.5, wrong_rate=0.0, total_ms=12.0),
        result("table", document_recall_at_5=1.0, wrong_rate=1.0, total_ms=14.0),
    ]
    return Report(
        dataset="handbook",
        questions=2,
        answerable=2,
        systems={
            "megamem": SystemReport.of(product),
            "bm25": SystemReport.of(baseline),
        },
        manifest={"seed": 1},
    )


def test_the_json_has_every_metric_for_each_system_and_type():
    value = json.loads(json.dumps(report().as_json(), allow_nan=False))
    assert list(value) == ["dataset", "questions", "manifest", "systems"]
    assert list(value["systems"]) == ["megamem", "bm25"]
    for system in value["systems"].values():
        assert list(system) == [*METRICS, "by_type"]
        assert list(system["by_type"]) == ["lookup", "table"]
        for metrics in (system, *system["by_type"].values()):
            for name in METRICS:
                assert list(metrics[name]) == ["value", "low", "high", "n"]
    bm25 = value["systems"]["bm25"]
    assert bm25["document_recall_at_5"] == {"value": 1, "low": 1, "high": 1, "n": 1}
    assert bm25["wrong_rate"] == {"value": None, "low": None, "high": None, "n": 0}
    by_type = value["systems"]["megamem"]["by_type"]
    assert by_type["table"]["wrong_rate"]["value"] == 1


def test_the_tables_have_systems_then_types_and_fit_a_terminal():
    text = report().as_text()
    lines = text.splitlines()
    assert lines[0] == "handbook: 2 questions, 2 of them answerable"
    assert lines[2].split() == ["system", "doc", "R@5", "wrong", "p50", "ms"]
    assert lines[4].split() == ["megamem", "0.750", "0.500", "13"]
    assert lines[5].split() == ["bm25", "1.000", "-", "-"]
    assert any(line.split()[:3] == ["table", "1", "1.000"] for line in lines)
    assert max(map(len, lines)) <= 120


def test_the_first_system_is_compared_with_each_other_question_by_question():
    lines = report().as_text().splitlines()
    at = next(i for i, line in enumerate(lines) if line.startswith("megamem less"))
    # Only the first question has the metric in both: 0.5 less 1.
    assert lines[at + 2].split(maxsplit=1) == [
        "bm25",
        "-0.500 (-0.500 to -0.500)       -        -",
    ]
    alone = Report("x", 2, 2, {"megamem": report().systems["megamem"]})
    assert "less" not in alone.as_text()


def test_a_table_aligns_names_left_and_numbers_right():
    table = render_table(
        [Column("name", left=True), Column("n")], [["a", "10"], ["bcdef", "1"]]
    )
    assert table == "name    n\n-----  --\na      10\nbcdef   1"
    assert render_table([Column("n")], []) == "n\n-"


def test_a_table_refuses_a_row_of_another_width():
    with pytest.raises(ValueError, match="zip"):
        render_table([Column("a"), Column("b")], [["1"]])


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "deep" / "report.json"
    write_json(path, {"a": 1})
    assert json.loads(path.read_text()) == {"a": 1}
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(path, {"a": float("nan")})

    def lines():
        yield {"b": 1}
        raise RuntimeError("stop")

    with pytest.raises(RuntimeError):
        write_json_lines(path, lines())
    assert json.loads(path.read_text()) == {"a": 1}
    assert [item.name for item in path.parent.iterdir()] == ["report.json"]
