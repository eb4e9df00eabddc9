"""How a sync shows itself: a bar on a terminal, plain lines elsewhere, a summary."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Protocol, TextIO

from tqdm import tqdm

from connectors.models import SyncIssue, SyncRun
from connectors.syncing import Progress
from console.management.showing import duration, printable

#: Between two plain lines.
LINE_EVERY_S = 2.0
#: Issues that a summary shows; the console has them all.
SHOWN_ISSUES = 10


class Watcher(Protocol):
    """Shows where a run is."""

    def __enter__(self) -> Callable[[Progress], None]:
        """Return what is called at every step."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> bool | None:
        """Leave the terminal in order."""
        ...


def watcher(name: str, out: TextIO) -> Watcher:
    """Return a bar where `out` is a terminal, else plain lines."""
    return _bar(name, out) if out.isatty() else _lines(name, out)


@contextmanager
def _bar(name: str, out: TextIO) -> Iterator[Callable[[Progress], None]]:
    with tqdm(total=None, unit=" docs", file=out, dynamic_ncols=True) as bar:

        def show(at: Progress) -> None:
            bar.set_description(f"{printable(name)}: {at.stage}", refresh=False)
            bar.total = at.total
            if at.texts_embedded:
                bar.set_postfix_str(f"{at.texts_embedded} embedded", refresh=False)
            bar.update(at.seen - bar.n)

        yield show


@contextmanager
def _lines(name: str, out: TextIO) -> Iterator[Callable[[Progress], None]]:
    started = last = time.monotonic()

    def show(at: Progress) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last < LINE_EVERY_S:
            return
        last = now
        out.write(f"{printable(name)}: {where(at, now - started)}\n")
        out.flush()

    yield show


def where(at: Progress, elapsed_s: float) -> str:
    """Return one line of progress: stage, count, rate, time left."""
    total = f"/{at.total}" if at.total is not None else ""
    rate = at.seen / elapsed_s if elapsed_s > 0 else 0.0
    parts = [f"{at.stage} {at.seen}{total} documents", f"{rate:.1f}/s"]
    if at.total and rate:
        parts.append(f"{duration(max(0, at.total - at.seen) / rate)} left")
    if at.texts_embedded:
        parts.append(f"{at.texts_embedded} texts embedded")
    return ", ".join(parts)


def summary(run: SyncRun) -> Iterator[str]:
    """Yield the lines that tell what a finished run did."""
    took = (run.finished_at or run.heartbeat_at) - run.started_at
    name = printable(run.source.name)
    yield f"{name}: {run.state} in {duration(took.total_seconds())} (run {run.pk})"
    if run.message:
        yield f"  {printable(run.message)}"
    yield f"  documents: {_counted(run, DOCUMENT_COUNTS)}"
    yield f"  chunks:    {_counted(run, CHUNK_COUNTS)}"
    yield f"  memories:  {_counted(run, MEMORY_COUNTS)}"
    stages = run.stage_seconds.items()
    yield f"  seconds:   {', '.join(f'{s:.1f} {name}' for name, s in stages) or 'none'}"
    yield from _issues(run)


DOCUMENT_COUNTS = (
    *("seen", "unchanged", "indexed", "properties_only", "skipped", "failed"),
    *("deleted", "held", "repaired"),
)
CHUNK_COUNTS = ("chunks_embedded", "chunks_kept")
MEMORY_COUNTS = ("memories_embedded", "memories_kept", "undistilled", "items_dropped")
#: Left out of a summary while they're 0.
_RARE = frozenset(
    {"properties_only", "held", "repaired", "undistilled", "items_dropped"}
)


def _counted(run: SyncRun, names: tuple[str, ...]) -> str:
    counts = ((name, run.counts.get(name, 0)) for name in names)
    return ", ".join(
        f"{count} {_plain(name)}"
        for name, count in counts
        if count or name not in _RARE
    )


def _plain(name: str) -> str:
    return name.removeprefix("chunks_").removeprefix("memories_").replace("_", " ")


def _issues(run: SyncRun) -> Iterator[str]:
    # Errors first; what the run's own message says isn't said again.
    found = run.issues.exclude(external_id="", message=run.message)
    order = {level: rank for rank, level in enumerate(("error", "warning", "notice"))}
    issues = sorted(found, key=lambda issue: (order[issue.severity], issue.pk))
    if not issues:
        return
    yield f"  issues:    {len(issues)}"
    for issue in issues[:SHOWN_ISSUES]:
        yield f"    {_told(issue)}"
    if len(issues) > SHOWN_ISSUES:
        yield f"    … and {len(issues) - SHOWN_ISSUES} more in the console"


def _told(issue: SyncIssue) -> str:
    name = f"{printable(issue.external_id)}: " if issue.external_id else ""
    return f"{issue.severity:<7} {name}{printable(issue.message)} [{issue.reason}]"
