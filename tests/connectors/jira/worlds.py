"""A Jira on loopback as a source: tests change the site, then sync and ask."""

from dataclasses import dataclass, field

from connectors.http import Patience
from connectors.jira.client import Client
from connectors.jira.connector import OPTIONS, Jira
from connectors.jira.options import JiraOptions
from connectors.options import complete
from memory.access import ANYONE
from tests.connectors.worlds import World
from tests.vendors.jira.server import EMAIL, TOKEN, JiraServer
from tests.vendors.jira.state import Site


def adf(*paragraphs):
    """Return paragraphs as Cloud keeps them."""
    content = [
        {"type": "paragraph", "content": [{"type": "text", "text": words}]}
        for words in paragraphs
    ]
    return {"type": "doc", "version": 1, "content": content}


class NoKnown:
    def mark(self, external_id):
        return None


class KnownMarks:
    def __init__(self, source):
        self._marks = dict(source.documents.values_list("external_id", "mark"))

    def mark(self, external_id):
        return self._marks.get(external_id)


@dataclass
class JiraWorld(World):
    server: JiraServer | None = None
    extra: dict = field(default_factory=dict)
    waits: list = field(default_factory=list)

    @property
    def site(self) -> Site:
        return self.server.site

    def body(self, *paragraphs):
        """Return a text in the format of the deployment."""
        return adf(*paragraphs) if self.server.is_cloud else "\n\n".join(paragraphs)

    def options(self):
        values = {
            "deployment": "cloud" if self.server.is_cloud else "data_center",
            "base_url": self.server.url + self.server.context,
            "email": EMAIL if self.server.is_cloud else "",
            "token": TOKEN,
            **self.extra,
        }
        return JiraOptions.of(complete(values, OPTIONS))

    def connector(self):
        options = self.options()
        patience = Patience(sleep=lambda _: None, on_wait=self.waits.append, tries=3)
        media = (self.server.media.url,) if self.server.media else ()
        client = Client(options, patience=patience, also=media, gateway=self.server.url)
        return Jira(self.source.id, options, client=client)

    def sync(self, *changes, **control):
        control.setdefault("connector", self.connector())
        return super().sync(*changes, **control)

    def sync_whole(self):
        """Sync from the start: what isn't there any more goes."""
        self.source.cursor = None
        self.source.save()
        return self.sync()

    def text(self, issue, kind="", id_=""):
        return self.store.texts().get(self.name(issue, kind, id_), "")

    def name(self, issue, kind="", id_=""):
        return f"issue/{issue.id}/{kind}/{id_}" if kind else f"issue/{issue.id}"

    def known(self):
        """Return the marks of the source's rows, as a run knows them."""
        return KnownMarks(self.source)

    def changes(self, since=None, connector=None):
        return list((connector or self.connector()).changes(since, NoKnown()))


def principals_of(connector):
    """Return what each account holds, by the memberships that the source tells."""
    held = {}
    for membership in connector.memberships():
        for account in membership.members:
            held.setdefault(account, {ANYONE}).add(membership.group)
    return held
