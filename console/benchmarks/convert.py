"""`bench convert`: storage format to sections, against BeautifulSoup only parsing it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bs4 import BeautifulSoup

from connectors.confluence.macros import Inclusion
from connectors.confluence.storage_format import convert
from connectors.conversion.converted import Warnings
from console.benchmarks.outcome import Outcome
from console.benchmarks.progress import ProgressLine, Stream
from console.benchmarks.storage_pages import SEED, PageMaker
from memory.evaluation.tables import Column

SIZES_KB = (2, 5, 10, 20, 50, 100, 200)
PAGES = 4
ROUNDS = 7


@dataclass(frozen=True, slots=True)
class _References:
    """Answers at once, so that converting alone is timed."""

    def user_name(self, account: str) -> str:
        return "A colleague"

    def page_url(self, title: str, space_key: str, anchor: str) -> str:
        return "https://wiki.example.com/page"

    def file_url(self, name: str) -> str:
        return "https://wiki.example.com/file"

    def id_url(self, content_id: str) -> str:
        return "https://wiki.example.com/content"

    def issue_url(self, key: str) -> str:
        return "https://jira.example.com/issue"

    def included(
        self, title: str, space_key: str, *, excerpt: str | None
    ) -> Inclusion | None:
        return None


def bench_convert(
    stream: Stream, *, sizes_kb: Sequence[int] = SIZES_KB, rounds: int = ROUNDS
) -> Outcome:
    """Time both on the same bytes in turn; each page counts by its best round."""
    maker = PageMaker()
    line = ProgressLine(stream, "Converting, pages")
    found: dict[int, list[tuple[int, float, float]]] = {}
    for at, size in enumerate(size for size in sizes_kb for _ in range(PAGES)):
        page = maker.page(size * 1000).encode()
        ours, theirs = _timed((_convert, _parse), page, rounds)
        found.setdefault(size, []).append((len(page), ours, theirs))
        line(at + 1, len(sizes_kb) * PAGES)
    return _outcome(found, rounds)


def _convert(page: bytes) -> None:
    convert(page.decode(), _References(), Warnings())


def _parse(page: bytes) -> None:
    BeautifulSoup(page, "lxml", from_encoding="utf-8")


def _timed(
    works: Sequence[Callable[[bytes], None]], page: bytes, rounds: int
) -> list[float]:
    """Return each work's best time in seconds, taken in turn."""
    best = [float("inf")] * len(works)
    for _ in range(rounds):
        for at, work in enumerate(works):
            gc.collect()
            started = time.perf_counter()
            work(page)
            best[at] = min(best[at], time.perf_counter() - started)
    return best


def _outcome(found: dict[int, list[tuple[int, float, float]]], rounds: int) -> Outcome:
    rows, by_size = [], {}
    for size, pages in found.items():
        bytes_, ours, theirs = (sum(column) for column in zip(*pages, strict=True))
        ratio = theirs / ours
        by_size[str(size)] = {
            "pages": len(pages),
            "bytes": int(bytes_),
            "convert_s": ours,
            "parse_s": theirs,
            "ratio": ratio,
        }
        rows.append(
            [
                f"{size} KB",
                f"{1000 * ours / len(pages):,.2f}",
                f"{1000 * theirs / len(pages):,.2f}",
                f"{bytes_ / ours / 1e6:,.2f}",
                f"{ratio:.2f}",
            ]
        )
    every = [page for pages in found.values() for page in pages]
    ratio = sum(theirs for _, _, theirs in every) / sum(ours for _, ours, _ in every)
    return Outcome(
        name="convert",
        columns=[
            Column("page", left=True),
            *(
                Column("ms a page"),
                Column("parsed only"),
                Column("MB/s"),
                Column("ratio"),
            ),
        ],
        rows=rows,
        ratio=ratio,
        baseline=(
            "speed of converting storage format against that of BeautifulSoup with lxml "
            "parsing the same bytes, by the sums of both times (must reach 0.8)"
        ),
        figures={"rounds": rounds, "seed": SEED, "by_size_kb": by_size},
    )
