"""Cutting evidence into units: what each is, what it needs, and nothing altered."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.answering.units import Kind, units_of
from tests.memory.answering_examples import card

ODD_LINES = st.lists(
    st.sampled_from(
        [
            "# A",
            "## B",
            "- a",
            "  - b:",
            "1. c?",
            "| x | y |",
            "|---|---|",
            "```",
            "> q",
        ]
        + ["", " ", "This it. Why? So:", "Text here.", "é 。", "a) b", "|", "-", "#"]
    )
).map("\n".join)


def kinds(text):
    return [(unit.kind, unit.text) for unit in units_of(0, card(text))]


def test_paragraphs_lists_tables_and_code_become_units_and_headings_do_not():
    text = (
        "# Laptops\nYou get one. It lasts.\n\nTo order:\n\n1. Ask\n2. Wait\n\n"
        "| Team | Months |\n|---|---|\n| Sales | 36 |\n\n```\nmake it\n```"
    )
    assert kinds(text) == [
        (Kind.SENTENCE, "You get one."),
        (Kind.SENTENCE, "It lasts."),
        (Kind.LEAD, "To order:"),
        (Kind.ITEM, "1. Ask"),
        (Kind.ITEM, "2. Wait"),
        (Kind.HEADER, "| Team | Months |"),
        (Kind.HEADER, "|---|---|"),
        (Kind.ROW, "| Sales | 36 |"),
        (Kind.CODE, "```\nmake it\n```"),
    ]


def test_a_row_needs_its_header_and_an_item_its_lead_in():
    text = "Steps:\n\n1. Ask\n2. Wait\n\n| Team | Months |\n| Sales | 36 |"
    units = units_of(0, card(text))
    assert [unit.needs for unit in units] == [(), (0,), (0,), (), (3,)]


def test_a_nested_item_needs_its_parent():
    units = units_of(0, card("- Outer\n  - Inner\n- Next"))
    assert [(unit.text, unit.needs) for unit in units] == [
        ("- Outer", ()),
        ("- Inner", (0,)),
        ("- Next", ()),
    ]


def test_a_sentence_that_points_back_needs_the_one_before():
    units = units_of(0, card("The cap is 300 USD. It includes taxes. Meals are extra."))
    assert [unit.needs for unit in units] == [(), (0,), ()]


def test_a_sentence_that_points_back_to_nothing_is_dangling():
    (unit,) = units_of(0, card("However, it does not apply."))
    assert unit.is_dangling


def test_what_follows_a_question_of_the_text_stands_under_it():
    units = units_of(0, card("Is parking paid?\n\nYes, up to 20 USD."))
    assert [unit.kind for unit in units] == [Kind.QUESTION, Kind.SENTENCE]
    assert "Is parking paid?" in units[1].context


def test_the_context_is_the_nearest_headings():
    text = "## Hotels\nCheap ones.\n\n## Trains\nFirst class.\n\n### Night\nNever."
    units = units_of(0, card(text, heading="Travel"))
    assert [unit.context for unit in units] == [
        "Travel / Hotels",
        "Travel / Trains",
        "Trains / Night",
    ]


@given(ODD_LINES)
def test_units_are_verbatim_ordered_and_disjoint(text):
    at = 0
    for index, unit in enumerate(units_of(3, card(text))):
        assert unit.key == (3, index)
        assert unit.text == text[unit.start : unit.end]
        assert at <= unit.start < unit.end
        assert all(need < index for need in unit.needs)
        at = unit.end
