"""A source over a Confluence on loopback: tests change its state, sync, and ask."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from connectors import access as people
from connectors.confluence.client import Client
from connectors.confluence.connector import OPTIONS, Confluence
from connectors.confluence.options import ConfluenceOptions
from connectors.http import Patience
from connectors.models import Source
from connectors.options import complete
from connectors.syncing import Control, run_sync
from memory.access import Scope
from tests.connectors.worlds import DictStore, FakeEmbedder, index_of
from tests.vendors.confluence import CloudServer, DataCenterServer


class Nothing:
    """Knows no document."""

    def mark(self, external_id):
        return None


class KnownMarks:
    """The marks of a source's rows, as a run knows them."""

    def __init__(self, source):
        self._marks = dict(source.documents.values_list("external_id", "mark"))

    def mark(self, external_id):
        return self._marks.get(external_id)


@dataclass
class Site:
    """A server, the source that reads it, and the store that it's read into."""

    server: CloudServer | DataCenterServer
    source: Source
    store: DictStore = field(default_factory=DictStore)
    embedder: FakeEmbedder = field(default_factory=FakeEmbedder)
    pauses: list[float] = field(default_factory=list)
    #: Our clock, which has nothing to do with the server's.
    now: datetime = datetime(2026, 6, 1, 12, 0, tzinfo=UTC)
    settings: dict = field(default_factory=dict)
    also: tuple[str, ...] = ()
    gateway: str = ""

    @property
    def state(self):
        return self.server.state

    @property
    def is_cloud(self):
        return isinstance(self.server, CloudServer)

    def options(self):
        base = self.server.url if self.is_cloud else f"{self.server.url}/confluence"
        values = {
            "deployment": "cloud" if self.is_cloud else "data_center",
            "base_url": base,
            "email": self.state.email if self.is_cloud else "",
            "token": self.state.token,
            **self.settings,
        }
        return ConfluenceOptions.of(complete(values, OPTIONS))

    def connector(self):
        """Return a fresh connector, as every run has one."""
        options = self.options()
        patience = Patience(sleep=self.pauses.append)
        gateway = {"gateway": self.gateway} if self.gateway else {}
        client = Client(options, patience=patience, also=self.also, **gateway)
        return Confluence(
            self.source.id, options, client=client, clock=lambda: self.now
        )

    def sync(self, *, minutes=15, **control):
        """Run a sync as the schedule would, some minutes after the last."""
        self.now += timedelta(minutes=minutes)
        index = index_of(self.store, self.embedder)
        return run_sync(self.source, self.connector(), index, Control(**control))

    def sync_recent(self, **control):
        """Run one that looks at recent changes alone, as on a large site."""
        cursor = {**self.source.cursor, "whole_s": 3600.0}
        Source.objects.filter(pk=self.source.pk).update(cursor=cursor)
        self.source.refresh_from_db()
        return self.sync(**control)

    def texts(self):
        """Return every answering document's text by title."""
        return {held[0].title: "".join(held[3]) for held in self.store.held.values()}

    def states(self):
        """Return every document's state by external id."""
        return dict(self.source.documents.values_list("external_id", "state"))

    def rules(self):
        """Return every answering document's rule by external id."""
        rows = self.source.documents.filter(state="indexed").select_related("rule")
        return {row.external_id: row.rule.as_value() for row in rows}

    def principals(self, user):
        """Return what memberships give an account."""
        held = {people.WORKSPACE, people.ANYONE}
        for membership in self.connector().memberships():
            if user in membership.members:
                held.add(membership.group)
        return frozenset(held)

    def readable(self, user):
        """Return the external ids that the store would let a person read."""
        rules = self.rules()
        scope = Scope.of_person(self.principals(user), rules.values())
        return {
            held[0].external_id
            for held in self.store.held.values()
            if held[0].tokens & scope.tokens
        }


def reasons(run):
    """Return a run's issues as (reason, external id)."""
    return [(item.reason, item.external_id) for item in run.issues.all()]
