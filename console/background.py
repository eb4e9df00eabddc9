"""What `serve` does beside answering requests: warm the models, sync what is due."""

from __future__ import annotations

from collections.abc import Callable

import structlog
from django.conf import settings

from console.serving import LOOK_EVERY_S, Repeating

log = structlog.get_logger(__name__)


def background_work() -> tuple[Repeating, ...]:
    """Return the threads of a process that serves; none is started yet."""
    return (Repeating("due syncs", BackgroundWork(), LOOK_EVERY_S),)


class BackgroundWork:
    """Loads the models at its first call, so that no reader waits for them; then syncs.

    Where there are workers, they sync.
    """

    def __init__(self) -> None:
        """Nothing is loaded yet."""
        self._is_warm = False

    def __call__(self, should_stop: Callable[[], bool]) -> None:
        """Do what is due now; a sync ends between batches when it should stop."""
        if not self._is_warm:
            self._is_warm = True
            warm()
        if settings.ATTEST_REDIS_URL:
            return
        from connectors.syncing import run_due

        run_due(should_stop=should_stop)


def warm() -> None:
    """Load encoder and store; a failure is logged, as requests tell it again."""
    from memory.errors import AttestError
    from memory.runtime import runtime

    try:
        runtime().pipeline()
    except AttestError as error:
        log.error("The pipeline can't be loaded.", reason=str(error))
