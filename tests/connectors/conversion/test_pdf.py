import pytest

from connectors.conversion import convert
from connectors.conversion import pdf as pdf_module
from connectors.errors import ConversionError
from memory.documents import BlockKind
from tests.connectors.conversion import files
from tests.connectors.conversion.checks import blocks, check_content

_PROSE = [
    "The equipment policy says who gets which laptop and for how long it is kept by",
    "them. A laptop is replaced after 36 months, unless the manager agrees to some-",
    "thing else in writing.",
]


def converted(data: bytes, name: str = "a.pdf"):
    result = convert(data, name=name)
    check_content(result.content)
    return result


def reason_of(data: bytes, name: str = "a.pdf") -> str:
    with pytest.raises(ConversionError) as refusal:
        convert(data, name=name)
    return refusal.value.reason


def test_pages_are_sections_and_lines_are_joined():
    result = converted(files.pdf([_PROSE, ["Second page."]], title="Equipment"))
    assert result.content.text == (
        "# Page 1\n\n"
        + " ".join(_PROSE).replace("some- thing", "something")
        + "\n\n# Page 2\n\nSecond page."
    )
    assert [s.anchor for s in result.content.sections] == ["page=1", "page=2"]
    assert (result.title, result.kind) == ("Equipment", "pdf")
    assert result.updated_at is not None
    assert result.updated_at.tzinfo is not None


def test_bullets_are_items_and_short_lines_stand_apart():
    data = files.pdf([[*_PROSE, "• one", "• two", "3. three", "Name", "Team"]])
    content = converted(data).content
    assert blocks(content, BlockKind.LIST_ITEM) == ["- one", "- two", "3. three"]
    assert content.text.endswith("\n\nTeam")


def test_lines_that_repeat_on_most_pages_are_left_out():
    data = files.pdf(
        [[f"Chapter {'abcd'[i]} text."] for i in range(4)], running="ACME secret"
    )
    text = converted(data).content.text
    assert "ACME" not in text
    assert "of 4" not in text
    assert "Chapter c text." in text


def test_the_outline_gives_headings_and_pages_stay_reachable():
    data = files.pdf(
        [["Rules", "All rules."], ["Go on."], ["Leave", "All leave."]],
        outline=[("Rules", 1, 0), ("Leave", 3, 1)],
    )
    content = converted(data).content
    assert [(s.path, s.anchor) for s in content.sections] == [
        (("Rules",), "page=1"),
        (("Rules", "Page 2"), "page=2"),
        (("Rules", "Leave"), "page=3"),
    ]


def test_a_password_is_named():
    assert reason_of(files.encrypted_pdf()) == "password_protected"


def test_scanned_pages_are_named():
    with pytest.raises(ConversionError, match="images only") as refusal:
        convert(files.pdf([[], []]), name="scan.pdf")
    assert refusal.value.reason == "no_text"


def test_some_pages_without_text_are_a_warning_with_their_numbers():
    result = converted(files.pdf([["Text here."], [], ["More."], []]))
    [(reason, message)] = result.warnings
    assert reason == "pages_without_text"
    assert "2 of 4 pages" in message
    assert message.endswith("2, 4.")


def test_a_damaged_pdf_is_named():
    assert reason_of(b"%PDF-1.7\n" + b"junk " * 100) == "damaged"
    assert reason_of(b"no pdf at all") == "damaged"


def test_pages_above_the_limit_are_told(monkeypatch):
    monkeypatch.setattr(pdf_module, "MAX_PAGES", 2)
    result = converted(files.pdf([["One."], ["Two."], ["Three."]]))
    assert [reason for reason, _ in result.warnings] == ["page_limit"]


def test_a_pdf_named_as_text_is_read_as_pdf():
    assert converted(files.pdf([["Hello."]]), "a.txt").kind == "pdf"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("D:20260301123000+01'00'", "2026-03-01T12:30:00+01:00"),
        ("D:2026", "2026-01-01T00:00:00+00:00"),
        ("D:20261399", None),
        ("nonsense", None),
        ("", None),
    ],
)
def test_pdf_dates_are_read(value, shown):
    moment = pdf_module._date(value)
    assert (moment.isoformat() if moment else None) == shown
