"""Errors of connectors and syncing.

ConnectorError              ends the run; it's tried again on schedule
├── PermanentError          needs a person first: the source is paused
├── SourceMissing           the source isn't where it was: the run is held
└── IncompleteListing       the end of a listing was not seen: nothing is deleted
SyncError                   a run can't start or go on, whatever the connector says
├── AlreadySyncing          another worker holds the source's lease
└── LeaseLost               another worker took the lease over: write nothing more
OptionError                 a source's option is unknown, missing or wrong
AccessError                 nobody, or no document, is known by that name
ConversionError             one document can't be read; its reason is shown
"""

from __future__ import annotations


class ConnectorError(Exception):
    """A run can't go on. The message is for an administrator and holds no secret."""


class PermanentError(ConnectorError):
    """Trying again won't help until a person changes something."""


class SourceMissing(ConnectorError):
    """The source isn't where it was, so nothing may be concluded from what's not seen."""


class IncompleteListing(ConnectorError):
    """The end of a listing was not seen, so what is missing from it may exist."""


class SyncError(Exception):
    """A run can't start or go on."""


class AlreadySyncing(SyncError):
    """Another worker is syncing the source."""


class LeaseLost(SyncError):
    """Another worker took the source over; whoever sees this writes nothing more."""


class OptionError(Exception):
    """A source's option is unknown, missing or wrong; the message names it."""


class AccessError(Exception):
    """Nobody, or no document, is known by that name."""


class ConversionError(Exception):
    """One document's bytes can't be turned into text.

    `reason` is a short stable code for filters (`password_protected`, `no_text`,
    `damaged`, `too_large`, `unsupported`, …); the message is for an administrator.
    """

    def __init__(self, reason: str, message: str) -> None:
        """Keep the code beside the message."""
        super().__init__(message)
        self.reason = reason
