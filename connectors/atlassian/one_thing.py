"""One thing's own failure, told apart from the site's or the way's.

A page that is broken at the source answers 500, HTML or half of itself for ever, and must
not stop a run for ever. A site that is down, or a limit, ends the run, which goes on
later: what was known stays.
"""

from __future__ import annotations

from dataclasses import dataclass

from connectors.http.errors import (
    BrokenOff,
    HttpError,
    NotJson,
    OffOrigin,
    TooDeep,
    TooLarge,
)

_OWN = (OffOrigin, TooDeep, TooLarge, NotJson, BrokenOff)
_OWN_STATUS = frozenset({400, 403, 404, 409, 410, 413, 422, 500})
#: So many in a row, with nothing read in between, are the site's.
MOST_IN_A_ROW = 3


def is_of_one_thing(error: HttpError) -> bool:
    """Tell whether a failure leaves the rest of a run as it is."""
    return isinstance(error, _OWN) or error.status in _OWN_STATUS


def may_be_the_sites(error: HttpError) -> bool:
    """Tell whether a site that is broken as a whole answers like this, too."""
    return isinstance(error, NotJson | BrokenOff) or error.status == 500


@dataclass(slots=True)
class OneByOne:
    """Watches things that are asked for one after the other."""

    _in_a_row: int = 0

    def read(self) -> None:
        """Take note of one that could be read."""
        self._in_a_row = 0

    def failed(self, error: HttpError) -> None:
        """Take note of one that couldn't; raise what isn't its own failure."""
        if not is_of_one_thing(error):
            raise error
        if not may_be_the_sites(error):
            return
        self._in_a_row += 1
        if self._in_a_row >= MOST_IN_A_ROW:
            raise error
