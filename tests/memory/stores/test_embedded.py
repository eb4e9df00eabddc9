import json
import subprocess
import sys

import numpy as np
import pytest

from memory.access import WORKSPACE_SCOPE
from memory.documents import View
from memory.errors import StoreDamaged, StoreError, StoreMismatch
from memory.stores import embedded
from memory.stores.embedded import EmbeddedStore
from memory.stores.embedded_meta import store_errors
from memory.stores.embedded_place import EmbeddedPlace
from tests.contracts.corpus import DIMENSIONS, document
from tests.contracts.store import StoreContract
from tests.contracts.store_place import PlaceContract


class TestEmbeddedStore(StoreContract):
    def make_store(self, folder):
        return EmbeddedStore(folder, "fake", DIMENSIONS)


class TestEmbeddedPlace(PlaceContract):
    def make_place(self, folder, embedder="fake", dimensions=DIMENSIONS):
        return EmbeddedPlace(folder, embedder, dimensions, grace_s=0)


def test_another_model_is_refused_with_the_mend(tmp_path):
    EmbeddedStore(tmp_path, "all-MiniLM-L6-v2/512/bf16", 384)
    with pytest.raises(StoreMismatch, match="bf16.*fp32.*rebuild"):
        EmbeddedStore(tmp_path, "all-MiniLM-L6-v2/512/fp32", 384)
    with pytest.raises(StoreMismatch, match="384 dimensions.*16 dimensions"):
        EmbeddedStore(tmp_path, "all-MiniLM-L6-v2/512/bf16", 16)


def test_another_schema_is_refused(tmp_path):
    EmbeddedStore(tmp_path, "fake", 16)
    note = tmp_path / "store.json"
    note.write_text(json.dumps({**json.loads(note.read_text()), "schema": 0}))
    with pytest.raises(StoreMismatch, match="schema 0"):
        EmbeddedStore(tmp_path, "fake", 16)


def test_an_unreadable_note_is_a_store_error(tmp_path):
    (tmp_path / "store.json").write_text("{")
    with pytest.raises(StoreDamaged, match="can't be used.*delete.*rebuild"):
        EmbeddedStore(tmp_path, "fake", 16)


@pytest.mark.parametrize("garbage", [b"", b"garbage" * 500], ids=["empty", "garbage"])
def test_a_damaged_file_is_told_from_a_store_that_is_away(tmp_path, garbage):
    EmbeddedStore(tmp_path, "fake", DIMENSIONS).replace_documents([document("a", "b")])
    for file in (tmp_path / "objects.lance" / "data").iterdir():
        file.write_bytes(garbage)
    damaged = EmbeddedStore(tmp_path, "fake", DIMENSIONS)
    vector = np.eye(DIMENSIONS, dtype=np.float32)[0]
    for read in (
        lambda: damaged.nearest(View.CHUNKS, vector, 3, WORKSPACE_SCOPE),
        lambda: damaged.keyword(View.CHUNKS, "b", 3, WORKSPACE_SCOPE),
        lambda: list(damaged.inventory(View.CHUNKS)),
    ):
        with pytest.raises(StoreDamaged, match="delete the folder.*manage.py rebuild"):
            read()


def test_a_panic_of_the_database_is_a_damaged_store(tmp_path):
    """A class that can't be imported, as garbage in an index raises it."""
    panic = type("RustPanic", (Exception,), {})
    with pytest.raises(StoreDamaged), store_errors(tmp_path):
        raise panic("rust future panicked: unknown error")
    with pytest.raises(KeyError), store_errors(tmp_path):
        raise KeyError("an error of ours is none of the store's")


def test_a_folder_without_rights_is_not_called_damaged(tmp_path):
    with (
        pytest.raises(StoreError, match="rights and space") as told,
        store_errors(tmp_path),
    ):
        raise PermissionError("Permission denied")
    assert not isinstance(told.value, StoreDamaged)


def test_a_folder_that_is_a_file_is_a_store_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="can't be used"):
        EmbeddedStore(tmp_path / "file", "fake", 16)


def test_an_inventory_is_read_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(embedded, "_LOOK_UP", 2)
    store = EmbeddedStore(tmp_path, "fake", DIMENSIONS)
    written = document("a", *(f"text {n}" for n in range(7)))
    store.replace_documents([written])
    found = store.inventory(View.CHUNKS)
    first = next(found)
    store.delete_document(written.properties.document_id)
    # As of when it began, whatever is written meanwhile.
    assert {first[0], *(id_ for id_, _ in found)} == {it.id for it in written.chunks}
    assert list(store.inventory(View.CHUNKS)) == []


def test_importing_it_loads_no_database():
    script = "import sys, memory.stores.embedded; print('lancedb' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True
    )
    assert done.stdout.strip() == "False"


def test_the_first_searches_of_a_process_may_come_at_once(tmp_path):
    """LanceDB's first import fails where several threads begin it."""
    store = EmbeddedStore(tmp_path, "fake", DIMENSIONS)
    store.replace_documents([document("a", "ten laptops", "one chair")])
    script = f"""
import numpy as np
from memory.access import WORKSPACE_SCOPE
from memory.documents import View
from memory.query.at_once import at_once
from memory.stores.embedded import EmbeddedStore
store = EmbeddedStore({str(tmp_path)!r}, "fake", {DIMENSIONS})
vector = np.eye({DIMENSIONS}, dtype=np.float32)[0]
keyword = lambda: store.keyword(View.CHUNKS, "laptops", 3, WORKSPACE_SCOPE)
nearest = lambda: store.nearest(View.CHUNKS, vector, 3, WORKSPACE_SCOPE)
print([len(hits) for hits in at_once([nearest, keyword] * 3)])
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True
    )
    assert done.stdout.strip() == "[2, 1, 2, 1, 2, 1]", done.stderr
