"""Any sentence-transformers model, for installations that choose their own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from memory.documents import FloatArray
from memory.embedding import checked_vectors
from memory.errors import EmbeddingError

#: Texts in one call of the library, which sorts them by length itself.
_WINDOW = 512


class SentenceTransformerEmbedder:
    """A model by its folder or name, in fp32, loaded at its first use.

    The model's own prompts for documents and queries are used where it has them.
    `max_tokens` replaces the model's own limit. Unless `download`, only a folder or a
    model that was fetched before is found. Raises EmbeddingError where it isn't.
    """

    def __init__(
        self,
        name_or_path: str,
        *,
        max_tokens: int | None = None,
        batch_size: int = 16,
        device: str = "cpu",
        download: bool = False,
    ) -> None:
        """Name the model; nothing is loaded yet."""
        self._name_or_path = name_or_path
        self._max_tokens = max_tokens
        self._batch_size = batch_size
        self._device = device
        self._download = download
        self._lock = threading.Lock()
        self._loaded: Any = None

    @property
    def name(self) -> str:
        """Return the model's name (a folder's last part), token limit and precision."""
        name = self._name_or_path.rstrip("/")
        if os.path.isabs(name):
            name = os.path.basename(name)
        return f"{name}/{self._max_tokens or 'own limit'}/fp32"

    @property
    def dimensions(self) -> int:
        """Return d; loads the model."""
        size: int = self._model().get_embedding_dimension()
        return size

    def embed_documents(
        self, texts: Sequence[str], *, on_progress: Callable[[int], None] | None = None
    ) -> FloatArray:
        """Return unit vectors, shape (n, d), in the given order."""
        parts = []
        for start in range(0, len(texts), _WINDOW):
            window = list(texts[start : start + _WINDOW])
            parts.append(self._encode(self._model().encode_document, window))
            if on_progress is not None:
                on_progress(len(window))
        return np.concatenate(parts) if parts else self._none()

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Return unit vectors, shape (n, d)."""
        if not texts:
            return self._none()
        return self._encode(self._model().encode_query, list(texts))

    def _none(self) -> FloatArray:
        return np.empty((0, self.dimensions), dtype=np.float32)

    def _encode(self, encode: Callable[..., Any], texts: list[str]) -> FloatArray:
        vectors = encode(
            texts,
            batch_size=self._batch_size,
            normalize_embeddings=True,
            show_progress_bar=False,
            convert_to_numpy=True,
        )
        array = np.asarray(vectors, dtype=np.float32)
        return checked_vectors(array, count=len(texts), dimensions=self.dimensions)

    def _model(self) -> Any:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = self._load()
        return self._loaded

    def _load(self) -> Any:
        if not self._download:
            # Read by the library when it's imported.
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
        from sentence_transformers import SentenceTransformer

        try:
            model = SentenceTransformer(
                self._name_or_path,
                device=self._device,
                local_files_only=not self._download,
            )
        except (OSError, ValueError) as error:
            raise EmbeddingError(
                f"The embedding model {self._name_or_path!r} can't be loaded. "
                "Give the folder of a sentence-transformers model."
            ) from error
        if self._max_tokens is not None:
            model.max_seq_length = self._max_tokens
        return model
