"""Deletions: what a run didn't come across, and when that's too much to believe.

An empty or short listing is more often a mount that vanished or a right that was
withdrawn than a company that threw its documents away.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from connectors.models import Document
from connectors.syncing_known import KnownDocument, KnownDocuments

#: More than this many documents and more than this share of the source's: held.
HOLD_ABOVE_DOCUMENTS = 20
HOLD_ABOVE_SHARE = 0.30

#: A statement has at most so many variables, whatever the database.
HELD_AT_ONCE = 500

MISSING_REASON = "missing_at_source"


@dataclass(slots=True)
class Seen:
    """What of a source a run looked at: all of it, and which parts not."""

    complete: bool = False
    hidden_prefixes: list[str] = field(default_factory=list)

    def covers(self, external_id: str) -> bool:
        """Tell whether a document would have been seen, had it been there."""
        return not any(external_id.startswith(item) for item in self.hidden_prefixes)


def gone(known: KnownDocuments, seen: Seen) -> list[KnownDocument]:
    """Return the documents that aren't at the source any more, by external id."""
    if not seen.complete:
        return []
    rows = (row for row in known.unseen() if seen.covers(row.external_id))
    return sorted(rows, key=lambda row: row.external_id)


def must_hold(gone: Sequence[KnownDocument], known: KnownDocuments) -> bool:
    """Tell whether so many deletions need an administrator's word.

    Only documents that answer are counted; the share is of those of the source. What
    an earlier run held waits on, however small its share has become since.
    """
    if any(row.state == Document.State.HELD for row in gone):
        return True
    lost = sum(row.answers for row in gone)
    return lost > HOLD_ABOVE_DOCUMENTS and lost > HOLD_ABOVE_SHARE * known.answering()


def hold_message(source_name: str, gone: Sequence[KnownDocument], total: int) -> str:
    """Say what is held and how to go on."""
    lost = [row.external_id for row in gone if row.answers]
    names = ", ".join(f"“{name}”" for name in lost[:3])
    return (
        f"{len(lost)} of {total} documents are missing at the source ({names}, …). "
        "Nothing was deleted and they go on answering. If they are really gone: "
        f"./manage.py sync '{source_name}' --approve-deletions. If not, make the "
        "source whole again and sync it."
    )


def hold(gone: Sequence[KnownDocument]) -> None:
    """Mark documents as held; call it inside a fenced transaction."""
    ids = [row.id for row in gone if row.answers]
    for start in range(0, len(ids), HELD_AT_ONCE):
        Document.objects.filter(id__in=ids[start : start + HELD_AT_ONCE]).update(
            state=Document.State.HELD,
            reason=MISSING_REASON,
            message="It's missing at the source; its deletion waits for approval.",
        )
