"""`./manage.py rebuild` and `verify`, on the embedded store."""

import fcntl
from dataclasses import replace
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from connectors.models import Document, Source
from memory import runtime as runtime_module
from memory.documents import View
from tests.connectors.worlds import FakeEmbedder

pytestmark = pytest.mark.django_db


@pytest.fixture
def runtime(settings, tmp_path, monkeypatch):
    settings.ATTEST_HOME = settings.ATTEST_CACHE = tmp_path / "home"
    settings.ATTEST_HOME.mkdir()
    made = runtime_module.Runtime()
    made.use_encoder(FakeEmbedder())
    monkeypatch.setattr(runtime_module, "runtime", lambda: made)
    yield made
    made.store.close()


@pytest.fixture
def synced(runtime, tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in ("a", "b"):
        (folder / f"{name}.md").write_text(f"# Page {name}\n\nIt's about {name}.\n")
    Source.objects.create(kind="files", name="Docs", options={"path": str(folder)})
    call_command("sync", "Docs", stdout=StringIO(), stderr=StringIO())
    # Gone: whoever asks the source notices.
    for path in folder.iterdir():
        path.unlink()
    folder.rmdir()
    return runtime


def call(name, *arguments):
    out = StringIO()
    try:
        call_command(name, *arguments, stdout=out, stderr=out)
    except SystemExit as error:
        return out.getvalue(), error.code
    return out.getvalue(), 0


def documents(store):
    return {properties.external_id for _, properties in store.inventory(View.CHUNKS)}


@pytest.mark.parametrize("arguments", [(), ("Docs",)])
def test_the_index_is_built_again_without_the_source(synced, arguments):
    synced.store.delete_documents(Document.objects.values_list("id", flat=True))
    assert call("verify")[1] == 1
    told, code = call("rebuild", *arguments)
    assert code == 0, told
    assert documents(synced.store) == {"a.md", "b.md"}
    assert call("verify") == (
        "Compared 2 documents that answer with 2 chunks and "
        f"{sum(1 for _ in synced.store.inventory(View.MEMORIES))} memories: "
        "they agree.\n",
        0,
    )


def test_a_second_rebuild_is_refused(synced, settings):
    with (settings.ATTEST_HOME / "rebuild.lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(CommandError, match="Another rebuild"):
            call("rebuild")


def test_verify_tells_kind_and_example_and_mends(synced):
    [first, *_] = [properties for _, properties in synced.store.inventory(View.CHUNKS)]
    synced.store.set_properties(replace(first, tokens=frozenset({"anyone"})))
    told, code = call("verify")
    assert code == 1
    assert "1 × who may read it differs\n  Docs: Page" in told
    assert "./manage.py verify --mend" in told
    told, code = call("verify", "--mend")
    assert code == 0, told
    assert told.endswith("they agree.\n")
