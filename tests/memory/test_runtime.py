"""The runtime of one process: parts are made once, whichever thread asks first."""

import threading

from memory import runtime as runtime_module
from memory.runtime import Runtime

WAIT_S = 10.0


def test_threads_that_need_each_others_parts_do_not_wait_for_ever(
    monkeypatch, settings, tmp_path
):
    settings.ATTEST_HOME = settings.ATTEST_CACHE = tmp_path
    runtime = Runtime()
    building, opening = threading.Event(), threading.Event()

    def chunker():
        # The builder is being made, and the other thread has begun with the store.
        building.set()
        opening.wait(WAIT_S)

    class Place:
        def __init__(self, *_args):
            pass

        def open(self):
            return object()

    monkeypatch.setattr(runtime_module, "default_chunker", chunker)
    monkeypatch.setattr(runtime_module, "EmbeddedPlace", Place)

    def ask():
        building.wait(WAIT_S)
        threading.Timer(0.2, opening.set).start()
        stores.append(runtime.store)

    stores: list = []
    threads = [
        threading.Thread(target=lambda: stores.append(runtime.builder.store)),
        threading.Thread(target=ask),
    ]
    for thread in threads:
        thread.daemon = True
        thread.start()
    for thread in threads:
        thread.join(WAIT_S)

    assert not any(thread.is_alive() for thread in threads)
    assert len(stores) == 2
    assert stores[0] is stores[1]


def test_the_process_has_one_runtime():
    assert runtime_module.runtime() is runtime_module.runtime()
