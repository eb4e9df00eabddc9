from dataclasses import replace
from uuid import UUID

import pytest

from memory.access import WORKSPACE_RULE, WORKSPACE_SCOPE
from memory.building import Builder
from memory.chunking import Chunker
from memory.distillation.local import LocalExtractor
from memory.documents import (
    Block,
    BlockKind,
    Content,
    Document,
    Properties,
    Section,
    View,
)
from memory.errors import EmbeddingError
from memory.stores.embedded import EmbeddedStore
from tests.memory.encoders.fakes import FakeEmbedder

SOURCE = UUID(int=1)
TEXTS = {
    "Approval": "The manager approves each laptop within five working days. " * 12,
    "Return": "Laptops must be returned on the last day of employment. " * 12,
}


def document(texts=None, *, title="Equipment", external_id="equipment.md"):
    text, sections, blocks = "", [], []
    for heading, body in (texts or TEXTS).items():
        start = len(text)
        text += f"# {heading}\n\n"
        blocks.append(Block(BlockKind.HEADING, start, start + len(heading) + 2))
        blocks.append(Block(BlockKind.PARAGRAPH, len(text), len(text) + len(body)))
        text += f"{body}\n\n"
        sections.append(Section((heading,), 1, start, len(text)))
    content = Content(text, tuple(sections), tuple(blocks))
    return Document(SOURCE, external_id, title, content)


def properties(item):
    return Properties(
        item.id, SOURCE, item.title, WORKSPACE_RULE.id, WORKSPACE_RULE.tokens
    )


@pytest.fixture
def embedder():
    return FakeEmbedder()


@pytest.fixture
def store(tmp_path, embedder):
    made = EmbeddedStore(tmp_path / "store", embedder.name, embedder.dimensions)
    yield made
    made.close()


@pytest.fixture
def builder(store, embedder):
    return Builder(Chunker(), LocalExtractor(), embedder, store)


def build(builder, *documents):
    return builder.build([(item, properties(item)) for item in documents])


def stored_texts(store, embedder):
    (vector,) = embedder.embed_queries(["anything"])
    hits = store.nearest(View.CHUNKS, vector, 100, WORKSPACE_SCOPE)
    found = store.chunks([hit.id for hit in hits], WORKSPACE_SCOPE)
    return sorted(item.chunk.text for item in found)


def test_a_new_document_is_embedded_whole(builder, store, embedder):
    (built,) = build(builder, document()).built
    assert built.error is None
    assert (built.chunks, built.chunks_embedded, built.chunks_kept) == (2, 2, 0)
    assert built.memories == built.memories_embedded == 2
    assert len(stored_texts(store, embedder)) == 2


def test_the_same_document_again_embeds_nothing(builder):
    build(builder, document())
    (built,) = build(builder, document()).built
    assert (built.chunks_embedded, built.chunks_kept) == (0, 2)
    assert (built.memories_embedded, built.memories_kept) == (0, 2)


def test_an_edit_embeds_only_the_chunk_that_changed(builder, store, embedder):
    build(builder, document())
    edited = document(
        {**TEXTS, "Return": "Laptops may be bought by their users. " * 12}
    )
    (built,) = build(builder, edited).built
    assert (built.chunks_embedded, built.chunks_kept) == (1, 1)
    assert (built.memories_embedded, built.memories_kept) == (1, 1)
    texts = stored_texts(store, embedder)
    assert len(texts) == 2
    assert not any("must be returned" in text for text in texts)


def test_a_new_title_is_embedded_with_every_chunk(builder):
    build(builder, document())
    (built,) = build(builder, document(title="Laptops")).built
    assert built.chunks_embedded == 2


def test_a_failed_distillation_leaves_no_memories_but_every_chunk(store, embedder):
    class Failing(LocalExtractor):
        def extract(self, document, chunks):
            raise RuntimeError("no memories today")

    (built,) = build(Builder(Chunker(), Failing(), embedder, store), document()).built
    assert built.error is None
    assert (built.chunks, built.memories) == (2, 0)


def test_a_document_that_cannot_be_cut_does_not_stop_the_others(store, embedder):
    class Picky(Chunker):
        def chunks(self, document):
            if document.title == "Bad":
                raise RuntimeError("no")
            return super().chunks(document)

    bad = document(title="Bad", external_id="bad.md")
    builder = Builder(Picky(), LocalExtractor(), embedder, store)
    first, second = build(builder, bad, document()).built
    assert first.document_id == bad.id
    assert "RuntimeError" in first.error
    assert second.error is None
    assert len(stored_texts(store, embedder)) == 2


def test_an_encoder_that_fails_leaves_the_old_version_answering(
    builder, store, embedder
):
    build(builder, document())
    before = stored_texts(store, embedder)

    class Down(FakeEmbedder):
        def embed_documents(self, texts, *, on_progress=None):
            raise EmbeddingError("The encoder is down.")

    edited = document(
        {**TEXTS, "Return": "Something else entirely is said here. " * 12}
    )
    with pytest.raises(EmbeddingError):
        build(replace(builder, embedder=Down()), edited)
    assert stored_texts(store, embedder) == before


def test_stages_and_progress_are_reported(builder):
    seen = []
    item = document()
    report = builder.build([(item, properties(item))], on_progress=seen.append)
    assert set(report.stage_seconds) == {"chunk", "distil", "embed", "store"}
    assert sum(seen) == 4
