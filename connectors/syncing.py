"""Syncing sources: what commands, console and scheduler use.

How a run goes is told in `syncing_run`; how it's started by itself in
`syncing_schedule`.
"""

from connectors.syncing_index import Index
from connectors.syncing_report import Progress
from connectors.syncing_run import Control, run_sync
from connectors.syncing_schedule import (
    due_sources,
    next_run_at,
    run_due,
    runtime_index,
)

__all__ = [
    "Control",
    "Index",
    "Progress",
    "due_sources",
    "next_run_at",
    "run_due",
    "run_sync",
    "runtime_index",
]
