"""Embedding models, and the cache of their vectors. Importing this loads no model."""

from memory.encoders.cached import CachedEmbedder
from memory.encoders.minilm import PackagedMiniLM
from memory.encoders.sentence_transformer import SentenceTransformerEmbedder

__all__ = ["CachedEmbedder", "PackagedMiniLM", "SentenceTransformerEmbedder"]
