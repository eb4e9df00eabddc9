"""Of two pieces that differ in their numbers, the newer document's comes first."""

from dataclasses import replace
from datetime import UTC, datetime
from uuid import UUID

import pytest

from memory.answering.conflict import differ, newest_first
from memory.answering.units import units_of
from memory.documents import Evidence

TWO = "Employees may work from home on up to two days a week."
THREE = "Employees may work from home on up to three days a week."
OLD = "Laptops are replaced after 48 months."
NEW = "Laptops are replaced after 36 months."


def evidence(*texts):
    """Return a card a text, each of a document that's a year younger."""
    return [
        Evidence(
            UUID(int=n),
            UUID(int=100 + n),
            "",
            text,
            9,
            updated_at=datetime(2024 + n, 3, 1, tzinfo=UTC),
        )
        for n, text in enumerate(texts)
    ]


def order(cards):
    units = [unit for n, item in enumerate(cards) for unit in units_of(n, item)]
    return [unit.text for unit in newest_first(units, cards)]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (TWO, THREE, True),
        (OLD, NEW, True),
        (TWO, TWO, False),
        (TWO, NEW, False),
        (TWO, "Employees may work from home.", False),
        ("", "", False),
    ],
)
def test_pieces_differ_when_the_same_words_have_other_numbers(one, other, expected):
    assert differ(one, other) is expected
    assert differ(other, one) is expected


def test_the_newer_one_comes_first():
    assert order(evidence(TWO, THREE)) == [THREE, TWO]
    assert order(evidence(THREE, TWO)) == [TWO, THREE]


def test_the_rest_stays_where_it_is():
    other = "The office is open until 18:00."
    assert order(evidence(TWO, other, THREE)) == [THREE, other, TWO]


def test_without_dates_or_within_one_document_nothing_is_moved():
    cards = evidence(TWO, THREE)
    undated = [replace(cards[0], updated_at=None), cards[1]]
    assert order(undated) == [TWO, THREE]
    same = [cards[0], replace(cards[1], document_id=cards[0].document_id)]
    assert order(same) == [TWO, THREE]
