"""A Google Workspace on loopback as a source: tests change it, then sync and ask."""

from dataclasses import dataclass, field

from connectors.google_drive.connector import OPTIONS, GoogleDrive
from connectors.google_drive.options import DriveOptions
from connectors.http import Patience
from connectors.options import complete
from memory.access import ANYONE, WORKSPACE
from tests.connectors.worlds import World
from tests.vendors.google.server import GoogleServer
from tests.vendors.google.signing import key_file
from tests.vendors.google.state import Workspace


class NoKnown:
    def mark(self, external_id):
        return None


@dataclass
class DriveWorld(World):
    server: GoogleServer | None = None
    extra: dict = field(default_factory=dict)
    #: Seconds that requests waited, in pieces.
    slept: list = field(default_factory=list)

    @property
    def space(self) -> Workspace:
        return self.server.workspace

    def values(self):
        values = {
            "service_account_key": key_file(),
            "subjects": ["ada@example.com"],
            "directory_admin": "root@example.com",
            "base_url": self.server.url,
            **self.extra,
        }
        return {name: value for name, value in values.items() if value is not None}

    def options(self):
        return DriveOptions.of(complete(self.values(), OPTIONS))

    def connector(self):
        patience = Patience(sleep=self.slept.append, tries=3)
        return GoogleDrive(
            self.source.id,
            self.options(),
            patience=patience,
            clock=lambda: self.space.now,
        )

    def sync(self, *changes, **control):
        control.setdefault("connector", self.connector())
        return super().sync(*changes, **control)

    def sync_whole(self):
        """Sync from the start: what isn't there any more goes."""
        self.source.cursor = None
        self.source.save()
        return self.sync()

    def text(self, item):
        return self.store.texts().get(item.id, "")

    def ids(self):
        """Return the ids of what answers."""
        return set(self.store.texts())

    def changes(self, since=None, connector=None):
        return list((connector or self.connector()).changes(since, NoKnown()))


def held_by(connector, emails, *, employees=()):
    """Return what each person holds, by the memberships that the source tells."""
    held = {email: {ANYONE} for email in emails}
    for email in employees:
        held[email].add(WORKSPACE)
    for membership in connector.memberships():
        for email in membership.members:
            if email in held:
                held[email].add(membership.group)
    return held


def readers(world, rule, *, employees=()):
    emails = list(world.space.people)
    held = held_by(world.connector(), emails, employees=employees)
    return {e.partition("@")[0] for e in emails if rule.allows(held[e])}


def told(run, reason):
    """Return the messages of a run's issues of one reason."""
    return [item.message for item in run.issues.all() if item.reason == reason]
