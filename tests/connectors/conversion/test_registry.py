import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from connectors.conversion import MAX_BYTES, SUPPORTED, convert
from connectors.conversion.converted import aware, title_from_name
from connectors.errors import ConversionError
from tests.connectors.conversion import files
from tests.connectors.conversion.checks import check_content

REASONS = {
    "empty",
    "binary",
    "damaged",
    "no_text",
    "password_protected",
    "too_large",
    "unsupported",
}
_NAMES = [f"folder/some file{ending}" for ending in sorted(SUPPORTED)] + [
    "README",
    "a.exe",
]
_MAIL = (
    b"Subject: =?utf-8?q?a=C3=BC?=\nFrom: a <a@b.c>\nDate: Sun, 01 Mar 2026 12:30:00 +0100\n"
    b'Content-Type: multipart/mixed; boundary="b"\n\n--b\nContent-Type: text/plain; '
    b"charset=utf-8\nContent-Transfer-Encoding: base64\n\naGVsbG8gYWxs\n--b\n"
    b'Content-Type: text/html\nContent-Disposition: attachment; filename="a.html"\n\n'
    b"<p>x</p>\n--b--\n"
)
VALID = {
    "a.md": b"---\ntitle: x\n---\n# A\n\n| a | b |\n|---|---|\n| 1 | <li>2 |\n\n1. x\n   - y\n",
    "a.html": b"<h1 id=a>A</h1><table><tr><td rowspan=2>b<td>c</table><ol><li>x<dl><dt>y</ol>",
    "a.txt": "Zeile über\n=====\n- a\n  - b\n> c\n".encode(),
    "a.csv": b'a;b\n"1;2";3\n',
    "a.eml": _MAIL,
    "a.pdf": files.pdf(
        [["Rules of leave"], ["More"]], outline=[("Rules of leave", 1, 0)]
    ),
    "a.docx": files.word(lambda d: (d.add_heading("A", 1), d.add_table(2, 2))),
    "a.pptx": files.slides(),
    "a.xlsx": files.workbook(),
}


def check_only_conversion_errors(data: bytes, name: str) -> None:
    refusal: ConversionError | None = None
    try:
        result = convert(data, name=name)
    except ConversionError as error:
        refusal = error
    if refusal is not None:
        assert refusal.reason in REASONS
        assert str(refusal)
        return
    check_content(result.content)
    result.content.text.encode()
    assert result.title
    assert result.updated_at is None or result.updated_at.tzinfo is not None


@given(st.binary(max_size=300), st.sampled_from(_NAMES))
def test_random_bytes_raise_nothing_else(data, name):
    check_only_conversion_errors(data, name)


@given(st.text(max_size=300), st.sampled_from(_NAMES))
def test_random_text_raises_nothing_else(text, name):
    check_only_conversion_errors(text.encode("utf-8", "replace"), name)


@given(
    st.lists(
        st.sampled_from(
            [
                "<table>",
                "<tr>",
                "<td>",
                "<td\tcolspan=3>",
                "</table>",
                "<li>",
                "<ol\tstart=0>",
                "</ol>",
                "<p>",
                "</p>",
                "<h1>",
                "<h2\tid=x>",
                "</h2>",
                "<dl>",
                "<dt>",
                "<dd>",
                "<pre>",
                "</pre>",
                "<a\thref=x>",
                "</a>",
                "<br>",
                "text",
                "a|b",
                "#",
                "-",
                ">",
                "<nav>",
                "</nav>",
                "<div>",
                "</div>",
                "<blockquote>",
                "</blockquote>",
                "<header>",
                "<th>",
                "<svg>",
                "<q>",
                "<s>",
            ]
        ),
        max_size=25,
    ),
    st.sampled_from(["a.html", "a.md"]),
    st.sampled_from(["", "\n", "\n\n"]),
)
def test_tag_soup_keeps_the_invariants(pieces, name, glue):
    check_only_conversion_errors(glue.join(pieces).replace("\t", " ").encode(), name)


@pytest.mark.parametrize("name", VALID)
def test_valid_files_are_read_and_damaged_copies_raise_nothing_else(name):
    data = VALID[name]
    check_content(convert(data, name=name).content)
    dice = random.Random(name)
    for _ in range(40):
        copy = bytearray(data)
        for _ in range(dice.randint(1, 8)):
            at = dice.randrange(len(copy))
            action = dice.randrange(3)
            if action == 0:
                copy[at] = dice.randrange(256)
            elif action == 1:
                del copy[at : at + dice.randrange(1, 40)]
            else:
                copy[at:at] = copy[: dice.randrange(60)]
            if not copy:
                break
        check_only_conversion_errors(bytes(copy), name)


@pytest.mark.parametrize(
    "inner", ["word/document.xml", "word/styles.xml", "word/numbering.xml"]
)
def test_damaged_parts_of_whole_archives_raise_nothing_else(inner):
    dice = random.Random(inner)
    source = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    for content in (b"", b"<a/>", b"\xff\xfe", source, source + b"</w:document>"):
        check_only_conversion_errors(
            files.with_member(VALID["a.docx"], inner, content + dice.randbytes(0)),
            "a.docx",
        )


@pytest.mark.parametrize("data", [b"", b"  \n\t ", b"\x00" * 50, b"\xef\xbb\xbf \n"])
@pytest.mark.parametrize(
    "name", ["a.md", "a.pdf", "a.docx", "a.txt", "a.csv", "a.eml", "a"]
)
def test_nothing_is_empty(data, name):
    with pytest.raises(ConversionError) as refusal:
        convert(data, name=name)
    assert refusal.value.reason == "empty"


def test_a_file_above_the_limit_is_refused_with_its_numbers():
    with pytest.raises(ConversionError, match="100,000,001 bytes") as refusal:
        convert(b"x" * (MAX_BYTES + 1), name="big.log")
    assert refusal.value.reason == "too_large"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a.exe", "unsupported"),
        ("a.zip", "unsupported"),
        ("a.png", "unsupported"),
        ("a.odt", "unsupported"),
    ],
)
def test_other_kinds_are_unsupported(name, reason):
    with pytest.raises(ConversionError) as refusal:
        convert(b"some bytes", name=name)
    assert refusal.value.reason == reason


def test_a_page_named_as_text_is_read_as_html():
    assert convert(b"<!DOCTYPE html><p>a<b>b</b>", name="a.txt").content.text == "ab"


@pytest.mark.parametrize("name", ["README", "notes.2", "LICENSE"])
def test_a_name_without_extension_is_text(name):
    assert convert(b"plain", name=name).kind == "text"


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("a/b-c_d.txt", "B c d"),
        ("x\\y.md", "Y"),
        ("naïve\n'quote'.md", "Naïve 'quote'"),
        ("---.md", "---.md"),
        ("x" * 400, "X" + "x" * 298 + "…"),
    ],
)
def test_a_title_is_made_from_the_name(name, title):
    assert title_from_name(name) == title


@given(
    st.one_of(
        st.text(max_size=40), st.integers(), st.dates(), st.datetimes(), st.none()
    )
)
def test_a_date_is_aware_or_none(value):
    moment = aware(value)
    assert moment is None or moment.tzinfo is not None
