"""What `./manage.py ask` spends on models is written down."""

from decimal import Decimal

import pytest
from django.core.management import call_command

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
