"""Errors of connectors and syncing.

    ConnectorError              ends the run; it's tried again on schedule
    ├── PermanentError          needs a person first: the source is paused
    └── IncompleteListing       the end of a listing was not seen: nothing is deleted
    ConversionError             one document can't be read; its reason is shown
"""

from __future__ import annotations


class ConnectorError(Exception):
    """A run can't go on. The message is for an administrator and holds no secret."""


class PermanentError(ConnectorError):
    """Trying again won't help until a person changes something."""


class IncompleteListing(ConnectorError):
    """The end of a listing was not seen, so what is missing from it may exist."""


class ConversionError(Exception):
    """One document's bytes can't be turned into text.

    `reason` is a short stable code for filters (`password_protected`, `no_text`,
    `damaged`, `too_large`, `unsupported`, …); the message is for an administrator.
    """

    def __init__(self, reason: str, message: str) -> None:
        """Keep the code beside the message."""
        super().__init__(message)
        self.reason = reason
