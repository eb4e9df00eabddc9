"""What commands spend on models is written down."""

from decimal import Decimal

import pytest
from django.core.management import CommandError, call_command

from console.management.commands import evaluate
from memory.errors import AttestError
from memory.language_models.base import Call, Role
from memory.language_models.ledger import record
from memory.models import Spend
from tests.bots.worlds import abstained

pytestmark = pytest.mark.django_db


class Spending:
    """A runtime and a pipeline whose question costs a cent."""

    def pipeline(self, authority, *, name):
        return self

    def ask(self, question):
        record(Call(Role.ANSWER, "m", 10, 2, Decimal("0.01"), 3.6, "ok"))
        return abstained()


def test_a_question_of_the_terminal_is_paid_for_too(monkeypatch, capsys):
    monkeypatch.setattr("memory.runtime.runtime", Spending)
    call_command("ask", "How old?")
    row = Spend.objects.get()
    assert (row.role, row.cost) == ("answer", Decimal("0.01"))
    assert (row.source_id, row.exchange_id) == (None, None)


def test_an_evaluation_is_paid_for_also_where_it_fails(monkeypatch):
    def broken(self, options):
        record(Call(Role.JUDGE, "m", 10, 2, None, 3.6, "ok"))
        raise AttestError("The data set is gone.")

    monkeypatch.setattr(evaluate.Command, "_evaluate", broken)
    with pytest.raises(CommandError, match="gone"):
        call_command("evaluate", "handbook", data=".", questions="q")
    assert [(row.role, row.cost) for row in Spend.objects.all()] == [("judge", None)]
