"""Pages' markup, many at once; where that fails, one by one to tell which it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from connectors.atlassian.one_thing import OneByOne, is_of_one_thing
from connectors.confluence.site import Bodies, Site
from connectors.http.errors import HttpError


@dataclass(frozen=True, slots=True)
class BodyReader:
    """Reads the markup of one site's pages."""

    site: Site
    things: OneByOne = field(default_factory=OneByOne)

    def read(self, ids: Sequence[str]) -> Bodies:
        """Return pages by id. Raises what isn't one page's own failure."""
        try:
            found = self.site.bodies(ids)
        except HttpError as error:
            if len(ids) == 1:
                self.things.failed(error)
                return Bodies(failed={ids[0]: error})
            if not is_of_one_thing(error):
                raise
            return self._each(ids)
        self.things.read()
        return found

    def _each(self, ids: Sequence[str]) -> Bodies:
        bodies = Bodies()
        for id_ in ids:
            one = self.read([id_])
            bodies.found |= one.found
            bodies.failed |= one.failed
        return bodies
