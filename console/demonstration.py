"""What `make demo` shows: which folders become sources, and what is asked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from connectors.models import Source

SAMPLE = settings.BASE_DIR / "deploy" / "sample"
KIND = "files"

#: A rule, a table's row, and something that no document says.
QUESTIONS = (
    "How do I expense a monitor?",
    "What does the Team plan cost per user and month?",
    "When was the company founded?",
)


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that the demo makes a source of."""

    name: str
    path: Path

    def source(self) -> Source | None:
        """Return the source that an earlier demo made of this very folder."""
        made = Source.objects.filter(kind=KIND, options__path=str(self.path))
        return made.first()


def sample_folders() -> tuple[Folder, ...]:
    """Return the folders of the sample workspace."""
    return (
        Folder("Sample handbook", SAMPLE / "handbook"),
        Folder("Sample operations", SAMPLE / "operations"),
        Folder("Sample shared drive", SAMPLE / "shared-drive"),
    )


def own_folder(path: Path) -> Folder:
    """Return a folder of the user's under a name that no other source has."""
    folder = path.expanduser().resolve()
    name, number = folder.name or "Documents", 1
    taken = set(
        Source.objects.exclude(options__path=str(folder)).values_list("name", flat=True)
    )
    while name in taken:
        number += 1
        name = f"{folder.name} {number}"
    return Folder(name, folder)
