"""`bench build`: a folder's first sync against the bare encoder on the same texts."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from console.benchmarks.outcome import Outcome, resident_mb
from console.benchmarks.progress import ProgressLine, Stream
from console.benchmarks.recording import RecordingEmbedder
from console.benchmarks.syncs import BenchError, Synced, add_folder, sync
from memory.embedding import Embedder
from memory.evaluation.tables import Column
from memory.runtime import runtime
from memory.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class Bare:
    """The encoder by itself, on the texts that the sync had it encode."""

    seconds: float
    texts: int
    tokens: int


def bench_build(folder: Path, stream: Stream) -> Outcome:
    """Sync into an empty home, then encode the same chunks and memories again.

    Both in this process, the model loaded and warm before. The vector cache is empty
    at first, so its writes count as the sync's.
    """
    source = add_folder(folder)
    recorder = RecordingEmbedder(runtime().encoder)
    runtime().use_encoder(recorder)
    recorder.inner.embed_documents(["Warm up the encoder before its time counts."] * 8)
    synced = sync(source, ProgressLine(stream, "First sync, files"))
    bare = _bare(recorder.inner, recorder.texts, ProgressLine(stream, "Bare encoder"))
    return _outcome(synced, bare, recorder.seconds)


def _bare(encoder: Embedder, texts: list[str], line: ProgressLine) -> Bare:
    if not texts:
        raise BenchError("The folder has no text to encode.")
    done = 0

    def show(count: int) -> None:
        nonlocal done
        done += count
        line(done, len(texts))

    started = time.perf_counter()
    encoder.embed_documents(texts, on_progress=show)
    seconds = time.perf_counter() - started
    return Bare(seconds, len(texts), sum(map(count_tokens, texts)))


def _outcome(synced: Synced, bare: Bare, encoding_s: float) -> Outcome:
    rows = [
        ["first sync", _seconds(synced.seconds), *_rates(bare, synced.seconds)],
        *(
            [f"  {stage}", _seconds(seconds), "", ""]
            for stage, seconds in sorted(synced.stages.items(), key=lambda one: -one[1])
        ),
        ["  encoder within it", _seconds(encoding_s), *_rates(bare, encoding_s)],
        ["bare encoder", _seconds(bare.seconds), *_rates(bare, bare.seconds)],
    ]
    return Outcome(
        name="build",
        columns=[
            Column("", left=True),
            Column("seconds"),
            Column("texts/s"),
            Column("tokens/s"),
        ],
        rows=rows,
        ratio=synced.seconds / bare.seconds,
        baseline=f"first sync to bare encoder on the same {bare.texts:,} texts",
        figures={
            "encoder": runtime().encoder.name,
            "sync_s": synced.seconds,
            "bare_encoder_s": bare.seconds,
            "encoder_in_sync_s": encoding_s,
            "stage_s": dict(synced.stages),
            "counts": dict(synced.counts),
            "texts": bare.texts,
            "tokens": bare.tokens,
            "resident_mb": resident_mb(),
        },
    )


def _rates(bare: Bare, seconds: float) -> tuple[str, str]:
    return f"{bare.texts / seconds:,.1f}", f"{bare.tokens / seconds:,.0f}"


def _seconds(value: float) -> str:
    return f"{value:,.2f}"
