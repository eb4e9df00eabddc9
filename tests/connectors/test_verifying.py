"""SQL and the store compared, and mended."""

import uuid
from dataclasses import replace

import pytest

from connectors.models import Document
from connectors.syncing import Control, run_sync
from connectors.verifying import Kind, mend, verify
from memory.access import ANYONE, Status
from memory.documents import View
from tests.connectors.worlds import COMPLETE, DictStore, index_of


class Inventoried(DictStore):
    """A dict store that tells what it holds."""

    def inventory(self, view):
        for properties, chunks, memories, _ in list(self.held.values()):
            for id_ in chunks if view is View.CHUNKS else memories:
                yield id_, properties


@pytest.fixture
def filled(world):
    world.store = Inventoried()
    world.sync(*world.upserts("a", "b", "c"), COMPLETE)
    return world


def kinds(world):
    return {(item.kind, item.name) for item in verify(world.store).differences}


def change(world, name, **values):
    id_ = world.row(name).id
    properties, *rest = world.store.held[id_]
    world.store.held[id_] = (replace(properties, **values), *rest)


def lose(world):
    world.store.held.pop(world.row("a").id)


def forget(world):
    world.row("a").delete()


def hide(world):
    Document.objects.filter(external_id="a").update(state="skipped")


def open_up(world):
    change(world, "a", tokens=frozenset({ANYONE}))


def archive(world):
    change(world, "a", status=Status.ARCHIVED)


def rename(world):
    change(world, "a", url="https://elsewhere.example/")


def miscount(world):
    Document.objects.filter(external_id="a").update(chunk_count=7)


def misremember(world):
    Document.objects.filter(external_id="a").update(memory_count=7)


FAULTS = [
    (lose, Kind.MISSING),
    (forget, Kind.UNKNOWN),
    (hide, Kind.UNKNOWN),
    (open_up, Kind.ACCESS),
    (archive, Kind.STATUS),
    (rename, Kind.PROPERTIES),
    (miscount, Kind.CHUNKS),
    (misremember, Kind.MEMORIES),
]


def test_what_agrees_has_no_difference(filled):
    verdict = verify(filled.store)
    assert verdict.differences == []
    assert (verdict.documents, verdict.chunks) == (3, 3)


@pytest.mark.parametrize(("fault", "kind"), FAULTS)
def test_each_fault_is_found_and_mended_from_the_text_that_sql_keeps(
    filled, fault, kind
):
    fault(filled)
    verdict = verify(filled.store)
    [difference] = verdict.differences
    assert difference.kind is kind
    assert mend(verdict, filled.store) == 1
    index = index_of(filled.store, filled.embedder, filled.extractor)
    last = filled.source.last_success_at
    run_sync(filled.source, None, index, Control())
    assert verify(filled.store).differences == []
    assert filled.source.last_success_at == last
    lost = fault in (forget, hide)
    assert len(filled.store.held) == (2 if lost else 3)


def test_what_waits_for_a_repair_is_told(filled):
    Document.objects.filter(external_id="a").update(needs_repair=True)
    assert {kind for kind, _ in kinds(filled)} == {Kind.WAITING}


def test_what_a_sync_adds_between_the_two_looks_is_no_difference(filled):
    class Syncing(Inventoried):
        def inventory(self, view):
            if view is View.MEMORIES:
                filled.sync(*filled.upserts("a", "b", "c", "new"), COMPLETE)
            yield from super().inventory(view)

    held = filled.store.held
    filled.store = Syncing()
    filled.store.held = held
    assert kinds(filled) == set()


def test_mending_never_deletes_a_document_that_came_back(filled):
    forget(filled)
    verdict = verify(filled.store)
    filled.sync(*filled.upserts("a", "b", "c"), COMPLETE)
    mend(verdict, filled.store)
    assert "a" in filled.store.texts()


def test_the_removal_of_thousands_is_queued_in_parts(filled):
    gone = next(iter(filled.store.held.values()))
    for _ in range(1200):
        id_ = uuid.uuid4()
        filled.store.held[id_] = (replace(gone[0], document_id=id_), *gone[1:])
    mend(verify(filled.store), filled.store)
    assert len(filled.store.held) == 3
    assert verify(filled.store).differences == []
