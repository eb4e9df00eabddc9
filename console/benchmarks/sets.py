"""Data sets by name, and a folder's documents by the product's own connector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from connectors.base import Upsert
from connectors.models import Source
from connectors.registry import connector_for
from memory.documents import Document
from memory.errors import DataSetError
from memory.evaluation.datasets import DataSet, source_id
from memory.evaluation.financebench import QUESTIONS, load_financebench
from memory.evaluation.handbook import load_handbook
from memory.evaluation.locomo import load_locomo

#: All folders share it, so that the same files make the same index under any name.
_FOLDERS = "files"


class NothingKnown:
    """No file was seen before: each is read."""

    def mark(self, external_id: str) -> str | None:
        """Return None."""
        return None


def load_data_set(name: str, folder: Path, questions: Path | None) -> DataSet:
    """Return a data set; any other name than the two is a folder of documents.

    Raises DataSetError, which says what is missing or wrong and where.
    """
    if not folder.is_dir():
        raise DataSetError(f"--data {folder} is no folder.")
    if name == "locomo":
        if questions is not None:
            raise DataSetError("locomo has its questions in its files: no --questions.")
        return load_locomo(folder)
    if name == "financebench":
        return load_financebench(folder, questions)
    if questions is None and name == "handbook":
        raise DataSetError(
            "handbook needs --questions, a JSONL file (DATA.md's format)."
        )
    path = questions or folder / QUESTIONS
    if not path.is_file():
        raise DataSetError(
            f"There's no file of questions at {path}; name one by --questions."
        )
    return load_handbook(folder_documents(folder.resolve()), path, name=name)


def folder_documents(folder: Path) -> Iterator[Document]:
    """Yield what the `files` connector reads in a folder, in order of path.

    A file that it can't read is left out, as in a sync; a question that needs it is
    told by the loader.
    """
    source = Source(
        id=source_id(_FOLDERS),
        kind="files",
        name="files",
        options={"path": str(folder)},
    )
    found = [
        change.document
        for change in connector_for(source).changes(None, NothingKnown())
        if isinstance(change, Upsert)
    ]
    yield from sorted(found, key=lambda document: document.external_id)
