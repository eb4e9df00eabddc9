"""What is told of a document whose bytes were no characters at the source."""

from __future__ import annotations

from memory.documents import Document

#: What stands for bytes that are no UTF-8; see connectors.http.reading.
_NO_CHARACTER = "\ufffd"


def damage_of(document: Document) -> list[tuple[str, str]]:
    """Return a warning where the document's text came broken, else none."""
    if _NO_CHARACTER not in document.content.text:
        return []
    message = (
        f"Some of its characters came broken; they're shown as {_NO_CHARACTER}. Open it "
        "at the source and save it anew."
    )
    return [("damaged_characters", message)]
