"""What a page's markup names and doesn't hold: people, pages, files, included text.

Text of another page comes in only where everybody who may read the including page may
read the included one too; else it's left out and counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from connectors.atlassian.one_thing import OneByOne
from connectors.confluence.bodies import BodyReader
from connectors.confluence.macros import Inclusion
from connectors.confluence.marks import TOO_NARROW
from connectors.confluence.rules import Denied, Rules, is_as_wide
from connectors.confluence.site import Node, Site
from connectors.confluence.storage_format import excerpts_of
from connectors.http.errors import HttpError
from memory.access import AccessRule


@dataclass(slots=True)
class People:
    """Names by account, each asked for once a run."""

    site: Site
    _names: dict[str, str] = field(default_factory=dict)
    _things: OneByOne = field(default_factory=OneByOne)

    def name(self, account: str) -> str:
        """Return a person's name, or the account's id where it's hidden."""
        if account and account not in self._names:
            self._names[account] = self._asked(account)
        return self._names.get(account) or account

    def _asked(self, account: str) -> str:
        try:
            found = self.site.user_name(account)
        except HttpError as error:
            self._things.failed(error)
            return ""
        self._things.read()
        return found


#: Finds a page by its space and title.
Find = Callable[[str, str], Node | None]


@dataclass(slots=True)
class Library:
    """Pages that others include, each read once a run."""

    bodies: BodyReader
    rules: Rules
    find: Find
    _bodies: dict[str, str | None] = field(default_factory=dict)
    _excerpts: dict[str, dict[str, str]] = field(default_factory=dict)
    _things: OneByOne = field(default_factory=OneByOne)

    def page(self, space_key: str, title: str) -> Node | None:
        """Return a current page by its title, None where it can't be found."""
        try:
            found = self.find(space_key, title)
        except HttpError as error:
            self._things.failed(error)
            return None
        self._things.read()
        return found

    def admits(self, node: Node, including: AccessRule) -> bool:
        """Tell whether all readers of a rule may read the page."""
        try:
            return is_as_wide(self.rules.of(node), including)
        except Denied:
            return False

    def body(self, node: Node) -> str | None:
        """Return a page's markup, None where it can't be read."""
        if node.id not in self._bodies:
            found = self.bodies.read([node.id]).found.get(node.id)
            self._bodies[node.id] = found[1] if found else None
        return self._bodies[node.id]

    def excerpt(self, node: Node, body: str, name: str) -> str | None:
        """Return the markup of a page's excerpt, None where it has no such."""
        if node.id not in self._excerpts:
            self._excerpts[node.id] = excerpts_of(body)
        return self._excerpts[node.id].get(name)


@dataclass(frozen=True, slots=True)
class PageReferences:
    """Answers what one page asks; implements macros.References.

    `node` is the page whose markup asks: the one that is read, or one that it includes.
    `rule` is always that of the first. `included_versions` afterwards holds what became
    of each included page: its version, TOO_NARROW, or "" where it couldn't be read.
    """

    node: Node
    rule: AccessRule
    site: Site
    people: People
    library: Library
    included_versions: dict[str, str] = field(default_factory=dict)
    #: Pages that are open around this one's markup.
    _above: frozenset[str] = frozenset()

    def user_name(self, account: str) -> str:
        """Return a person's name, or the account's id."""
        return self.people.name(account)

    def page_url(self, title: str, space_key: str, anchor: str) -> str:
        """Return the address of a page by its title."""
        return self.site.page_url(space_key or self.node.space_key, title, anchor)

    def file_url(self, name: str) -> str:
        """Return the address of a file on this page."""
        return self.site.file_url(self.node.id, name)

    def id_url(self, content_id: str) -> str:
        """Return the address of a page by its id."""
        return self.site.id_url(content_id)

    def issue_url(self, key: str) -> str:
        """Return the address of a Jira issue, or ""."""
        return self.site.issue_url(key)

    def included(
        self, title: str, space_key: str, *, excerpt: str | None
    ) -> Inclusion | None:
        """Return another page's text, None where not all readers may see it."""
        found = self.library.page(space_key or self.node.space_key, title)
        above = self._above | {self.node.id}
        if found is None or found.id in above:
            return None
        if not self.library.admits(found, self.rule):
            self.included_versions[found.id] = TOO_NARROW
            return None
        markup = self.library.body(found)
        self.included_versions[found.id] = "" if markup is None else str(found.version)
        if markup is not None and excerpt is not None:
            markup = self.library.excerpt(found, markup, excerpt)
        if markup is None:
            return None
        return Inclusion(markup, replace(self, node=found, _above=above))
