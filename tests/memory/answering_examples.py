"""What the tests of answering and attribution share: an encoder and evidence."""

from __future__ import annotations

import zlib
from uuid import UUID, uuid5

import numpy as np

from memory.answering.terms import terms
from memory.documents import Evidence

NAMESPACE = UUID(int=7)


class WordEmbedder:
    """Unit vectors from the words of a text: texts that share words are alike."""

    name = "words"
    dimensions = 64

    def __init__(self):
        self.embedded = 0

    def embed_documents(self, texts, *, on_progress=None):
        self.embedded += len(texts)
        return np.stack([self._vector(text) for text in texts])

    def embed_queries(self, texts):
        return np.stack([self._vector(text) for text in texts])

    def _vector(self, text):
        total = np.zeros(self.dimensions)
        for term in [*terms(text), "·"]:
            seed = zlib.crc32(term.encode())
            total += np.random.default_rng(seed).standard_normal(self.dimensions)
        return (total / np.linalg.norm(total)).astype(np.float32)


def card(text, *, document="a", heading="Policy", chunk=None):
    """Return one evidence card; cards of one `document` name share its id."""
    return Evidence(
        chunk_id=uuid5(NAMESPACE, f"{document}/{chunk or text}"),
        document_id=uuid5(NAMESPACE, document),
        heading=heading,
        text=text,
        tokens=len(text.split()),
    )


def pieces(draft):
    """Return the texts of a draft's sentences."""
    return [draft.text[s.start : s.end] for s in draft.sentences]
