"""Who may view a page: the space, its own list, and every list above it.

Confluence lets in who passes all of them; an empty list restricts nothing. Where a list
can't be read, nobody is let in: a doubt means no.
https://confluence.atlassian.com/confcloud/add-or-remove-page-restrictions-724764891.html
(read 2026-12)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from connectors.atlassian.one_thing import OneByOne
from connectors.confluence.site import Facts, Node, Parent, Site, Space, Subjects
from connectors.errors import ConnectorError, IncompleteListing
from connectors.http.errors import Forbidden, HttpError, NotFound
from memory.access import AccessRule, Principal, group

#: What may make one page's readers doubtful. A site that's down or wants a pause makes
#: none (see OneByOne): it ends the run, and what was known stays.
DOUBTS = (HttpError, IncompleteListing)


class Denied(Exception):  # noqa: N818 - it's a verdict, no error
    """Who may view a page can't be told; the message says why and names the mend."""


def account(source_id: UUID, account_id: str) -> Principal:
    """Return the principal of a site's account.

    A group of one, which `memberships` gives its member: so a rule needs no link
    between account and person, and a link that comes later changes no rule.
    """
    return group(source_id, f"account:{account_id}")


def team(source_id: UUID, group_id: str) -> Principal:
    """Return the principal of a site's group, which no group's name can make another."""
    return group(source_id, f"group:{group_id}")


def user_class(source_id: UUID, name: str) -> Principal:
    """Return the principal of a class of users that no list has; a group to mark."""
    return group(source_id, f"class:{name}")


def is_as_wide(included: AccessRule, including: AccessRule) -> bool:
    """Tell whether everybody who may read `including` may read `included` too.

    Each of its layers is implied by one that is no wider.
    """
    return bool(included.layers) and all(
        any(layer <= wider for layer in including.layers) for wider in included.layers
    )


@dataclass(slots=True)
class Rules:
    """Makes rules of one site; what is asked for once is kept for the run."""

    site: Site
    source_id: UUID
    anonymous: Principal
    #: Current spaces by key, and pages by id as far as they're known.
    spaces: Mapping[str, Space]
    nodes: Mapping[str, Node] = field(default_factory=dict)
    facts: dict[str, Facts] = field(default_factory=dict)
    #: Accounts that a rule has named so far.
    named: set[str] = field(default_factory=set)
    _things: OneByOne = field(default_factory=OneByOne)
    _spaces: dict[str, frozenset[Principal]] = field(default_factory=dict)
    _readers: dict[str, Subjects] = field(default_factory=dict)
    _above: dict[str, Sequence[Parent]] = field(default_factory=dict)

    def of(self, node: Node) -> AccessRule:
        """Return a page's rule. Raises Denied where it can't be told."""
        space = self._space_layer(node.space_key)
        lists = [self.readers(Parent("page", node.id))]
        lists += [self.readers(parent) for parent in self._ancestors(node)]
        return AccessRule.of(space, *(self._layer(item) for item in lists if item))

    def _space_layer(self, key: str) -> frozenset[Principal]:
        if key not in self._spaces:
            space = self.spaces.get(key)
            if space is None:
                raise Denied(f"Its space “{key}” isn't among those that are read.")
            try:
                self._spaces[key] = self._layer(self.site.space_readers(space))
                self._things.read()
            except DOUBTS as error:
                self._doubt(error)
                raise Denied(
                    f"Who may view the space “{key}” is not told, so nobody reads what "
                    f"lies there. {error}"
                ) from error
        return self._spaces[key]

    def readers(self, place: Parent) -> Subjects:
        """Return a page's or folder's own list, empty where it has none."""
        if place.id in self.facts:
            return self.facts[place.id].readers
        if place.id not in self._readers:
            self._readers[place.id] = self._asked(place)
        return self._readers[place.id]

    def _asked(self, place: Parent) -> Subjects:
        try:
            found = self.site.readers_of(place.id)
        except NotFound as error:
            # A draft above a page restricts nothing yet, and isn't found. Of anything
            # else that isn't found it can't be told what it restricts.
            if place.kind == "page":
                return Subjects()
            raise unreadable(place, error) from error
        except DOUBTS as error:
            self._doubt(error)
            raise unreadable(place, error) from error
        self._things.read()
        return found

    def _doubt(self, error: ConnectorError) -> None:
        """Raise what is no doubt about one place."""
        if isinstance(error, HttpError):
            self._things.failed(error)

    def _ancestors(self, node: Node) -> list[Parent]:
        """Return all that lies above, from the pages that are known or by asking."""
        found: list[Parent] = []
        current: Node | None = node
        while current is not None and current.parent is not None:
            parent = current.parent
            if any(parent.id == seen.id for seen in found):
                raise Denied("Its ancestors go in a circle, so nobody reads the page.")
            above = self.nodes.get(parent.id)
            if above is None:
                found.extend(self._asked_above(current, parent))
                return found
            found.append(parent)
            current = above
        return found

    def _asked_above(self, node: Node, parent: Parent) -> Sequence[Parent]:
        """Ask for what a page lies under, where its parent isn't a known page."""
        place = parent if parent.kind != "page" else Parent("page", node.id)
        if place.id not in self._above:
            try:
                self._above[place.id] = self.site.ancestors(place)
                self._things.read()
            except DOUBTS as error:
                self._doubt(error)
                raise unreadable(place, error) from error
        found = self._above[place.id]
        return [parent, *found] if place is parent else found

    def _layer(self, subjects: Subjects) -> frozenset[Principal]:
        self.named |= subjects.users
        layer = {account(self.source_id, user) for user in subjects.users}
        layer |= {team(self.source_id, name) for name in subjects.groups}
        layer |= {user_class(self.source_id, name) for name in subjects.classes}
        return frozenset(layer | {self.anonymous} if subjects.anonymous else layer)


def unreadable(place: Parent, error: ConnectorError) -> Denied:
    """Return the verdict for a list that can't be read."""
    what = "refused" if isinstance(error, Forbidden) else "not told"
    return Denied(
        f"Who may view the {place.kind} {place.id} is {what}, so nobody reads what lies "
        f"there. {error}"
    )
