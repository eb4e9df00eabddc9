"""`bench resync`: nothing changed, then one page edited, against the first sync."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from connectors.models import Document, Source
from console.benchmarks.outcome import Outcome
from console.benchmarks.progress import ProgressLine, Stream
from console.benchmarks.syncs import BenchError, Synced, add_folder, sync
from memory.evaluation.tables import Column

#: What is added to one page, as a paragraph of its own.
EDIT = "\n\nThis paragraph was added to see what a small edit costs.\n"
#: File types that a line can simply be added to.
_TEXTS = (".md", ".markdown", ".txt")
_COUNTS = (
    "seen",
    "indexed",
    "chunks_embedded",
    "chunks_kept",
    "memories_embedded",
    "memories_kept",
)


def bench_resync(folder: Path, home: Path, stream: Stream) -> Outcome:
    """Sync a copy of the folder three times: first, unchanged, one page edited.

    The first may take vectors from the shared cache, so its time isn't `build`'s.
    """
    if not folder.is_dir():
        raise BenchError(f"--docs {folder} is no folder.")
    copy = home / "docs"
    shutil.copytree(folder, copy, symlinks=True, copy_function=shutil.copy2)
    source = add_folder(copy)
    first = sync(source, ProgressLine(stream, "First sync, files"))
    unchanged = sync(source)
    edited = _edit(source, copy)
    one_page = sync(source)
    runs = {"first sync": first, "unchanged": unchanged, "one page edited": one_page}
    return _outcome(runs, edited)


def _edit(source: Source, folder: Path) -> str:
    """Add a paragraph to the page with the median number of chunks; return its path."""
    indexed = source.documents.filter(state=Document.State.INDEXED)
    pages = [
        path
        for path in indexed.order_by("chunk_count", "external_id").values_list(
            "external_id", flat=True
        )
        if path.lower().endswith(_TEXTS)
    ]
    if not pages:
        raise BenchError("The folder has no Markdown or text page to edit.")
    path: str = pages[len(pages) // 2]
    file = folder / path
    file.chmod(0o644)
    with file.open("a", encoding="utf-8") as page:
        page.write(EDIT)
    os.utime(file)
    return path


def _outcome(runs: Mapping[str, Synced], edited: str) -> Outcome:
    first, unchanged = runs["first sync"], runs["unchanged"]
    rows = [
        [
            name,
            f"{run.seconds:,.2f}",
            *(f"{run.counts.get(key, 0):,}" for key in _COUNTS),
        ]
        for name, run in runs.items()
    ]
    titles = ["seconds", "seen", "indexed", "chunks +", "kept", "memories +", "kept"]
    return Outcome(
        name="resync",
        columns=[Column("", left=True), *map(Column, titles)],
        rows=rows,
        ratio=unchanged.seconds / first.seconds,
        baseline="unchanged sync to first sync (its vectors may come from the cache)",
        figures={
            "edited": edited,
            "runs": {
                name: {
                    "seconds": run.seconds,
                    "stage_s": dict(run.stages),
                    "counts": dict(run.counts),
                }
                for name, run in runs.items()
            },
        },
    )
