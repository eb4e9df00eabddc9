"""Vectors kept by model and text, so that no text is encoded twice."""

from __future__ import annotations

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from memory.documents import FloatArray
from memory.embedding import Embedder, checked_vectors
from memory.errors import EmbeddingError

FILE = "vectors.sqlite3"
#: Texts encoded between two writes: what a kill can lose.
_BLOCK = 256
#: Keys in one look-up, well below SQLite's limit of bound values.
_LOOK_UP = 500
#: Questions whose vectors stay in memory.
_RECENT = 64
#: How long a writer waits for another process's write.
_WAIT_S = 60.0

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)
WITHOUT ROWID
"""


class CachedEmbedder:
    """An embedder whose document vectors are kept in a folder; queries never are.

    Several processes may share the folder. Vectors are written after every 256 texts,
    so a kill loses no more than those. Raises EmbeddingError where the file can't be
    used.
    """

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        """Keep the vectors of `embedder` in `folder`, which is made when needed."""
        self._embedder = embedder
        self._path = Path(folder) / FILE
        self._local = threading.local()
        self._lock = threading.Lock()
        self._recent: dict[str, FloatArray] = {}

    @property
    def name(self) -> str:
        """Return the embedder's name."""
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        """Return the embedder's dimensions."""
        return self._embedder.dimensions

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Return the embedder's vectors, shape (n, d).

        People's questions are never written down; the last few stay in memory, as
        several stages of one question ask for them.
        """
        with self._lock:
            found = {text: self._recent[text] for text in texts if text in self._recent}
        missing = list(dict.fromkeys(text for text in texts if text not in found))
        if missing:
            vectors = self._embedder.embed_queries(missing)
            found.update(zip(missing, vectors, strict=True))
            with self._lock:
                self._recent.update((text, found[text]) for text in missing)
                while len(self._recent) > _RECENT:
                    self._recent.pop(next(iter(self._recent)))
        rows = [found[text] for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimensions)

    def kept(self, texts: Sequence[str]) -> dict[str, FloatArray]:
        """Return the kept vectors, shape (d,), by text; nothing is encoded."""
        keys = {self._key(text): text for text in texts}
        return {keys[key]: vector for key, vector in self._kept(list(keys))}

    def embed_documents(
        self, texts: Sequence[str], *, on_progress: Callable[[int], None] | None = None
    ) -> FloatArray:
        """Return unit vectors, shape (n, d), encoding only texts that aren't kept.

        Equal texts are encoded once. `on_progress` counts every text once, the kept
        ones first.
        """
        report = on_progress or _ignore
        keys = [self._key(text) for text in texts]
        positions: dict[bytes, list[int]] = {}
        for at, key in enumerate(keys):
            positions.setdefault(key, []).append(at)
        vectors = np.empty((len(texts), self.dimensions), dtype=np.float32)
        missing = dict(positions)
        for key, vector in self._kept(list(positions)):
            vectors[missing.pop(key)] = vector
        report(len(texts) - sum(map(len, missing.values())))
        # Sorted, so that each block holds texts of like length.
        order = sorted(missing, key=lambda key: -len(texts[missing[key][0]]))
        for start in range(0, len(order), _BLOCK):
            block = order[start : start + _BLOCK]
            fresh = self._fresh([texts[missing[key][0]] for key in block], report)
            self._keep(block, fresh)
            for key, vector in zip(block, fresh, strict=True):
                vectors[missing[key]] = vector
            report(sum(len(missing[key]) for key in block) - len(block))
        return checked_vectors(vectors, count=len(texts), dimensions=self.dimensions)

    def _fresh(self, texts: list[str], report: Callable[[int], None]) -> FloatArray:
        vectors = self._embedder.embed_documents(texts, on_progress=report)
        return checked_vectors(vectors, count=len(texts), dimensions=self.dimensions)

    def _key(self, text: str) -> bytes:
        named = f"{self.name}\x00{self.dimensions}\x00{text}"
        return hashlib.sha256(named.encode()).digest()

    def _kept(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, FloatArray]]:
        for start in range(0, len(keys), _LOOK_UP):
            part = keys[start : start + _LOOK_UP]
            marks = ",".join("?" * len(part))
            # Only question marks are put into the statement.
            query = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"  # noqa: S608
            with self._connection() as connection:
                rows = connection.execute(query, part).fetchall()
            for key, blob in rows:
                vector = np.frombuffer(blob, dtype="<f4")
                if vector.shape == (self.dimensions,):
                    yield key, vector

    def _keep(self, keys: Sequence[bytes], vectors: FloatArray) -> None:
        rows = [
            (key, vector.astype("<f4").tobytes())
            for key, vector in zip(keys, vectors, strict=True)
        ]
        with self._connection() as connection, connection:
            connection.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", rows)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        try:
            yield self._open()
        except (sqlite3.Error, OSError) as error:
            raise EmbeddingError(
                f"The vector cache {self._path} can't be used ({error}). "
                "Check its folder's rights and space, or delete it: it's only a cache."
            ) from error

    def _open(self) -> sqlite3.Connection:
        """Return this thread's connection."""
        connection: sqlite3.Connection | None = getattr(self._local, "it", None)
        if connection is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            connection = sqlite3.connect(self._path, timeout=_WAIT_S)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(_SCHEMA)
            self._local.it = connection
        return connection

    def close(self) -> None:
        """Close this thread's connection."""
        connection: sqlite3.Connection | None = getattr(self._local, "it", None)
        if connection is not None:
            connection.close()
            self._local.it = None


def _ignore(count: int) -> None:
    """Report to nobody."""
