"""Time, trace and fallbacks of one question's stages."""

from __future__ import annotations

import time
import traceback
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog

from memory.deadline import within
from memory.documents import StageTrace
from memory.errors import AttestError

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Run:
    """Collects what the stages of one question did, and knows how long it may take."""

    deadline_s: float = float("inf")
    started: float = field(default_factory=time.perf_counter)
    stages: list[StageTrace] = field(default_factory=list)
    fallbacks: list[str] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str, *, share: float = 1.0) -> Iterator[dict[str, Any]]:
        """Time a stage; what it puts into the given dict goes into the trace.

        Inside, it may take `share` of the question's time (`memory.deadline`).
        """
        detail: dict[str, Any] = {}
        began = time.perf_counter()
        try:
            with within(share * self.deadline_s):
                yield detail
        finally:
            milliseconds = (time.perf_counter() - began) * 1000
            self.stages.append(StageTrace(name, milliseconds, detail))

    def fell_back(self, stage: str, error: Exception, to: str) -> None:
        """Note that a stage failed and what stands in for it.

        The log gets our own errors' messages; of any other only kind and place, as its
        message may repeat what was asked or read.
        """
        log.warning(
            "stage_failed",
            stage=stage,
            error=type(error).__name__,
            reason=str(error) if isinstance(error, AttestError) else "",
            raised_at=_place(error),
        )
        self.fallbacks.append(f"{stage}: {type(error).__name__}, {to}")

    def timings_ms(self) -> Mapping[str, float]:
        """Return milliseconds by stage, repeated stages summed, and `total`."""
        totals: dict[str, float] = defaultdict(float)
        for stage in self.stages:
            totals[stage.stage] += stage.milliseconds
        totals["total"] = (time.perf_counter() - self.started) * 1000
        return dict(totals)

    def seconds(self) -> float:
        """Return how long the question has taken."""
        return time.perf_counter() - self.started

    def has_time(self, stage: str, share: float) -> bool:
        """Tell whether an optional stage may begin; if not, note that it was skipped.

        It may until `share` of the question's time is gone.
        """
        if self.seconds() < share * self.deadline_s:
            return True
        self.fallbacks.append(f"{stage}: skipped, the question's time is running out")
        return False


def _place(error: Exception) -> str:
    """Return file and line that raised an error, "" where it wasn't raised."""
    frames = traceback.extract_tb(error.__traceback__, limit=-1)
    return "".join(f"{Path(frame.filename).name}:{frame.lineno}" for frame in frames)
