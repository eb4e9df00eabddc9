"""What a run tells: counts, seconds by stage, issues, and progress while it goes on."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from connectors.content_json import storable_text
from connectors.models import SyncIssue, SyncRun
from connectors.syncing_lease import Lease
from memory.building import BuildReport

Severity = SyncIssue.Severity

#: A reason code is shown in lists; the message has room for the rest.
MAX_REASON = 60


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run is. `total` is None until it's known."""

    stage: str
    seen: int
    total: int | None
    counts: Mapping[str, int]
    texts_embedded: int = 0


@dataclass(slots=True)
class Report:
    """Collects what happened; `saved_with` writes it in a batch's transaction."""

    run: SyncRun
    on_progress: Callable[[Progress], None] | None = None
    counts: Counter[str] = field(default_factory=Counter)
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    stage: str = "read"
    total: int | None = None
    incomplete: bool = False
    texts_embedded: int = 0
    #: Why the last extraction failed, and whether the others weren't tried.
    undistilled_reason: str = ""
    distillation_stopped: bool = False
    _issues: list[SyncIssue] = field(default_factory=list)

    def issue(
        self,
        severity: Severity,
        reason: str,
        message: str,
        *,
        external_id: str = "",
        title: str = "",
        url: str = "",
    ) -> None:
        """Keep an issue for the next `saved_with`."""
        self._issues.append(
            SyncIssue(
                run=self.run,
                severity=severity,
                reason=reason[:MAX_REASON],
                message=storable_text(message),
                external_id=storable_text(external_id),
                title=storable_text(title),
                url=storable_text(url),
            )
        )

    def enter(self, stage: str) -> None:
        """Say which stage the run is in."""
        self.stage = stage
        self.show()

    def show(self) -> None:
        """Call `on_progress` with where the run is."""
        if self.on_progress is not None:
            self.on_progress(
                Progress(
                    self.stage,
                    self.counts["seen"],
                    self.total,
                    self.counts,
                    self.texts_embedded,
                )
            )

    def spend(self, stage_seconds: Mapping[str, float]) -> None:
        """Add seconds to their stages."""
        for stage, seconds in stage_seconds.items():
            self.seconds[stage] += seconds

    def distilled(self, built: BuildReport) -> None:
        """Note how extraction went in a batch."""
        self.undistilled_reason = built.undistilled_reason or self.undistilled_reason
        self.distillation_stopped |= built.distillation_stopped

    def tell_undistilled(self) -> str:
        """Keep one issue for all that has no memories yet; return why it stopped.

        "" where extraction went on to the end, whatever failed in it.
        """
        missing = self.counts["undistilled"]
        if not missing:
            return ""
        self.issue(
            Severity.WARNING,
            "distillation_stopped" if self.distillation_stopped else "not_distilled",
            f"{missing:,} passages have no memories yet: {self.undistilled_reason} "
            "Their text is found all the same; a later run asks again.",
        )
        if not self.distillation_stopped:
            return ""
        return f"Memories are made later: {self.undistilled_reason}"

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the block's time to a stage."""
        started = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[stage] += time.perf_counter() - started

    @contextmanager
    def saved_with(
        self, lease: Lease, run: Mapping[str, object] | None = None, **source: object
    ) -> Iterator[None]:
        """Run a block in one fenced transaction, with counts, times and issues in it.

        `run` and `source` are fields of either row to set besides. Issues are kept
        until they're committed.
        """
        with lease.transaction(**source):
            yield
            SyncIssue.objects.bulk_create(self._issues, batch_size=500)
            SyncRun.objects.filter(pk=self.run.pk).update(
                counts=dict(self.counts),
                stage_seconds={name: round(s, 3) for name, s in self.seconds.items()},
                stage=self.stage,
                total=self.total,
                incomplete=self.incomplete,
                heartbeat_at=lease.clock(),
                **(run or {}),
            )
        self._issues.clear()
