"""`./manage.py rebuild`: everything that answers is built again by a sync."""

from uuid import uuid4

import pytest
from django.core.management import call_command

from connectors.models import Document, Source
from console.management.commands import rebuild

pytestmark = pytest.mark.django_db


@pytest.fixture
def synced(monkeypatch):
    """Record the sources that are synced; those in `failing` fail."""

    def call(_command, name, **_options):
        call.names.append(name)
        if name in call.failing:
            raise SystemExit(1)

    call.names, call.failing = [], set()
    monkeypatch.setattr(rebuild, "call_command", call)
    return call


@pytest.fixture
def sources():
    made = []
    for name in ("Archive", "Wiki"):
        source = Source.objects.create(kind="files", name=name)
        for state in ("indexed", "held", "failed", "removed"):
            Document.objects.create(
                id=uuid4(), source=source, external_id=state, state=state
            )
        made.append(source)
    return made


def marked():
    rows = Document.objects.filter(needs_repair=True)
    return sorted(rows.values_list("source__name", "state"))


def test_every_document_that_answers_is_built_again(synced, sources):
    call_command("rebuild")
    assert synced.names == ["Archive", "Wiki"]
    assert marked() == [
        ("Archive", "held"),
        ("Archive", "indexed"),
        ("Wiki", "held"),
        ("Wiki", "indexed"),
    ]


def test_one_source_can_be_built_alone(synced, sources):
    call_command("rebuild", "Wiki")
    assert synced.names == ["Wiki"]
    assert {name for name, _state in marked()} == {"Wiki"}


def test_a_source_that_fails_does_not_stop_the_next_but_the_command(synced, sources):
    synced.failing = {"Archive"}
    with pytest.raises(SystemExit) as caught:
        call_command("rebuild")
    assert caught.value.code == 1
    assert synced.names == ["Archive", "Wiki"]
