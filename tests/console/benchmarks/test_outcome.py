import json
from pathlib import Path

from console.benchmarks.outcome import Outcome, resident_mb
from memory.evaluation.tables import Column


def test_an_outcome_tells_machine_table_and_ratio(tmp_path):
    outcome = Outcome(
        name="build",
        columns=[Column("", left=True), Column("seconds")],
        rows=[["first sync", "12.50"]],
        ratio=1.25,
        baseline="first sync to bare encoder",
        figures={"sync_s": 12.5},
    )
    lines = outcome.as_text().splitlines()
    assert lines[0].startswith("bench build: ")
    assert "cores" in lines[0]
    assert "first sync    12.50" in lines
    assert lines[-1] == "Ratio 1.25: first sync to bare encoder."
    value = json.loads(json.dumps(outcome.as_json(tmp_path)))
    assert value["ratio"] == 1.25
    assert value["figures"] == {"sync_s": 12.5}
    assert value["machine"]["cores"] >= 1


def test_resident_memory_is_in_megabytes():
    memory = resident_mb()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    assert abs(memory["now"] - pages * 4096 / 1e6) < memory["now"] / 10
    assert memory["most"] >= memory["now"]
