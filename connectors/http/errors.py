"""How a request to a source can fail.

ConnectorError (connectors.errors)
├── HttpError               has `status`, or None where no whole answer came
│   ├── BadRequest          400, 409, 410, 422 and the like: a cursor that is stale, …
│   ├── Forbidden           403: this one thing, or a scope that the key lacks
│   ├── NotFound            404: it isn't there, or this account can't see it
│   ├── RateLimited         429 for longer than a run waits; has `until`
│   ├── Unavailable         5xx, no connection, a time limit
│   │   └── BrokenOff       an answer that began, and came to no end at any try
│   ├── NotJson             a page (of a proxy or sign-in) where data was expected
│   ├── TooDeep             data that nests deeper than Python reads JSON
│   ├── TooLarge            more bytes than the limit
│   └── OffOrigin           a link or redirect to another place than the source's
└── PermanentError
    └── NotSignedIn         401: the key is wrong, expired or withdrawn

A message names service, method, path (never a query: it may hold titles and cursors)
and the mend. It holds no key, header or body.
"""

from __future__ import annotations

from datetime import datetime

from connectors.errors import ConnectorError, PermanentError


class HttpError(ConnectorError):
    """A request failed. `status` is the answer's, None without a whole answer."""

    def __init__(self, message: str, status: int | None = None) -> None:
        """Keep the status beside the message."""
        super().__init__(message)
        self.status = status


class BadRequest(HttpError):
    """The source doesn't take this request; asking again won't help."""


class Forbidden(HttpError):
    """The source refuses this one thing to this account."""


class NotFound(HttpError):
    """There's no such thing for this account."""


class RateLimited(HttpError):
    """The source wants a longer pause than a run makes."""

    def __init__(self, message: str, until: datetime) -> None:
        """Keep the time from which it may be asked again."""
        super().__init__(message, 429)
        self.until = until


class Unavailable(HttpError):
    """The source didn't answer, or not whole, however often it was asked."""


class BrokenOff(Unavailable):
    """An answer began and came to no end, however often it was asked for."""


class NotJson(HttpError):
    """Something else than data came back."""


class TooDeep(HttpError):
    """An answer nests deeper than Python reads JSON, as no editor's text does."""


class TooLarge(HttpError):
    """The answer is larger than the limit."""


class OffOrigin(HttpError):
    """A link or redirect leads away from the source; it's not followed."""


class NotSignedIn(PermanentError):
    """The source doesn't know this key; a person has to give another."""

    status = 401
