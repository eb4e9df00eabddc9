"""A source's contract: what changed, what exists, who may read it.

One connector is one package under `connectors/` and one line in `registry.py`. Its
options are data (`Option`), so the console and `add_source` need no code for it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from memory.access import AccessRule, Principal
from memory.documents import Document

#: Where a source's changes were last read, JSON values only. Opaque outside.
Cursor = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Option:
    """One setting of a source, shown in the console and taken by `add_source`."""

    name: str
    label: str
    help: str = ""
    type: str = "text"  # text, path, number, switch, list, secret
    required: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True)
class Check:
    """One capability of a source: does it work, and how to mend it if not."""

    capability: str  # read, access, changes
    ok: bool
    message: str = ""


@dataclass(frozen=True, slots=True)
class Upsert:
    """A document as it is now, with who may read it."""

    document: Document
    rule: AccessRule
    #: The source's own mark for "unchanged" (a file's size, time and hash; a version).
    #: It's handed back in `Known.mark` at the next run.
    mark: str = ""
    #: Things that an administrator should know though the document was read: pairs
    #: of a short stable reason and a message.
    warnings: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Unchanged:
    """A document that was looked at and needs nothing.

    `mark` may be new (touched). `rule` is who may read it now, where the connector
    knows that without reading it; None leaves it as it was.
    """

    external_id: str
    mark: str = ""
    rule: AccessRule | None = None


@dataclass(frozen=True, slots=True)
class Delete:
    """A document that is gone, or must not be indexed any more."""

    external_id: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """A document that isn't indexed by choice or by kind, with a reason to show.

    With a `mark` that comes back in `Known.mark`, it needn't be read again either.
    """

    external_id: str
    url: str
    reason: str
    message: str
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Failed:
    """A document that could not be read: hidden until it can be, and shown."""

    external_id: str
    url: str
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about the run itself that an administrator should see.

    `incomplete` means that what lies under `external_prefix` was not seen, so nothing
    there may be deleted. `is_warning` is for what someone should mend, though all of
    the source was seen.
    """

    message: str
    reason: str = "notice"
    incomplete: bool = False
    external_prefix: str = ""
    is_warning: bool = False


@dataclass(frozen=True, slots=True)
class Total:
    """How many documents the run will look at, as soon as that's known."""

    count: int


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """All before this is done; a later run may start here."""

    cursor: Cursor


@dataclass(frozen=True, slots=True)
class Complete:
    """The whole source was looked at in this run.

    What was not yielded is gone, but for what lies under an incomplete `Notice`. A
    connector that reads only what changed never yields it; it's pruned by `listing`.
    """


Change = (
    Upsert
    | Unchanged
    | Delete
    | Skipped
    | Failed
    | Notice
    | Total
    | Checkpoint
    | Complete
)


@dataclass(frozen=True, slots=True)
class Membership:
    """A group at the source and the people in it, by vendor account id or e-mail."""

    group: Principal
    name: str
    members: Sequence[str] = field(default_factory=tuple)


class Known(Protocol):
    """What an earlier run left, so that an unchanged document costs nothing."""

    def mark(self, external_id: str) -> str | None:
        """Return the mark of a document that is indexed or skipped, else None.

        A failed document has none, so it's read again.
        """
        ...


class Connector(Protocol):
    """A source of documents. It never raises for one document: that's a `Failed`."""

    def check(self) -> list[Check]:
        """Try each capability and say how to mend what doesn't work."""
        ...

    def changes(self, since: Cursor | None, known: Known) -> Iterator[Change]:
        """Yield what changed after `since`, in an order that a Checkpoint can resume.

        None means from the start. ConnectorError ends the run.
        """
        ...

    def listing(self) -> Iterator[str]:
        """Yield every external id that exists now.

        Raises IncompleteListing unless the end was seen.
        """
        ...

    def access(self) -> Iterator[tuple[str, AccessRule]]:
        """Yield every document's rule as it is now, without content.

        Raises IncompleteListing unless the end was seen.
        """
        ...

    def memberships(self) -> Iterator[Membership]:
        """Yield the source's groups with their people."""
        ...
