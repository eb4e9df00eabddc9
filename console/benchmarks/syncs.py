"""Syncing a folder as a source of this process's own home."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from connectors.models import Source, SyncRun
from connectors.registry import connector_for
from connectors.syncing import Control, Progress, run_sync, runtime_index
from console.benchmarks.progress import ProgressLine
from memory.errors import AttestError


class BenchError(AttestError):
    """A benchmark can't be run; the message says why."""


@dataclass(frozen=True, slots=True)
class Synced:
    """One run: its seconds by the clock and by stage, and its counts."""

    seconds: float
    stages: Mapping[str, float]
    counts: Mapping[str, int]


def add_folder(folder: Path) -> Source:
    """Return a new source of the folder. Raises BenchError where it's none."""
    if not folder.is_dir():
        raise BenchError(f"--docs {folder} is no folder.")
    return Source.objects.create(
        kind="files", name=folder.name, options={"path": str(folder)}
    )


def sync(source: Source, line: ProgressLine | None = None) -> Synced:
    """Sync once. Raises BenchError unless the run succeeds."""

    def show(progress: Progress) -> None:
        if line and progress.total:
            line(min(progress.seen, progress.total - 1), progress.total)

    started = time.perf_counter()
    run = run_sync(
        source, connector_for(source), runtime_index(), Control(on_progress=show)
    )
    seconds = time.perf_counter() - started
    if run.state != SyncRun.State.SUCCEEDED:
        raise BenchError(f"The sync ended as {run.state}: {run.message}")
    if line and run.total:
        line(run.total, run.total)
    return Synced(seconds, dict(run.stage_seconds), dict(run.counts))
