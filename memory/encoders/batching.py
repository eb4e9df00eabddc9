"""Which texts are encoded together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def batches_by_length(
    lengths: Sequence[int], *, tokens_per_batch: int
) -> Iterator[list[int]]:
    """Yield the positions of `lengths` in batches, longest first.

    Neighbours have nearly equal lengths, so padding a batch to its longest text adds
    little. A batch's size times its longest length stays within `tokens_per_batch`;
    a text longer than that is a batch of its own. Every position comes once.
    """
    order = sorted(range(len(lengths)), key=lambda at: -lengths[at])
    start = 0
    while start < len(order):
        longest = max(1, lengths[order[start]])
        size = max(1, tokens_per_batch // longest)
        yield order[start : start + size]
        start += size
