"""What a Confluence holds, and who may see it: the truth that tests change."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

NODES = ("page", "blogpost")


@dataclass
class Space:
    id: str
    key: str
    name: str
    status: str = "current"
    users: set[str] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)
    anonymous: bool = False
    classes: set[str] = field(default_factory=set)


@dataclass
class Item:
    """A page, blog post, folder, comment or attachment."""

    id: str
    type: str
    title: str
    space: str
    body: str = ""
    parent: str = ""
    #: The page that a comment or attachment hangs on; the comment that it answers.
    container: str = ""
    answers: str = ""
    status: str = "current"
    version: int = 1
    changed_at: datetime = datetime(2026, 6, 1, tzinfo=UTC)
    created_at: datetime = datetime(2026, 6, 1, tzinfo=UTC)
    author: str = "u-ada"
    labels: set[str] = field(default_factory=set)
    users: set[str] = field(default_factory=set)
    groups: set[str] = field(default_factory=set)
    selection: str = ""
    resolved: bool = False
    inline: bool = False
    data: bytes = b""


class State:
    """A site. Everything that changes a content moves its clock by a second."""

    def __init__(self) -> None:
        self.now = datetime(2026, 6, 1, 9, 0, tzinfo=UTC)
        self.spaces: dict[str, Space] = {}
        self.items: dict[str, Item] = {}
        self.users: dict[str, str] = {"u-ada": "Ada Lovelace", "u-bot": "Reader"}
        #: Addresses that people chose to show.
        self.emails: dict[str, str] = {}
        self.groups: dict[str, tuple[str, list[str]]] = {}
        #: Contents that the account that reads can't see (404), or whose restrictions
        #: are refused (403).
        self.hidden: set[str] = set()
        self.closed: set[str] = set()
        self.closed_spaces: set[str] = set()
        #: The time zone in which CQL's times are read.
        self.zone: tzinfo = UTC
        #: The one in which times are told, with its offset beside them.
        self.told_zone: tzinfo = UTC
        #: Written, but not in the search index yet.
        self.unindexed: set[str] = set()
        self.email, self.token = "bot@example.com", "t0ken-of-the-bot"
        self._last_id = 100

    # Changes, as people make them.

    def _id(self, prefix: str = "") -> str:
        self._last_id += 1
        return f"{prefix}{self._last_id}"

    def tick(self, **by: float) -> datetime:
        self.now += timedelta(**(by or {"seconds": 1}))
        return self.now

    def add_space(self, key: str, name: str = "", **more: Any) -> Space:
        more.setdefault("groups", {"g-staff"})
        self.spaces[key] = Space(self._id(), key, name or f"Space {key}", **more)
        return self.spaces[key]

    def add_group(self, id_: str, *members: str, name: str = "") -> None:
        self.groups[id_] = (name or id_, list(members))
        for member in members:
            self.users.setdefault(member, member.title())

    def add(self, space: str, title: str, body: str = "", **more: Any) -> Item:
        at = self.tick()
        more.setdefault("type", "page")
        prefix = "att" if more["type"] == "attachment" else ""
        item = Item(self._id(prefix), title=title, space=space, body=body, **more)
        item.changed_at = item.created_at = at
        self.items[item.id] = item
        return item

    def comment(self, page: Item, body: str, **more: Any) -> Item:
        return self.add(page.space, "", body, type="comment", container=page.id, **more)

    def attach(self, page: Item, name: str, data: bytes, **more: Any) -> Item:
        more |= {"type": "attachment", "container": page.id, "data": data}
        return self.add(page.space, name, **more)

    def edit(self, item: Item, body: str | None = None, **more: Any) -> None:
        if body is not None:
            item.body = body
        for name, value in more.items():
            setattr(item, name, value)
        item.version += 1
        item.changed_at = self.tick()

    def move(self, item: Item, parent: Item | None, space: str | None = None) -> None:
        """Moves don't count as changes: neither version nor time says so."""
        item.parent = parent.id if parent else ""
        if space:
            item.space = space

    def restrict(self, item: Item, *, users: Any = (), groups: Any = ()) -> None:
        """Nor do restrictions."""
        item.users, item.groups = set(users), set(groups)

    def archive(self, item: Item) -> None:
        item.status = "archived"

    def trash(self, item: Item) -> None:
        item.status = "trashed"

    def delete(self, item: Item) -> None:
        del self.items[item.id]

    # What the account that reads sees.

    def sees(self, item: Item) -> bool:
        container = self.items.get(item.container)
        if item.container and (container is None or not self.sees(container)):
            return False
        space = self.spaces.get(item.space)
        return (
            item.id not in self.hidden
            and space is not None
            and space.status == "current"
        )

    def current(self, *types: str, space: str = "") -> list[Item]:
        return [
            item
            for item in self.items.values()
            if item.type in types
            and item.status == "current"
            and self.sees(item)
            and (not space or item.space == space)
        ]

    def ancestors(self, item: Item) -> list[Item]:
        """Return all that an item lies under, the highest first."""
        found: list[Item] = []
        above = self.items.get(item.parent)
        while above is not None:
            found.insert(0, above)
            above = self.items.get(above.parent)
        return found

    # What people see: the oracle, written from Confluence's help, not from our code.

    def groups_of(self, user: str) -> set[str]:
        return {id_ for id_, (_, members) in self.groups.items() if user in members}

    def may_view(self, user: str, item: Item) -> bool:
        """Tell whether a person who is signed in may view a page or attachment."""
        if item.container:
            return self.may_view(user, self.items[item.container])
        mine = self.groups_of(user)
        space = self.spaces[item.space]
        if not (user in space.users or mine & space.groups or space.anonymous):
            return False
        for place in [item, *self.ancestors(item)]:
            restricted = place.users or place.groups
            if restricted and not (user in place.users or mine & place.groups):
                return False
        return True
