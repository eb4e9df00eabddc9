"""What a page's markup names and doesn't hold: people, pages, files, included text.

Text of another page comes in only where everybody who may read the including page may
read the included one too; else it's left out and counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from connectors.confluence.marks import TOO_NARROW
from connectors.confluence.rules import Denied, Rules, is_as_wide
from connectors.confluence.site import Node, Site
from connectors.confluence.storage_format import excerpt_of
from connectors.http.errors import BadRequest, Forbidden, NotFound
from memory.access import AccessRule


@dataclass(slots=True)
class People:
    """Names by account, each asked for once a run."""

    site: Site
    _names: dict[str, str] = field(default_factory=dict)

    def name(self, account: str) -> str:
        """Return a person's name, or the account's id where it's hidden."""
        if account and account not in self._names:
            try:
                self._names[account] = self.site.user_name(account)
            except (NotFound, Forbidden, BadRequest):
                self._names[account] = ""
        return self._names.get(account) or account


@dataclass(slots=True)
class Included:
    """A page whose text may be put into others."""

    node: Node
    body: str


#: Finds a page by its space and title.
Find = Callable[[str, str], Node | None]


@dataclass(slots=True)
class Library:
    """Pages that others include, each read once a run."""

    site: Site
    rules: Rules
    find: Find
    _bodies: dict[str, str] = field(default_factory=dict)

    def page(self, space_key: str, title: str) -> Node | None:
        """Return a current page by its title, None where it can't be found."""
        try:
            return self.find(space_key, title)
        except (NotFound, Forbidden, BadRequest):
            return None

    def admits(self, node: Node, including: AccessRule) -> bool:
        """Tell whether all readers of a rule may read the page."""
        try:
            return is_as_wide(self.rules.of(node), including)
        except Denied:
            return False

    def body(self, node: Node) -> str:
        """Return a page's markup."""
        if node.id not in self._bodies:
            found = self.site.bodies([node.id]).found.get(node.id)
            self._bodies[node.id] = found[1] if found else ""
        return self._bodies[node.id]


@dataclass(slots=True)
class PageReferences:
    """Answers what one page asks; implements macros.References.

    `included_versions` afterwards holds what became of each included page: its version,
    or TOO_NARROW.
    """

    node: Node
    rule: AccessRule
    site: Site
    people: People
    library: Library
    included_versions: dict[str, str] = field(default_factory=dict)

    def user_name(self, account: str) -> str:
        """Return a person's name, or the account's id."""
        return self.people.name(account)

    def page_url(self, title: str, space_key: str, anchor: str) -> str:
        """Return the address of a page by its title."""
        return self.site.page_url(space_key or self.node.space_key, title, anchor)

    def file_url(self, name: str) -> str:
        """Return the address of a file on this page."""
        return self.site.file_url(self.node.id, name)

    def issue_url(self, key: str) -> str:
        """Return the address of a Jira issue, or ""."""
        return self.site.issue_url(key)

    def included(
        self, title: str, space_key: str, *, excerpt: str | None
    ) -> str | None:
        """Return the text of another page, None where not all readers may see it."""
        found = self.library.page(space_key or self.node.space_key, title)
        if found is None or found.id == self.node.id:
            return None
        if not self.library.admits(found, self.rule):
            self.included_versions[found.id] = TOO_NARROW
            return None
        self.included_versions[found.id] = str(found.version)
        body = self.library.body(found)
        return body if excerpt is None else excerpt_of(body, excerpt)
