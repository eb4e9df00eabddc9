"""The demo whole: sources, syncs and answers in a process of its own."""

import pytest

from console.demonstration import QUESTIONS
from memory.documents import ABSTENTION

pytestmark = [pytest.mark.model, pytest.mark.integration]


def test_the_demo_answers_two_questions_and_abstains_from_the_third(manage):
    done = manage("demo", "--no-serve")
    assert done.returncode == 0, done.stderr
    parts = [part.split("\n", 1) for part in done.stdout.split("Question: ")[1:]]
    assert [question for question, _answer in parts] == list(QUESTIONS)
    monitor, price, founding = (answer for _question, answer in parts)
    assert "expenses tool" in monitor
    assert "Expenses policy" in monitor
    assert "14 euros" in price
    assert "22 euros" not in price.split("Price sheet")[0]
    assert ABSTENTION in founding
    again = manage("demo", "--no-serve")
    assert again.returncode == 0
    assert "0 indexed" in again.stdout
