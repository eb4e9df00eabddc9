"""Sources whose documents never leave this machine."""

from __future__ import annotations

from uuid import UUID

from connectors.models import Source


def sources_that_stay() -> frozenset[UUID]:
    """Return the sources marked "local models only", as they are now."""
    marked = Source.objects.filter(local_models_only=True)
    return frozenset(marked.values_list("id", flat=True))
