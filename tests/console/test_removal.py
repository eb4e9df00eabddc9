"""console.removal: a source leaves answers, store and database."""

from uuid import uuid4

import pytest
from django.utils import timezone

from connectors.errors import AlreadySyncing
from connectors.models import Document, Source
from connectors.syncing_lease import acquire
from console.removal import remove_source
from memory.errors import StoreError

pytestmark = pytest.mark.django_db


class Store:
    """Records deletions; breaks at the document that `breaks_at` names."""

    def __init__(self, breaks_at=None):
        self.deleted, self.breaks_at, self.optimized = [], breaks_at, 0
        self.commits = 0

    def delete_documents(self, document_ids):
        if self.breaks_at in document_ids:
            raise StoreError("The store is gone.")
        self.commits += 1
        self.deleted.extend(document_ids)

    def optimize(self):
        self.optimized += 1


@pytest.fixture
def source():
    source = Source.objects.create(kind="files", name="Old wiki")
    for number in range(3):
        Document.objects.create(
            id=uuid4(),
            source=source,
            external_id=f"{number}.md",
            state=Document.State.INDEXED,
        )
    return source


def test_it_leaves_store_and_database(source):
    ids = set(source.documents.values_list("id", flat=True))
    other = Source.objects.create(kind="files", name="Other")
    store = Store()
    assert remove_source(source, store) == 3
    assert set(store.deleted) == ids
    assert (store.commits, store.optimized) == (1, 1)
    assert not Document.objects.exists()
    assert list(Source.objects.all()) == [other]


def test_cut_short_it_answers_no_more_and_can_be_finished(source):
    last = source.documents.values_list("id", flat=True).last()
    with pytest.raises(StoreError):
        remove_source(source, Store(breaks_at=last))
    source.refresh_from_db()
    assert source.state == Source.State.PAUSED
    assert not source.documents.filter(state__in=Document.ANSWERING).exists()
    [run] = source.runs.all()
    assert (run.state, run.message) == ("failed", "The store is gone.")
    assert run.finished_at is not None
    assert remove_source(source, Store()) == 3
    assert not Source.objects.exists()


def test_a_source_that_is_syncing_is_left_alone(source):
    acquire(source, timezone.now)
    with pytest.raises(AlreadySyncing):
        remove_source(source, Store())
    assert source.documents.filter(state=Document.State.INDEXED).count() == 3
