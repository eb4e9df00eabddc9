"""An embedder without a model: each text has a vector of its own."""

import hashlib

import numpy as np


class FakeEmbedder:
    """Unit vectors seeded by the text's hash; counts what it's asked for."""

    def __init__(self, name="fake", dimensions=16):
        self.name = name
        self.dimensions = dimensions
        self.embedded = []

    def embed_documents(self, texts, *, on_progress=None):
        self.embedded.extend(texts)
        if on_progress is not None:
            for _ in texts:
                on_progress(1)
        return self.embed_queries(texts)

    def embed_queries(self, texts):
        rows = [unit_vector(text, self.dimensions) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self.dimensions)


def unit_vector(text, dimensions=16):
    """Return the text's vector."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])
    vector = np.random.default_rng(seed).normal(size=dimensions)
    return (vector / np.linalg.norm(vector)).astype(np.float32)
