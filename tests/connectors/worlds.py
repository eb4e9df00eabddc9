"""A store in a dict or a folder, a fake encoder, scripted sources, and a folder's source."""

import hashlib
import os
import pickle
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from connectors.base import Complete, Upsert
from connectors.models import Document, Source, SyncRun
from connectors.registry import connector_for
from connectors.syncing import Control, Index, run_sync
from memory import documents
from memory.access import WORKSPACE_RULE
from memory.building import Builder
from memory.chunking import Chunker
from memory.documents import Block, BlockKind, Content, Section
from memory.embedding import embedded_text, text_hash
from memory.errors import EmbeddingError, StoreError
from memory.stores.base import EmbeddedHashes

State = Document.State


class FakeEmbedder:
    """Unit vectors from a hash. `bad` texts raise, and everything while it's down."""

    name = "fake"
    dimensions = 8

    def __init__(self):
        self.embedded = 0
        self.bad = None
        self.is_down = False

    def embed_documents(self, texts, *, on_progress=None):
        if self.is_down or (self.bad and any(self.bad in text for text in texts)):
            raise EmbeddingError("The encoder failed.")
        self.embedded += len(texts)
        for _ in texts:
            if on_progress:
                on_progress(1)
        return np.array([self._vector(text) for text in texts], np.float32).reshape(
            -1, 8
        )

    def embed_queries(self, texts):
        if self.is_down:
            raise EmbeddingError("The encoder failed.")
        return np.array([self._vector(text) for text in texts], np.float32)

    def _vector(self, text):
        seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4])
        vector = np.random.default_rng(seed).normal(size=8)
        return vector / np.linalg.norm(vector)


class DictStore:
    """Keeps (properties, chunk hashes, memory hashes, texts) by document."""

    def __init__(self):
        self.held = {}
        self.is_down = False
        self.refused = set()
        self.calls = []

    def _called(self, name, document_id=None):
        self.calls.append((name, document_id))
        if self.is_down:
            raise StoreError("The store is down.")
        if document_id in self.refused:
            raise StoreError("The store refused it.")

    def replace_document(self, properties, chunks, memories):
        self._called("replace", properties.document_id)
        self.held[properties.document_id] = (
            properties,
            {chunk.id: text_hash(embedded_text(chunk)) for chunk in chunks},
            {memory.id: text_hash(embedded_text(memory)) for memory in memories},
            [chunk.text for chunk in chunks],
        )

    def replace_documents(self, replacements):
        for item in replacements:
            self.replace_document(item.properties, item.chunks, item.memories)

    def delete_document(self, document_id):
        # A refused document is one that can't be written; removing it works.
        self.calls.append(("delete", document_id))
        if self.is_down:
            raise StoreError("The store is down.")
        self.held.pop(document_id, None)

    def delete_documents(self, document_ids):
        self.calls.append(("delete_many", None))
        for document_id in document_ids:
            self.delete_document(document_id)

    def set_properties(self, properties):
        self._called("set_properties", properties.document_id)
        if properties.document_id in self.held:
            _, *rest = self.held[properties.document_id]
            self.held[properties.document_id] = (properties, *rest)

    def set_many_properties(self, properties):
        self.calls.append(("set_many", None))
        for each in properties:
            self.set_properties(each)

    def embedded_hashes(self, document_id):
        if self.is_down:
            raise StoreError("The store is down.")
        _, chunks, memories, _ = self.held.get(document_id, (None, {}, {}, []))
        return EmbeddedHashes(chunks, memories)

    def optimize(self):
        self._called("optimize")

    def texts(self):
        """Return every document's text by its external id."""
        return {held[0].external_id: "".join(held[3]) for held in self.held.values()}

    def did(self, name):
        """Count the calls of a kind."""
        return sum(call == name for call, _ in self.calls)


class FolderStore(DictStore):
    """The same in a folder, one file a document, for processes that are killed."""

    def __init__(self, folder):
        super().__init__()
        self.folder = Path(folder)
        self.folder.mkdir(exist_ok=True)
        for path in self.folder.glob("*.pickle"):
            document_id, value = pickle.loads(path.read_bytes())  # noqa: S301
            self.held[document_id] = value

    def _path(self, document_id):
        return self.folder / f"{document_id}.pickle"

    def replace_document(self, properties, chunks, memories):
        super().replace_document(properties, chunks, memories)
        self._save(properties.document_id)

    def set_properties(self, properties):
        super().set_properties(properties)
        self._save(properties.document_id)

    def _save(self, document_id):
        if document_id in self.held:
            draft = self.folder / "draft"
            draft.write_bytes(pickle.dumps((document_id, self.held[document_id])))
            draft.rename(self._path(document_id))

    def delete_document(self, document_id):
        super().delete_document(document_id)
        self._path(document_id).unlink(missing_ok=True)


def index_of(store, embedder=None, extractor=None):
    """Return a real builder over a fake encoder and this store."""
    embedder = embedder or FakeEmbedder()
    return Index(Builder(Chunker(), extractor, embedder, store), store)


class Scripted:
    """A connector that yields these changes; a callable among them is called."""

    def __init__(self, *changes, listing=()):
        self.script = list(changes)
        self.listed = listing
        self.since = "not asked"

    def changes(self, since, known):
        self.since = since
        for change in self.script:
            if callable(change):
                change()
            elif isinstance(change, Exception):
                raise change
            else:
                yield change

    def listing(self):
        for item in self.listed:
            if isinstance(item, Exception):
                raise item
            yield item


def document(source, name, text="Some text.", **fields):
    """Return a document of one paragraph."""
    content = Content(
        text,
        (Section((), 0, 0, len(text)),),
        (Block(BlockKind.PARAGRAPH, 0, len(text)),) if text else (),
    )
    fields = {"title": name, "content": content} | fields
    return documents.Document(source.id, name, **fields)


def upsert(source, name, text="Some text.", *, rule=WORKSPACE_RULE, mark="1", **fields):
    return Upsert(document(source, name, text, **fields), rule, mark)


@dataclass
class World:
    """One source with its store. `sync` runs a script, or the source's own connector."""

    source: Source
    store: DictStore = field(default_factory=DictStore)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    extractor: object = None

    def sync(self, *changes, connector=None, **control) -> SyncRun:
        connector = connector or (
            Scripted(*changes) if changes else connector_for(self.source)
        )
        index = index_of(self.store, self.embedder, self.extractor)
        return run_sync(self.source, connector, index, Control(**control))

    def upserts(self, *names, **fields):
        return [upsert(self.source, name, **fields) for name in names]

    def states(self):
        """Return every document's state by external id."""
        return dict(self.source.documents.values_list("external_id", "state"))

    def reasons(self):
        return dict(self.source.documents.values_list("external_id", "reason"))

    def row(self, name):
        return self.source.documents.get(external_id=name)


def issues(run):
    """Return a run's issues as (severity, external id, reason)."""
    return [(item.severity, item.external_id, item.reason) for item in run.issues.all()]


def settle(folder):
    """Make every file in a folder look old enough for its time to prove something."""
    old = time.time() - 3600
    for path in Path(folder).rglob("*"):
        if path.is_file() and not path.is_symlink():
            os.utime(path, (old, old))


COMPLETE = Complete()
