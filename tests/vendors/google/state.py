"""What a Google Workspace holds: people, groups, drives, files, rights, change logs.

Methods are what people do; each write goes into the change logs that the vendor's pages
say it goes into (https://developers.google.com/workspace/drive/api/guides/about-changes,
read 2026-12-01): a My Drive's file into the logs of all who have it, a shared drive's
into the drive's own. What lies in a folder gets no entry when the folder is moved,
trashed or shared.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

GOOGLE = "application/vnd.google-apps."
FOLDER, SHORTCUT, DOC = f"{GOOGLE}folder", f"{GOOGLE}shortcut", f"{GOOGLE}document"
SHEET, SLIDES = f"{GOOGLE}spreadsheet", f"{GOOGLE}presentation"
DRAWING, FORM = f"{GOOGLE}drawing", f"{GOOGLE}form"
TEXT, PDF = "text/plain", "application/pdf"

READS = ("owner", "organizer", "fileOrganizer", "writer", "commenter", "reader")
SHARES = ("owner", "organizer", "fileOrganizer", "writer")


@dataclass
class Person:
    email: str
    id: str
    name: str
    is_active: bool = True
    #: The account was deleted: permissions go on naming it.
    is_deleted: bool = False
    in_directory: bool = True


@dataclass
class Group:
    email: str
    id: str
    name: str
    #: E-mail addresses of people and groups; "*" is everybody in the directory.
    members: set[str] = field(default_factory=set)
    is_hidden: bool = False


@dataclass
class Grant:
    """A permission on an item itself."""

    kind: str  # user, group, domain, anyone
    to: str = ""  # an e-mail address, or a domain
    role: str = "reader"
    is_findable: bool = False
    expires_at: datetime | None = None
    view: str = ""


@dataclass
class Drive:
    id: str
    name: str
    members: list[Grant] = field(default_factory=list)
    is_for_members: bool = False
    is_for_its_domain: bool = False


@dataclass
class Item:
    id: str
    name: str
    mime: str
    parent: str
    drive: str = ""
    owner: str = ""
    editor: str = ""
    grants: list[Grant] = field(default_factory=list)
    is_trashed: bool = False
    is_limited: bool = False
    modified: datetime = datetime(2026, 3, 2, 12, tzinfo=UTC)
    data: bytes = b""
    #: The JSON of a Doc's tabs, a presentation's slides, a spreadsheet's sheets.
    content: object = None
    exported: dict[str, bytes] = field(default_factory=dict)
    target: str = ""
    #: Readers may neither download nor copy it.
    is_locked: bool = False
    size: int | None = None


class Workspace:
    """Everything there is. Clock, ids and logs are its own."""

    domain = "example.com"

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 12, tzinfo=UTC)
        self.people: dict[str, Person] = {}
        self.groups: dict[str, Group] = {}
        self.drives: dict[str, Drive] = {}
        self.items: dict[str, Item] = {}
        #: Ids of changed items by log: "user:EMAIL" or "drive:ID", in order.
        self.logs: dict[str, list[str]] = {}
        self._next = 0

    # People and drives

    def new_id(self, prefix: str = "f") -> str:
        self._next += 1
        return f"{prefix}{self._next:05d}-{hashlib.sha256(str(self._next).encode()).hexdigest()[:12]}"

    def add_person(self, name: str, *, domain: str = "", **more) -> Person:
        email = f"{name}@{domain or self.domain}"
        id_ = str(int(hashlib.sha256(email.encode()).hexdigest()[:15], 16))
        more.setdefault("in_directory", domain in ("", self.domain))
        made = Person(email, id_, name.title(), **more)
        self.people[email] = made
        self.logs[f"user:{email}"] = []
        return made

    def add_group(self, name: str, *members: str, domain: str = "") -> Group:
        email = f"{name}@{domain or self.domain}"
        id_ = str(int(hashlib.sha256(email.encode()).hexdigest()[:15], 16))
        made = Group(email, id_, name.title(), set(members))
        self.groups[email] = made
        return made

    def add_drive(self, name: str, *members: Grant, **more) -> Drive:
        made = Drive(self.new_id("0A"), name, list(members), **more)
        self.drives[made.id] = made
        self.logs[f"drive:{made.id}"] = []
        return made

    def root_of(self, email: str) -> str:
        return f"root-{self.people[email].id}"

    def pass_time(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)

    # What people do with files

    def add(
        self,
        name: str,
        *,
        mime: str = TEXT,
        owner: str = "",
        drive: Drive | None = None,
        parent: Item | None = None,
        **more,
    ) -> Item:
        """Make a file, in a folder, a shared drive or the owner's My Drive."""
        if parent is not None:
            drive_id, place = parent.drive, parent.id
            owner = owner or parent.owner
        else:
            drive_id = drive.id if drive else ""
            place = drive_id or self.root_of(owner)
        if drive_id:
            owner = ""
        if isinstance(more.get("data"), str):
            more["data"] = more["data"].encode()
        made = Item(
            self.new_id(),
            name,
            mime,
            place,
            drive=drive_id,
            owner=owner,
            modified=self.now,
            **more,
        )
        self.items[made.id] = made
        self._changed(made)
        if parent is not None:
            # A folder that gets a child is named in the log, too.
            self._changed(parent)
        return made

    def folder(self, name: str, **more) -> Item:
        return self.add(name, mime=FOLDER, **more)

    def shortcut(self, target: Item, **more) -> Item:
        return self.add(target.name, mime=SHORTCUT, target=target.id, **more)

    def edit(self, item: Item, **fields) -> None:
        """Change content or name: the one write that moves the time of a file."""
        for name, value in fields.items():
            assert hasattr(item, name), name
            setattr(
                item,
                name,
                value.encode() if name == "data" and isinstance(value, str) else value,
            )
        item.modified = self.now
        self._changed(item)

    def trash(self, item: Item) -> None:
        item.is_trashed = True
        self._changed(item)

    def restore(self, item: Item) -> None:
        item.is_trashed = False
        self._changed(item)

    def move(self, item: Item, to: Item | Drive | str) -> None:
        """Move into a folder, the top of a shared drive, or somebody's My Drive."""
        logs = self._logs(item)
        if isinstance(to, Item):
            item.parent, drive, owner = to.id, to.drive, to.owner
        elif isinstance(to, Drive):
            item.parent, drive, owner = to.id, to.id, ""
        else:
            item.parent, drive, owner = self.root_of(to), "", to
        if drive != item.drive:
            for inner in [item, *self.below(item)]:
                inner.drive, inner.owner = drive, "" if drive else owner
        self._changed(item, logs)

    def delete(self, item: Item) -> None:
        """Delete for good, with all that lies in it; only the item itself is named."""
        logs = self._logs(item)
        for inner in [item, *self.below(item)]:
            del self.items[inner.id]
        for log in logs:
            self._write(log, item.id)

    def share(self, item: Item, grant: Grant) -> Grant:
        logs = self._logs(item)
        item.grants.append(grant)
        self._changed(item, logs)
        return grant

    def unshare(self, item: Item, grant: Grant) -> None:
        logs = self._logs(item)
        item.grants.remove(grant)
        self._changed(item, logs)

    def limit(self, folder: Item, *, is_limited: bool = True) -> None:
        logs = self._logs(folder)
        folder.is_limited = is_limited
        self._changed(folder, logs)

    def below(self, item: Item) -> list[Item]:
        found, waiting = [], [item.id]
        while waiting:
            parent = waiting.pop()
            inner = [i for i in self.items.values() if i.parent == parent]
            found.extend(inner)
            waiting.extend(i.id for i in inner)
        return found

    # Change logs

    def _logs(self, item: Item) -> set[str]:
        if item.drive:
            return {f"drive:{item.drive}"}
        return {f"user:{email}" for email in self.people if self.may_read(email, item)}

    def _changed(self, item: Item, before: set[str] = frozenset()) -> None:
        for log in before | self._logs(item):
            self._write(log, item.id)

    def _write(self, log: str, item_id: str) -> None:
        # The newest entry of an item takes the place of the one before.
        entries = self.logs.setdefault(log, [])
        entries[:] = [None if entry == item_id else entry for entry in entries]
        entries.append(item_id)

    # Who may read what, plainly

    def path(self, item: Item) -> list[Item]:
        """Return the item and the folders around it, inmost first."""
        found = [item]
        while (parent := self.items.get(found[-1].parent)) is not None:
            found.append(parent)
        return found

    def is_in_trash(self, item: Item) -> bool:
        return any(step.is_trashed for step in self.path(item))

    def effective(self, item: Item) -> list[tuple[Grant, bool]]:
        """Return the grants that open an item, each with whether it's inherited."""
        found: list[tuple[Grant, bool]] = []
        is_cut = False
        for number, step in enumerate(self.path(item)):
            for grant in step.grants:
                if not is_cut or grant.role in ("owner", "organizer"):
                    found.append((grant, number > 0))
            is_cut = is_cut or step.is_limited
        if item.drive:
            for grant in self.drives[item.drive].members:
                if not is_cut or grant.role == "organizer":
                    found.append((grant, True))
        else:
            found.append((Grant("user", item.owner, "owner"), False))
        return found

    def people_of(self, email: str, seen: frozenset[str] = frozenset()) -> set[str]:
        """Return a group's people, those of its groups too."""
        found: set[str] = set()
        group = self.groups.get(email)
        if group is None or email in seen:
            return found
        for member in group.members:
            if member == "*":
                found |= {
                    p.email
                    for p in self.people.values()
                    if p.in_directory and p.is_active
                }
            elif member in self.groups:
                found |= self.people_of(member, seen | {email})
            elif member in self.people and self.people[member].is_active:
                found.add(member)
        return found

    def opens(self, grant: Grant, email: str) -> bool:
        """Tell whether a grant lets somebody read, a link for anyone left aside."""
        if grant.view or grant.role not in READS:
            return False
        if grant.expires_at is not None and grant.expires_at <= self.now:
            return False
        match grant.kind:
            case "user":
                return grant.to == email
            case "group":
                return email in self.people_of(grant.to)
            case "domain":
                return email.endswith(f"@{grant.to}")
            case "anyone":
                return grant.is_findable
        return False

    def may_read(self, email: str, item: Item) -> bool:
        if not self.people[email].is_active or self.people[email].is_deleted:
            return False
        if not any(self.opens(grant, email) for grant, _ in self.effective(item)):
            return False
        if not item.drive:
            return True
        drive = self.drives[item.drive]
        if drive.is_for_members and not self.is_member(email, drive):
            return False
        return not drive.is_for_its_domain or email.endswith(f"@{self.domain}")

    def is_member(self, email: str, drive: Drive) -> bool:
        return any(self.opens(grant, email) for grant in drive.members)

    def may_share(self, email: str, item: Item) -> bool:
        return any(
            grant.role in SHARES and self.opens(grant, email)
            for grant, _ in self.effective(item)
        )
