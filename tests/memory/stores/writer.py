"""A process that writes: `python -m tests.memory.stores.writer FOLDER KIND FIRST COUNT`.

It prints a line after each acknowledged write, and "ready" before the first.
"""

import sys
from pathlib import Path

from memory.stores.embedded import EmbeddedStore
from tests.contracts.corpus import DIMENSIONS, SOURCE, document

#: Documents in one write of `generations`.
TOGETHER = 4


def generation(name, number):
    """Return the document as of its `number`-th edit: all its texts change with it."""
    count = 2 + number % 3
    return document(name, *(f"generation {number} part {at}" for at in range(count)))


def write_generations(store, first, count):
    """Rewrite the same documents again and again, four in a commit."""
    for number in range(first, first + count):
        names = [f"d{number % 3}-{at}" for at in range(TOGETHER)]
        store.replace_documents([generation(name, number) for name in names])
        print(number, flush=True)  # noqa: T201
        if number % 10 == 9:
            store.optimize()


def write_others(store, first, count):
    """Write `count` documents of its own, one by one."""
    for number in range(first, first + count):
        store.replace_documents([document(f"own {number}", f"laptop {number}")])
        print(number, flush=True)  # noqa: T201


def main():
    folder, kind, first, count = sys.argv[1:]
    store = EmbeddedStore(Path(folder), "fake", DIMENSIONS)
    store.embedded_hashes(SOURCE)
    print("ready", flush=True)  # noqa: T201
    write = {"generations": write_generations, "others": write_others}[kind]
    write(store, int(first), int(count))


if __name__ == "__main__":
    main()
