"""Confluence as a source.

README.md says what is read; docs/connectors/confluence.md how it behaves, each line with
its test.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from connectors.base import Change, Check, Cursor, Known, Membership, Notice
from connectors.confluence.checks import Checks
from connectors.confluence.client import Client
from connectors.confluence.cloud import CloudSite
from connectors.confluence.data_center import DataCenterSite
from connectors.confluence.marks import Mark
from connectors.confluence.options import OPTIONS as OPTIONS
from connectors.confluence.options import ConfluenceOptions
from connectors.confluence.passes import Passes
from connectors.confluence.rules import account, team, user_class
from connectors.confluence.site import Site, User
from connectors.confluence.survey import Survey, Surveyor
from connectors.errors import ConnectorError, IncompleteListing, PermanentError
from connectors.files.converting import Converter, PackageConverter
from connectors.http import Patience
from connectors.http.errors import RateLimited
from connectors.models import Source
from memory.access import NOBODY_RULE, AccessRule


def connect(source: Source, options: Mapping[str, Any]) -> Confluence:
    """Return the connector of a source; raises OptionError for wrong options."""
    return Confluence(source.id, ConfluenceOptions.of(options))


class Confluence:
    """Reads a site; implements connectors.base.Connector.

    `patience` says how requests wait; whoever runs a sync may watch its pauses.
    """

    def __init__(
        self,
        source_id: UUID,
        options: ConfluenceOptions,
        *,
        client: Client | None = None,
        converter: Converter | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """Touch nothing yet."""
        client = client or Client(options)
        self.patience: Patience = client.patience
        self._source_id = source_id
        self._options = options
        #: Accounts that rules name, once all rules were made.
        self._named: set[str] | None = None
        kind = CloudSite if options.is_cloud else DataCenterSite
        self._site: Site = kind(client, options.base_url)
        self._surveyor = Surveyor(source_id, self._site, options)
        self._passes = Passes(self._surveyor, converter or PackageConverter(), clock)

    def check(self) -> list[Check]:
        """Try to read, to tell who may read, to see changes, to fetch a file."""
        return Checks(self._site, self._surveyor, self._options).all()

    def changes(self, since: Cursor | None, known: Known) -> Iterator[Change]:
        """Yield what isn't as it was, of everything or of what changed (passes.py)."""
        for change in self._passes.changes(since, known):
            yield from self._pauses()
            yield change
        yield from self._pauses()

    def listing(self) -> Iterator[str]:
        """Yield the ids of all pages, blog posts and attachments."""
        with_end = self._seen_whole(self._surveyor.pages)
        yield from with_end.nodes
        yield from (attachment.id for attachment in with_end.attachments)

    def access(self, known: Known | None = None) -> Iterator[tuple[str, AccessRule]]:
        """Yield every document's rule as it is now; nobody's where it can't be told.

        With `known`, a page whose text still holds another page that not all of its
        readers may read any more is nobody's until the next run reads it again.
        """
        survey = self._seen_whole(lambda: self._surveyor.whole(with_comments=False))
        for node in survey.nodes.values():
            rule = survey.rule_or_nobody(node)
            mark = Mark.parse(known.mark(node.id)) if known is not None else None
            shown = mark.shown() if mark is not None else ()
            if all(survey.admits(page_id, rule) for page_id in shown):
                yield node.id, rule
            else:
                yield node.id, NOBODY_RULE
        for attachment in survey.attachments:
            page = survey.nodes[attachment.page_id]
            yield attachment.id, survey.rule_or_nobody(page)
        self._named = survey.rules.named

    def memberships(self) -> Iterator[Membership]:
        """Yield groups with their members, then each account as a group of one.

        Accounts are those of the groups and those that a space or list names. After
        `access` on the same connector the latter needn't be looked for again.
        """
        people: dict[str, str] = {}
        for found in self._site.groups():
            members = list(self._site.members(found))
            people.update((user.id, user.name) for user in members)
            principal = team(self._source_id, found.id)
            yield Membership(principal, found.name, [user.id for user in members])
        if self._named is None:
            for _ in self.access():
                pass
        for id_ in sorted(people.keys() | (self._named or set())):
            name = people.get(id_) or id_
            yield Membership(account(self._source_id, id_), name, [id_])
        if self._options.is_cloud:
            for name in ("all-licensed-users", "authenticated-users"):
                principal = user_class(self._source_id, name)
                yield Membership(principal, name.replace("-", " "))

    def accounts(self) -> list[User]:
        """Return the members of all groups, with what e-mail addresses the site shows."""
        found: dict[str, User] = {}
        for item in self._site.groups():
            found.update((user.id, user) for user in self._site.members(item))
        return list(found.values())

    def _seen_whole(self, look: Callable[[], Survey]) -> Survey:
        try:
            return look()
        except (PermanentError, IncompleteListing, RateLimited):
            raise
        except ConnectorError as error:
            raise IncompleteListing(
                f"Not all of the site could be seen, so nothing is deleted. {error}"
            ) from error

    def _pauses(self) -> Iterator[Notice]:
        """Tell of the pauses that the site asked for."""
        while self.patience.waits:
            yield Notice(self.patience.waits.pop(0).message, reason="waited")
