"""What a run's builds spend on models: written down, and kept within the budget."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from django.conf import settings

from memory.language_models.ledger import Ledger, Limit, collecting, keeping
from memory.models import write_spend


class RunSpending:
    """The ledger of one sync run, under ATTEST_BUILD_BUDGET_…"""

    def __init__(self, source_id: UUID) -> None:
        """Begin with nothing spent."""
        self._source_id = source_id
        self._ledger = Ledger(build_limit())

    @contextmanager
    def written(self) -> Iterator[None]:
        """Collect the calls made inside and write them, also when the inside fails.

        Written after each batch, so a killed run loses no more than the last one.
        """
        with keeping(self._ledger), collecting() as batch:
            try:
                yield
            finally:
                write_spend(batch.calls, source_id=self._source_id)


def build_limit() -> Limit:
    """Return how much one run may spend, as the settings have it."""
    return Limit(
        settings.ATTEST_BUILD_BUDGET_USD, settings.ATTEST_BUILD_BUDGET_TOKENS or None
    )
