"""What a Confluence site is to the connector, whatever serves it: values and a protocol.

Ids are the vendor's, as text. A person is named by account id (Cloud) or user key (Data
Center), a group by its id (Cloud) or its name (Data Center, which gives no id).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from connectors.http.errors import HttpError


@dataclass(frozen=True, slots=True)
class Space:
    """A space that isn't archived."""

    id: str
    key: str
    name: str


@dataclass(frozen=True, slots=True)
class Subjects:
    """Who a permission or restriction names."""

    users: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    #: Everybody without signing in.
    anonymous: bool = False
    #: Cloud's classes of users ("all-licensed-users"), which no list has.
    classes: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        """Tell whether it names anybody; a restriction that doesn't restricts nothing."""
        return bool(self.users or self.groups or self.anonymous or self.classes)


NO_SUBJECTS = Subjects()


@dataclass(frozen=True, slots=True)
class Parent:
    """What a page lies under: `kind` is page, folder, whiteboard, database, embed."""

    kind: str
    id: str


@dataclass(frozen=True, slots=True)
class Node:
    """A current page or blog post, without its text."""

    id: str
    kind: str  # page, blog_post
    title: str
    space_key: str
    version: int
    url: str
    updated_at: datetime | None = None
    author: str = ""
    owner: str = ""
    parent: Parent | None = None


@dataclass(frozen=True, slots=True)
class Comment:
    """A comment with its answers. `selection` is the text that it was put on."""

    id: str
    author: str
    created_at: datetime | None
    body: str
    selection: str = ""
    is_resolved: bool = False
    replies: tuple[Comment, ...] = ()


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file on a page. `download` is its address at the source."""

    id: str
    page_id: str
    name: str
    size: int
    version: int
    url: str
    download: str
    updated_at: datetime | None = None
    author: str = ""


@dataclass(frozen=True, slots=True)
class Changed:
    """Something that was changed: a page, or what hangs on it."""

    page_id: str
    changed_at: datetime | None
    #: "" where it isn't told.
    space_key: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What of a page isn't in its version: who may view it, and its labels."""

    readers: Subjects = NO_SUBJECTS
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Group:
    """A group of the site's directory."""

    id: str
    name: str


@dataclass(frozen=True, slots=True)
class User:
    """A member of a group. `email` is "" where the site hides it, as Cloud does."""

    id: str
    name: str = ""
    email: str = ""


@dataclass(slots=True)
class Bodies:
    """Pages with their markup, by id; one that isn't there is left out.

    `failed` are those that the site can't give, each by its own fault.
    """

    found: dict[str, tuple[Node, str]] = field(default_factory=dict)
    failed: dict[str, HttpError] = field(default_factory=dict)


class Site(Protocol):
    """Reads one site. Everything raises the errors of `connectors.http`.

    Whatever is a list at the source is followed to its end or raises IncompleteListing.
    """

    def whoami(self) -> str:
        """Return the name of the account that is signed in."""
        ...

    def spaces(self) -> Iterator[Space]:
        """Yield the current spaces that the account sees."""
        ...

    def space_readers(self, space: Space) -> Subjects:
        """Return who may view a space."""
        ...

    def nodes(self, space: Space) -> Iterator[Node]:
        """Yield a space's current pages and blog posts."""
        ...

    def facts(self, space: Space) -> Iterator[tuple[str, Facts]]:
        """Yield what is known of the space's pages in bulk; it may lack new ones."""
        ...

    def readers_of(self, content_id: str) -> Subjects:
        """Return a page's or folder's own list of who may view it, complete."""
        ...

    def labels_of(self, page_id: str) -> tuple[str, ...]:
        """Return a page's labels, in order."""
        ...

    def ancestors(self, node: Parent) -> Sequence[Parent]:
        """Return all that a page or folder lies under."""
        ...

    def bodies(self, nodes: Iterable[str]) -> Bodies:
        """Return current pages and blog posts with their storage format."""
        ...

    def page_titled(self, space_key: str, title: str) -> Node | None:
        """Return a current page by its title."""
        ...

    def comment_versions(
        self, space: Space | None, page_ids: Sequence[str] = ()
    ) -> Iterator[tuple[str, str, int]]:
        """Yield page, comment and version of all comments of a space, or of pages."""
        ...

    def comments(self, node: Node) -> Sequence[Comment]:
        """Return a page's comments with their bodies, oldest first."""
        ...

    def attachments(self, spaces: Sequence[Space]) -> Iterator[Attachment]:
        """Yield all current attachments; of more spaces, if it must."""
        ...

    def attachments_of(self, node: Node) -> Iterator[Attachment]:
        """Yield a page's attachments."""
        ...

    def download(self, attachment: Attachment, *, max_bytes: int) -> bytes:
        """Return a file's bytes."""
        ...

    def changed_since(self, literal: str) -> Iterator[Changed]:
        """Yield what changed since "yyyy-MM-dd HH:mm" in the site's time, oldest first."""
        ...

    def user_name(self, account: str) -> str:
        """Return a person's name; "" where it's hidden."""
        ...

    def groups(self) -> Iterator[Group]:
        """Yield all groups."""
        ...

    def members(self, group: Group) -> Iterator[User]:
        """Yield a group's members."""
        ...

    def page_url(self, space_key: str, title: str, anchor: str) -> str:
        """Return the address of a page by its title."""
        ...

    def id_url(self, content_id: str) -> str:
        """Return an address that leads on to a content."""
        ...

    def file_url(self, page_id: str, name: str) -> str:
        """Return the address of a file on a page."""
        ...

    def issue_url(self, key: str) -> str:
        """Return the address of a Jira issue beside the site, or ""."""
        ...


def chunked(items: Iterable[str], size: int) -> Iterator[list[str]]:
    """Yield the items in lists of at most `size`."""
    waiting: list[str] = []
    for item in items:
        waiting.append(item)
        if len(waiting) == size:
            yield waiting
            waiting = []
    if waiting:
        yield waiting
