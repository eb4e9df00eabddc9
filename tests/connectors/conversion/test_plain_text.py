import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.conversion import convert
from connectors.conversion.converted import Warnings
from connectors.conversion.decoding import decode
from connectors.conversion.delimited import find_delimiter
from connectors.errors import ConversionError
from memory.documents import BlockKind
from tests.connectors.conversion.checks import blocks, check_content


def converted(text: str, name: str = "note.txt", encoding: str = "utf-8"):
    result = convert(text.encode(encoding), name=name)
    check_content(result.content)
    return result


def text_of(text: str, name: str = "note.txt") -> str:
    return converted(text, name).content.text


def test_wrapped_lines_are_joined_and_short_ones_kept():
    prose = "This line was wrapped by a program at about sixty characters\nand goes on here."
    address = "Example Ltd\n1 High Street\nYork"
    assert (
        text_of(f"{prose}\n\n{address}")
        == f"{prose.replace(chr(10), ' ')}\n\n{address}"
    )


def test_underlined_titles_are_headings_in_order_of_appearance():
    text = "=====\nTop\n=====\n\nPart\n----\ntext\n\nDeep\n~~~~\n\nPart 2\n------\n\n-----\n\nend"
    content = converted(text, "guide.rst").content
    assert [(s.level, s.path[-1]) for s in content.sections] == [
        (1, "Top"),
        (2, "Part"),
        (3, "Deep"),
        (2, "Part 2"),
    ]
    assert content.text.endswith("## Part 2\n\nend")


def test_typed_lists_are_items_with_depth():
    text = "Steps:\n1) call\n   the desk\n  - by phone\n2) wait\n\n> said\n> so"
    assert (
        text_of(text)
        == "Steps:\n\n1. call the desk\n  - by phone\n2. wait\n\n> said\n> so"
    )


def test_a_log_keeps_its_lines():
    lines = [f"2026-03-01 12:00:{i:02} INFO job {i} done" for i in range(60)]
    content = converted("\n".join(lines), "app.log").content
    assert content.text.replace("\n\n", "\n") == "\n".join(lines)
    assert len(content.blocks) > 1


def test_source_is_fenced_code_cut_at_blank_lines():
    source = "\n\n".join(f"def f{i}():\n    return {i}" for i in range(100))
    content = converted(source, "a.py").content
    fences = blocks(content, BlockKind.CODE)
    assert len(fences) > 1
    assert all(f.startswith("```python\ndef f") and f.endswith("\n```") for f in fences)


def test_one_long_line_is_read_whole():
    assert text_of("word " * 200_000).count("word") == 200_000


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
)
def test_unicode_is_read_in_every_encoding(encoding):
    text = "Überstunden: 36 – 48 Stunden, 10 €.\nNächste Zeile mit Text."
    assert converted(text, encoding=encoding).content.text == text
    assert converted(text, encoding=encoding).warnings == ()


def test_windows_1252_is_guessed():
    text = (
        "Die Überstunden müssen für höchstens drei Tage beantragt werden, schön.\n" * 5
    )
    assert "müssen für höchstens" in converted(text, encoding="cp1252").content.text


def test_html_says_its_encoding():
    page = '<meta charset="iso-8859-2"><p>Łódź</p>'.encode("iso-8859-2")
    assert convert(page, name="a.html").content.text == "Łódź"


def test_mixed_encodings_are_read_with_a_warning():
    data = "größer\n".encode() * 5 + "größer".encode("cp1252")
    result = convert(data, name="a.txt")
    assert result.content.text.split() == ["größer"] * 6
    [(reason, message)] = result.warnings
    assert reason == "mixed_encoding"
    assert "1 of 6 lines" in message


@pytest.mark.parametrize(
    "data",
    [
        b"a\x00\x01\x02" * 1000,
        b"\x7fELF" + bytes(range(256)) * 50,
        b"\xff\xfe" + b"\x00\xd8" * 99,
    ],
)
def test_binary_named_as_text_is_refused(data):
    with pytest.raises(ConversionError) as refusal:
        convert(data, name="a.txt")
    assert refusal.value.reason == "binary"


@given(
    st.binary(max_size=400),
    st.sampled_from(["", "utf-7", "idna", "rot13", "x", "base64"]),
)
def test_decoding_raises_nothing_else(data, declared):
    try:
        text = decode(data, Warnings(), declared=declared)
    except ConversionError:
        return
    assert "\r" not in text


@pytest.mark.parametrize(
    ("line", "delimiter"),
    [("a;b;1,5", ";"), ("a,b,c", ","), ("a\tb,c", "\t"), ("a|b|c", "|")],
)
def test_the_delimiter_is_found(line, delimiter):
    assert find_delimiter("\n".join([line] * 5)) == delimiter


def test_csv_is_a_table_with_ragged_rows_and_quoted_breaks():
    result = converted('Name;Price\n"Tea; ""green""\nleaf";1,50\nx\ny;2;3\n\n', "a.csv")
    assert result.content.text == (
        '| Name | Price |\n| Tea; "green" leaf | 1,50 |\n| x |  |\n| y | 2 | 3 |'
    )
    assert [reason for reason, _ in result.warnings] == ["ragged_rows"]


def test_csv_without_header_has_none():
    content = converted("1,2\n3,4\n", "a.csv").content
    assert {b.kind for b in content.blocks} == {BlockKind.TABLE_ROW}


def test_csv_rows_above_the_limit_are_told(monkeypatch):
    monkeypatch.setattr("connectors.conversion.delimited.MAX_ROWS", 10)
    result = converted("a,b\n" * 25, "a.csv")
    assert len(result.content.blocks) == 10
    [(reason, message)] = result.warnings
    assert reason == "row_limit"
    assert "15 rows after the first 10" in message
