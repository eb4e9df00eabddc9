"""Documents for store tests: ids, texts and vectors all follow from names."""

from dataclasses import replace
from uuid import UUID, uuid5

from memory.access import WORKSPACE_RULE, Status
from memory.documents import Chunk, Memory, MemoryType, Properties, View
from memory.stores.base import Replacement
from tests.memory.encoders.fakes import unit_vector

SOURCE = UUID("00000000-0000-4000-8000-000000000001")
DIMENSIONS = 16
VIEWS = [View.CHUNKS, View.MEMORIES]
#: Texts that a careless query or filter would read as its own syntax.
HOSTILE = [
    "it's",
    '"quoted"',
    "back\\slash",
    "') OR true --",
    "%_*?",
    "Ünï 价格 ✓",
    "line\nbreak",
    "",
]


def properties(name, *, rule=WORKSPACE_RULE, source=SOURCE, **others):
    """Return the properties of the document `name`."""
    return Properties(
        document_id=uuid5(source, name),
        source_id=source,
        title=f"Title of {name}",
        access_rule=rule.id,
        tokens=rule.tokens,
        status=others.pop("status", Status.CURRENT),
        external_id=name,
        **others,
    )


def chunk(of, text, *, position=0, path=("Guide", "Equipment")):
    """Return a chunk of the document with properties `of`."""
    return Chunk(
        id=uuid5(of.document_id, f"chunk {text}"),
        document_id=of.document_id,
        text=text,
        path=path,
        position=position,
        start=position * 100,
        end=position * 100 + len(text),
        tokens=len(text.split()),
        title=of.title,
        anchor=f"a{position}",
        vector=unit_vector(text, DIMENSIONS),
    )


def memory(of, value, chunks, *, key="key"):
    """Return a memory of `chunks`."""
    return Memory(
        id=uuid5(of.document_id, f"memory {key} {value}"),
        document_id=of.document_id,
        chunk_ids=tuple(each.id for each in chunks),
        type=MemoryType.FACT,
        key=key,
        value=value,
        extractor="test",
        vector=unit_vector(value, DIMENSIONS),
    )


def document(name, *texts, **others):
    """Return a document with a chunk for each text, and a memory for each chunk."""
    of = properties(name, **others)
    chunks = [chunk(of, text, position=at) for at, text in enumerate(texts)]
    memories = [memory(of, f"memory of {each.text}", [each]) for each in chunks]
    return Replacement(of, chunks, memories)


def put(store, *documents):
    """Write documents in one call; return the first."""
    store.replace_documents(documents)
    return documents[0]


def without_vectors(replacement):
    """Return the same document with no vectors: all are to be kept."""
    return Replacement(
        replacement.properties,
        [replace(each, vector=None) for each in replacement.chunks],
        [replace(each, vector=None) for each in replacement.memories],
    )


def vector(text):
    """Return the vector that a chunk with this text has."""
    return unit_vector(text, DIMENSIONS)
