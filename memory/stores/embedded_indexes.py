"""Which indexes the embedded store has, and when they're built."""

from __future__ import annotations

import warnings
from datetime import timedelta
from typing import Any

from lancedb.index import FTS, Bitmap, BTree, HnswSq, IvfFlat, LabelList

from memory.stores.embedded_rows import SEARCH_COLUMN

#: Below, a scan of all rows is as fast as an index.
INDEXED_ROWS = 1_000
#: Up to here every vector is compared, so recall is 1; above, a graph finds them.
EXACT_ROWS = 50_000
#: A graph's rows in one part.
_PART_ROWS = 1_000_000
#: Readers in other processes move to the newest version at each query, so only a
#: query under way needs an older one.
KEEP_VERSIONS = timedelta(minutes=5)

_SCALAR: dict[str, Any] = {
    "id": BTree(),
    "document_id": BTree(),
    "tokens": LabelList(),
    "view": Bitmap(),
    "status": Bitmap(),
    "source_id": Bitmap(),
    "access_rule": BTree(),
}


def create_keyword_indexes(table: Any) -> None:
    """Give a table the keyword indexes that it lacks; later rows are found at once.

    English stems and folded accents; stop words stay, as a question may hold nothing
    else, and BM25 weighs them down.
    """
    config = FTS(
        base_tokenizer="simple",
        language="English",
        stem=True,
        remove_stop_words=False,
        ascii_folding=True,
        with_position=False,
    )
    present = {index.columns[0] for index in table.list_indices()}
    for column in SEARCH_COLUMN.values():
        if column not in present:
            table.create_index(column, config=config, replace=False)


def refresh(table: Any) -> None:
    """Build what is missing, fold new rows into the indexes, drop old versions."""
    present = {index.columns[0]: index.index_type for index in table.list_indices()}
    rows = table.count_rows()
    if rows >= INDEXED_ROWS:
        for column, config in _SCALAR.items():
            if column not in present:
                table.create_index(column, config=config)
        _vector_index(table, rows, present.get("vector"))
    with warnings.catch_warnings():
        # It reports each fragment that it leaves as it is.
        warnings.simplefilter("ignore")
        table.optimize(cleanup_older_than=KEEP_VERSIONS)


def _vector_index(table: Any, rows: int, present: str | None) -> None:
    """Build the vector index of the right kind where it isn't there."""
    if rows <= EXACT_ROWS:
        if present is None:
            config: Any = IvfFlat(distance_type="cosine", num_partitions=1)
            table.create_index("vector", config=config)
    elif present is None or "hnsw" not in present.lower():
        parts = max(1, rows // _PART_ROWS)
        config = HnswSq(distance_type="cosine", num_partitions=parts)
        table.create_index("vector", config=config)
