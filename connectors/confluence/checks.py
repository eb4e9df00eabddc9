"""What of a site works for its account, and how to mend what doesn't."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice

from connectors.base import Check
from connectors.confluence.cursors import Position
from connectors.confluence.options import ConfluenceOptions
from connectors.confluence.rules import Denied, Rules
from connectors.confluence.site import Node, Site
from connectors.confluence.survey import Surveyor
from connectors.errors import ConnectorError

#: Enough to try a right on, and no more.
_SAMPLE = 5


@dataclass(frozen=True, slots=True)
class Checks:
    """Tries each capability with as few requests as it takes."""

    site: Site
    surveyor: Surveyor
    options: ConfluenceOptions

    def all(self) -> list[Check]:
        """Return every capability's check; the later ones need the first."""
        read = self._tried("read", self._read)
        if not read.ok:
            rest = ["access", "changes", "attachments"]
            told = "Not tried, as reading doesn't work."
            return [read, *(Check(name, ok=False, message=told) for name in rest)]
        return [
            read,
            self._tried("access", self._access),
            self._tried("changes", self._changes),
            self._tried("attachments", self._attachments),
        ]

    def _tried(self, name: str, attempt: Callable[[], str]) -> Check:
        try:
            return Check(name, ok=True, message=attempt())
        except _Broken as broken:
            return Check(name, ok=False, message=str(broken))
        except (ConnectorError, Denied) as error:
            return Check(name, ok=False, message=str(error))

    def _read(self) -> str:
        who = self.site.whoami()
        spaces = self.surveyor.spaces()
        missing = sorted(self.options.spaces - spaces.keys())
        if missing:
            raise _Broken(
                f"{who} doesn't see these spaces: {', '.join(missing)}. Give that "
                "account view permission, or mend the option “spaces”."
            )
        if not spaces:
            raise _Broken(
                f"{who} sees no space. Give that account view permission to the spaces "
                "that are to be read."
            )
        return f"{who} sees {len(spaces)} spaces."

    def _nodes(self) -> list[Node]:
        found: list[Node] = []
        for space in islice(self.surveyor.spaces().values(), _SAMPLE):
            found.extend(islice(self.site.nodes(space), 1))
        return found

    def _access(self) -> str:
        rules = Rules(
            self.site,
            self.surveyor.source_id,
            self.options.anonymous,
            self.surveyor.spaces(),
        )
        nodes = self._nodes()
        unread = sorted(
            {node.space_key for node in nodes if not all(rules.of(node).layers)}
        )
        if unread:
            raise _Broken(
                f"Confluence names nobody who may view {', '.join(unread)}, so nobody "
                "would be shown their pages. Give groups or people permission to view "
                "the spaces, or leave these out by the option “exclude_spaces”."
            )
        for found in islice(self.site.groups(), 1):
            list(islice(self.site.members(found), 1))
        return f"Tried on {len(nodes)} pages and one group."

    def _changes(self) -> str:
        since = datetime.now(UTC) - timedelta(days=1)
        list(islice(self.site.changed_since(Position(since=since).window()), 1))
        return ""

    def _attachments(self) -> str:
        if not self.options.attachments:
            return "They aren't read, by the option “attachments”."
        spaces = list(self.surveyor.spaces().values())
        for attachment in islice(self.site.attachments(spaces), 1):
            if attachment.size <= self.options.max_bytes:
                self.site.download(attachment, max_bytes=self.options.max_bytes)
                return "One was fetched."
        return "There's none to try."


class _Broken(Exception):  # noqa: N818 - it's a finding, no error
    """A capability that doesn't work; the message names the mend."""
