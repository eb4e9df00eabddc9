"""Several processes on one folder, some of them killed. They're spawned, never forked."""

import random
import subprocess
import sys
import time
from collections import defaultdict
from dataclasses import replace

import pytest

from memory.access import WORKSPACE_SCOPE as EVERYBODY
from memory.documents import View
from memory.stores.embedded import EmbeddedStore
from tests.contracts.corpus import DIMENSIONS, document, vector
from tests.memory.stores.writer import TOGETHER, generation

KILLS = 6


def start(folder, kind, first, count):
    """Start a writer and wait until it's about to write."""
    module = "tests.memory.stores.writer"
    writer = subprocess.Popen(
        [sys.executable, "-m", module, str(folder), kind, str(first), str(count)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert writer.stdout.readline() == "ready\n"
    return writer


@pytest.fixture
def store(tmp_path):
    store = EmbeddedStore(tmp_path / "store", "fake", DIMENSIONS)
    store.optimize()
    yield store
    store.close()


def generations_of(store):
    """Return each document's generation; every one must be whole in both views."""
    ids = defaultdict(set)
    for view in View:
        for object_id, of in store.inventory(view):
            ids[of.external_id].add(object_id)
    found = {}
    for name, stored in ids.items():
        [number] = {n for n in range(400) if objects(name, n) & stored}
        assert stored == objects(name, number), f"{name} is mixed"
        found[name] = number
    return found


def objects(name, number):
    """Return the ids of the document in this generation."""
    whole = generation(name, number)
    return {each.id for each in (*whole.chunks, *whole.memories)}


def test_a_kill_loses_nothing_acknowledged_and_leaves_every_document_whole(
    store, tmp_path
):
    chance = random.Random(7)
    first = 0
    for _ in range(KILLS):
        writer = start(tmp_path / "store", "generations", first, 200)
        time.sleep(chance.uniform(0.05, 0.6))
        writer.kill()
        lines, _ = writer.communicate(timeout=300)
        acknowledged = [int(line) for line in lines.split()]
        # A fresh opening, as after a restart.
        again = EmbeddedStore(tmp_path / "store", "fake", DIMENSIONS)
        found = generations_of(again)
        for number in acknowledged[-3:]:
            for at in range(TOGETHER):
                assert found[f"d{number % 3}-{at}"] >= number
        last = max([first - 1, *acknowledged])
        # At most the write under way came after the last acknowledged one.
        assert max(found.values(), default=-1) <= last + 1
        again.close()
        first = max([last, *found.values()]) + 1
    assert first > KILLS


def test_a_reader_meets_no_mixed_document_while_another_process_writes(store, tmp_path):
    store.replace_documents([generation(f"d0-{at}", 0) for at in range(TOGETHER)])
    texts = {
        each.id: (of, number)
        for number in range(60)
        for of in [f"d{number % 3}-{at}" for at in range(TOGETHER)]
        for each in generation(of, number).chunks
    }
    writer = start(tmp_path / "store", "generations", 0, 60)
    looks = 0
    while writer.poll() is None:
        hits = store.nearest(View.CHUNKS, vector("q"), 1000, EVERYBODY)
        seen = defaultdict(set)
        for hit in hits:
            name, number = texts[hit.id]
            seen[name].add(number)
        assert "d0-0" in seen
        assert all(len(numbers) == 1 for numbers in seen.values())
        looks += 1
    writer.communicate(timeout=300)
    assert writer.returncode == 0
    assert looks > 5


def test_a_reader_sees_another_process_write_at_once(store, tmp_path):
    assert store.nearest(View.CHUNKS, vector("laptop 0"), 5, EVERYBODY) == []
    writer = start(tmp_path / "store", "others", 0, 1)
    assert writer.stdout.readline() == "0\n"
    [near] = store.nearest(View.CHUNKS, vector("laptop 0"), 5, EVERYBODY)
    [word] = store.keyword(View.CHUNKS, "laptop", 5, EVERYBODY)
    assert near.id == word.id == document("own 0", "laptop 0").chunks[0].id
    writer.communicate(timeout=300)


def test_two_writers_and_an_optimizing_one_lose_nothing(store, tmp_path):
    writers = [start(tmp_path / "store", "others", at * 40, 40) for at in range(2)]
    changed = replace(document("mine", "desk").properties, title="New title")
    store.replace_documents([document("mine", "desk")])
    while any(writer.poll() is None for writer in writers):
        store.set_properties(changed)
        store.optimize()
    for writer in writers:
        writer.communicate(timeout=300)
    assert [writer.returncode for writer in writers] == [0, 0]
    inventory = {of.external_id: of for _, of in store.inventory(View.MEMORIES)}
    assert set(inventory) == {"mine", *(f"own {at}" for at in range(80))}
    assert inventory["mine"] == changed
    assert len(store.keyword(View.CHUNKS, "laptop", 200, EVERYBODY)) == 80


def test_several_processes_may_open_a_new_folder_at_once(tmp_path):
    module = "tests.memory.stores.writer"
    run = [sys.executable, "-m", module, str(tmp_path / "new"), "others"]
    writers = [
        subprocess.Popen([*run, str(at), "1"], stdout=subprocess.DEVNULL)
        for at in range(4)
    ]
    assert [writer.wait(timeout=300) for writer in writers] == [0, 0, 0, 0]
    store = EmbeddedStore(tmp_path / "new", "fake", DIMENSIONS)
    assert store.count_documents(EVERYBODY) == 4
    assert len(store.keyword(View.CHUNKS, "laptop", 9, EVERYBODY)) == 4
    store.close()
