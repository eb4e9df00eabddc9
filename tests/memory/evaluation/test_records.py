import json
import lzma

import pytest

from memory.errors import DataSetError
from memory.evaluation.records import Record, hash_file, read_json, read_jsonl


def record(**values):
    return Record(values, "q.jsonl:7")


def test_it_reads_plain_and_packed_lines_and_skips_blank_ones(tmp_path):
    text = '{"a": 1}\n\n  \n{"a": 2}\n'
    plain, packed = tmp_path / "a.jsonl", tmp_path / "a.jsonl.xz"
    plain.write_text(text, encoding="utf-8")
    packed.write_bytes(lzma.compress(text.encode()))
    for path in (plain, packed):
        read = list(read_jsonl(path))
        assert [item.values for item in read] == [{"a": 1}, {"a": 2}]
        assert read[1].place == f"{path}:4"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "not JSON"),
        ("[1]", "must be an object, not a list"),
        ("null", "must be an object, not null"),
        ('"x"', "must be an object, not a string"),
        ("1", "must be an object, not a number"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_line_is_named_with_its_file_and_number(tmp_path, line, problem):
    path = tmp_path / "q.jsonl"
    path.write_text('{"a": 1}\n' + line, encoding="utf-8")
    with pytest.raises(DataSetError, match=f"q.jsonl:2: {problem}"):
        list(read_jsonl(path))


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(DataSetError, match=r"none.jsonl: can't be read"):
        list(read_jsonl(tmp_path / "none.jsonl"))
    with pytest.raises(DataSetError, match=r"none.json: can't be read"):
        read_json(tmp_path / "none.json")
    with pytest.raises(DataSetError, match="can't be read"):
        hash_file(tmp_path)
    for name, data in (("a.jsonl", b"\xff\xfe"), ("a.jsonl.xz", b"no xz")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(DataSetError, match=name):
            list(read_jsonl(tmp_path / name))
    (tmp_path / "a.json").write_bytes(b"\xff")
    with pytest.raises(DataSetError, match="not UTF-8"):
        read_json(tmp_path / "a.json")


@pytest.mark.parametrize(
    ("read", "problem"),
    [
        (lambda: record().text("id"), "`id` is missing"),
        (lambda: record(id=3).text("id"), "`id` must be a string, not a number"),
        (lambda: record(id=" ").text("id"), "`id` is blank"),
        (lambda: record(n=True).number("n"), "must be a whole number"),
        (lambda: record(n=-1).number("n"), "must be a whole number"),
        (lambda: record(n="1").number("n"), "must be a whole number"),
        (lambda: record(x="a").items("x"), "`x` must be a list, not a string"),
        (lambda: record(x=None).items("x"), "must be a list, not null"),
        (lambda: record().items("x", required=True), "`x` is missing"),
        (lambda: record(x=[""]).texts("x"), "must hold strings that are not blank"),
        (lambda: record(x=[1]).texts("x"), "must hold strings"),
        (lambda: record(x=["a"]).records("x"), "`x` must hold objects"),
        (lambda: record(x=[{}]).records("x")[0].text("y"), r"x\[0\]: `y` is missing"),
    ],
)
def test_a_wrong_value_is_named_with_its_place(read, problem):
    with pytest.raises(DataSetError, match=f"^q.jsonl:7.*{problem}"):
        read()


def test_absent_optional_values_are_empty():
    assert record().items("x") == record().texts("x") == record().records("x") == []
    assert record().text("x", default="") == ""
    assert record(x="").text("x", default="-") == ""


def test_one_object_of_a_file_is_read(tmp_path):
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"qa": []}), encoding="utf-8")
    assert read_json(path).items("qa", required=True) == []
