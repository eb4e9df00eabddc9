"""A folder as a source: every run walks all of it and reads what changed.

An unchanged file costs a stat; one whose time changed, a hash. Deletions are found in
the same run, as it ends with `Complete`. README.md here says what is left out and why.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from connectors.access import check_names, principals_named
from connectors.base import (
    Change,
    Check,
    Complete,
    Cursor,
    Known,
    Membership,
    Notice,
    Total,
)
from connectors.errors import (
    IncompleteListing,
    OptionError,
    PermanentError,
    SourceMissing,
)
from connectors.files.converting import Converter, PackageConverter
from connectors.files.file import FileReader, Root
from connectors.files.names import external_id
from connectors.files.options import OPTIONS as OPTIONS
from connectors.files.options import FilesOptions
from connectors.files.walking import Entry, UnreadableFolder, walk
from connectors.models import Source
from memory.access import AccessRule, Principal


def connect(source: Source, options: Mapping[str, Any]) -> Files:
    """Return the connector of a source; raises OptionError for wrong options."""
    return Files(source.id, FilesOptions.of(options))


class Files:
    """Reads a folder; implements connectors.base.Connector."""

    def __init__(
        self,
        source_id: UUID,
        options: FilesOptions,
        *,
        converter: Converter | None = None,
        resolve: Callable[[Sequence[str]], frozenset[Principal]] = principals_named,
    ) -> None:
        """Touch nothing yet."""
        self._source_id = source_id
        self._options = options
        self._converter = converter or PackageConverter()
        self._resolve = resolve

    def check(self) -> list[Check]:
        """Open the folder, and look at the names under `access`."""
        return [self._check_read(), self._check_access(), Check("changes", ok=True)]

    def _check_read(self) -> Check:
        try:
            with self._root() as root:
                os.listdir(root.descriptor)
        except (SourceMissing, OSError) as error:
            # Nothing may have been read yet, so nothing is said of what was indexed.
            cause = error.__cause__ if isinstance(error, SourceMissing) else error
            return Check("read", ok=False, message=_unopened(self._options.path, cause))
        return Check("read", ok=True)

    def _check_access(self) -> Check:
        try:
            check_names(self._options.access)
        except OptionError as error:
            return Check("access", ok=False, message=str(error))
        return Check("access", ok=True)

    def changes(self, since: Cursor | None, known: Known) -> Iterator[Change]:
        """Yield something for every file there is, then Complete; `since` is unused.

        Raises SourceMissing when the folder isn't there, before or after.
        """
        rule = self._rule()
        with self._root() as root:
            reader = FileReader(
                root, self._source_id, self._options, self._converter, rule
            )
            found = list(self._walk(root))
            yield Total(sum(isinstance(item, Entry) for item in found))
            for item in found:
                if isinstance(item, UnreadableFolder):
                    yield unreadable_notice(item)
                else:
                    yield from reader.changes(item, known)
            root.check_still_there()
        yield Complete()

    def listing(self) -> Iterator[str]:
        """Yield the ids of all files, also of those that can't be read."""
        with self._root() as root:
            for item in self._walk(root):
                if isinstance(item, UnreadableFolder):
                    raise IncompleteListing(unreadable_notice(item).message)
                yield item.external_id
            root.check_still_there()

    def access(self) -> Iterator[tuple[str, AccessRule]]:
        """Yield every file with the source's one rule."""
        rule = self._rule()
        for name in self.listing():
            yield name, rule

    def memberships(self) -> Iterator[Membership]:
        """Yield nothing: a folder has no groups of its own."""
        return iter(())

    def _rule(self) -> AccessRule:
        try:
            return AccessRule.of(self._resolve(self._options.access))
        except OptionError as error:
            raise PermanentError(str(error)) from error

    def _walk(self, root: Root) -> Iterator[Entry | UnreadableFolder]:
        try:
            yield from walk(root.path, self._options.selection)
        except OSError as error:
            raise missing(self._options.path, error) from error

    @contextmanager
    def _root(self) -> Iterator[Root]:
        try:
            root = Root.opened(self._options.path)
        except OSError as error:
            raise missing(self._options.path, error) from error
        try:
            yield root
        finally:
            os.close(root.descriptor)


def _unopened(path: str, error: BaseException | None) -> str:
    """Say what is wrong with a folder that may never have been read."""
    why = getattr(error, "strerror", None) or "it is not there"
    return (
        f"The folder “{external_id((path,))}” can't be opened ({why}). Correct the "
        "path, or let the user that Attest runs as read it."
    )


def missing(path: str, error: OSError) -> SourceMissing:
    """Return the error for a folder that isn't there, isn't one, or can't be opened."""
    return SourceMissing(
        f"The folder “{external_id((path,))}” can't be opened ({error.strerror}). "
        "Nothing was deleted, and what was indexed goes on answering. Mount or restore "
        "it, let the user that Attest runs as read it, or change the option “path”."
    )


def unreadable_notice(item: UnreadableFolder) -> Notice:
    """Return the notice of a folder that could not be listed."""
    name = external_id(item.parts)
    return Notice(
        f"The folder “{name}” can't be listed ({item.why}). Nothing under it was read "
        "or deleted. Let the user that Attest runs as read it, or exclude it.",
        reason="unreadable_folder",
        incomplete=True,
        external_prefix=f"{name}/",
    )
