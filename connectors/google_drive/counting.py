"""What was listed, what's of kinds that are read, and what was read: told, and compared."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from connectors.base import Notice
from connectors.google_drive.reading import Reader
from connectors.google_drive.rules import Met
from connectors.google_drive.survey import Survey
from connectors.google_drive.values import User

#: More files than this, and more than this share of a drive's, that weren't read.
GAP_FILES, GAP_SHARE = 10, 0.10
NAMED = 5


def counted(survey: Survey, reader: Reader) -> Iterator[Notice]:
    """Yield how much was listed and read, and each drive of which much is missing."""
    listed, eligible, indexed = (
        sum(counts.values())
        for counts in (survey.listed, reader.eligible, reader.indexed)
    )
    yield Notice(
        f"{listed:,} files were listed, {eligible:,} of them are chosen and of kinds "
        f"that are read, and {indexed:,} of those were read.",
        "counted",
    )
    for corpus in survey.corpora.all:
        yield from _gap(corpus.key, corpus.name, reader)


def _gap(key: str, name: str, reader: Reader) -> Iterator[Notice]:
    eligible, indexed = reader.eligible[key], reader.indexed[key]
    missing = eligible - indexed
    if missing <= GAP_FILES or missing <= GAP_SHARE * eligible:
        return
    reasons = reader.missed.get(key)
    named = ", ".join(
        f"{reason} ({count:,})" for reason, count in (reasons or {}).items()
    )
    yield Notice(
        f"Of {eligible:,} files in {name} {indexed:,} were read. Why the others weren't: "
        f"{named}. Each is listed with its reason.",
        "large_gap",
        is_warning=True,
    )


def shared(met: Met) -> Iterator[Notice]:
    """Yield what of the permissions grants nobody, and how to mend it."""
    if met.only_by_link:
        yield Notice(
            f"{len(met.only_by_link):,} files are open by their link alone, which the "
            "source's options don't count, so nobody is shown them: see "
            "“anyone_with_link” and “company_links”.",
            "only_by_link",
        )
    if met.untold:
        yield Notice(
            f"Google doesn't tell with whom {len(met.untold):,} files are shared, so "
            "they're shown to the accounts that read them alone. Give those the right to "
            "share them: as managers of a shared drive, as editors elsewhere.",
            "untold_permissions",
            is_warning=True,
        )


def unmapped(groups: Collection[User], *, has_directory: bool) -> Iterator[Notice]:
    """Yield that files are shared with groups whose members can't be read."""
    if not groups:
        return
    names = sorted(item.email or item.name for item in groups)
    told = ", ".join(names[:NAMED]) + (", …" if len(names) > NAMED else "")
    mend = (
        "Look whether “directory_admin” may read them; those of other companies can't be."
        if has_directory
        else "Set “directory_admin”."
    )
    yield Notice(
        f"Files are shared with {len(names):,} groups ({told}), and who is in them can't "
        f"be read, so they grant nobody. {mend}",
        "unmapped_groups",
        is_warning=True,
    )
