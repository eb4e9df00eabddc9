"""Celery's beat with its schedule in SQL, and a heartbeat from its own loop."""

from __future__ import annotations

from typing import Any

import structlog
from django.db import DatabaseError, close_old_connections
from django_celery_beat.schedulers import DatabaseScheduler

from console.heartbeats import Heartbeat

log = structlog.get_logger(__name__)


class WatchedScheduler(DatabaseScheduler):  # type: ignore[misc]
    """Says that it's alive at each turn of its loop, and outlives the database."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Say nothing yet."""
        self._heartbeat: Heartbeat | None = None
        super().__init__(*args, **kwargs)

    def setup_schedule(self) -> None:
        """Write our entries; raise RuntimeError where that failed, as it's but logged."""
        super().setup_schedule()
        if missing := self.app.conf.beat_schedule.keys() - self.schedule.keys():
            raise RuntimeError(f"Not scheduled: {', '.join(sorted(missing))}.")

    def all_as_schedule(self) -> Any:
        """Return the schedule as SQL has it, as it was while SQL can't be asked."""
        try:
            return super().all_as_schedule()
        except DatabaseError as error:
            if not self._schedule:
                raise
            log.warning("schedule_not_read", reason=type(error).__name__)
            return self._schedule

    def tick(self, *args: Any, **kwargs: Any) -> float:
        """Send what is due; return the seconds to the next turn."""
        close_old_connections()
        wait: float = super().tick(*args, **kwargs)
        if self._heartbeat is None:
            self._heartbeat = Heartbeat("beat")
        self._heartbeat.beat_if_due()
        return wait

    def close(self) -> None:
        """Save the schedule, and take the heartbeat back."""
        super().close()
        if self._heartbeat is not None:
            self._heartbeat.end()
