"""The two ways to read a site: all of it, or what changed since the last run.

All of it is looked at in a first run, and whenever that's cheap beside the time since it
was last done: only so are archived, deleted and moved pages seen, and lists of readers
that changed. Pages that are as they were aren't fetched in either.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from connectors.base import (
    Change,
    Checkpoint,
    Complete,
    Cursor,
    Delete,
    Failed,
    Known,
    Notice,
    Total,
    Unchanged,
)
from connectors.confluence.bodies import BodyReader
from connectors.confluence.cursors import Position, fingerprint
from connectors.confluence.files import FileReader
from connectors.confluence.marks import CommentVersion
from connectors.confluence.options import ConfluenceOptions
from connectors.confluence.pages import Renderer
from connectors.confluence.reading import PageReader, Wanted
from connectors.confluence.references import Find, Library, People
from connectors.confluence.rules import Rules
from connectors.confluence.site import Node, Site, Space, chunked
from connectors.confluence.survey import Survey, Surveyor
from connectors.files.converting import Converter

#: Pages whose text is asked for together.
GROUP = 25


@dataclass(frozen=True, slots=True)
class Passes:
    """Yields the changes of one site's runs."""

    surveyor: Surveyor
    converter: Converter
    clock: Callable[[], datetime]

    @property
    def _site(self) -> Site:
        return self.surveyor.site

    @property
    def _options(self) -> ConfluenceOptions:
        return self.surveyor.options

    def changes(self, since: Cursor | None, known: Known) -> Iterator[Change]:
        """Yield what isn't as it was since a cursor."""
        position = Position.of(since)
        if position.needs_whole(fingerprint(self._options), self.clock()):
            return self._whole(position, known)
        return self._recent(position, known)

    def _whole(self, position: Position, known: Known) -> Iterator[Change]:
        started = time.monotonic()
        began_at = self.clock()
        survey = self.surveyor.whole(with_comments=self._options.comments)
        looked_s = time.monotonic() - started
        reader = self._reader(survey.rules, survey.spaces, survey.titled)
        yield from self._missing_spaces(survey.spaces)
        yield Total(len(survey.nodes) + len(survey.attachments))
        yield from self._whole_pages(survey, reader, known)
        for attachment in survey.attachments:
            page = survey.nodes[attachment.page_id]
            yield reader.attachment(attachment, page, known)
        yield from reader.notices()
        yield Complete()
        after = Position(
            since=survey.newest() or position.since,
            whole_at=began_at,
            whole_s=looked_s,
            options=fingerprint(self._options),
        )
        yield Checkpoint(after.cursor())

    def _whole_pages(
        self, survey: Survey, reader: PageReader, known: Known
    ) -> Iterator[Change]:
        waiting: list[Wanted] = []
        for node in list(survey.nodes.values()):
            rule = reader.rule(node)
            if isinstance(rule, Failed):
                yield rule
                continue
            labels = reader.labels(node)
            if isinstance(labels, Failed):
                yield labels
                continue
            wanted = Wanted(node, labels, survey.comments.get(node.id, ()))
            if reader.unchanged(wanted, rule, known):
                yield Unchanged(node.id, known.mark(node.id) or "", rule)
                continue
            waiting.append(wanted)
            if len(waiting) == GROUP:
                yield from reader.read(waiting)
                waiting.clear()
        if waiting:
            yield from reader.read(waiting)

    def _missing_spaces(self, spaces: Mapping[str, Space]) -> Iterator[Notice]:
        if missing := sorted(self._options.spaces - spaces.keys()):
            yield Notice(
                f"The spaces {', '.join(missing)} aren't there, are archived, or are "
                "hidden from the account that reads.",
                reason="missing_space",
            )

    def _recent(self, position: Position, known: Known) -> Iterator[Change]:
        spaces = self.surveyor.spaces()
        rules = Rules(
            self._site, self.surveyor.source_id, self._options.anonymous, spaces
        )
        reader = self._reader(rules, spaces, self._site.page_titled)
        # The query is read to its end before anything is fetched: it stays one window.
        newest: dict[str, datetime | None] = {}
        for changed in self._site.changed_since(position.window()):
            if position.has_read(changed.changed_at):
                continue
            elsewhere = changed.space_key and not self._options.wants(changed.space_key)
            # What left the spaces that are read has to go; others were never here.
            if elsewhere and known.mark(changed.page_id) is None:
                continue
            newest.pop(changed.page_id, None)
            newest[changed.page_id] = changed.changed_at
        yield Total(len(newest))
        for ids in chunked(newest, GROUP):
            yield from self._recent_group(ids, reader, known)
            times = [newest[id_] for id_ in ids]
            position = position.moved(max(filter(None, times), default=None))
            yield Checkpoint(position.cursor())
        yield from reader.notices()

    def _recent_group(
        self, ids: list[str], reader: PageReader, known: Known
    ) -> Iterator[Change]:
        comments: dict[str, list[CommentVersion]] = {}
        if self._options.comments:
            for page_id, comment, version in self._site.comment_versions(None, ids):
                comments.setdefault(page_id, []).append((comment, version))
        bodies = reader.bodies.read(ids)
        for id_ in ids:
            if error := bodies.failed.get(id_):
                url = self._site.id_url(id_)
                yield Failed(id_, url, "unread", str(error))
                continue
            if id_ not in bodies.found:
                yield Delete(id_)
                continue
            node, body = bodies.found[id_]
            if not self._options.wants(node.space_key):
                yield Delete(id_)
                continue
            yield self._recent_page(node, body, comments.get(id_, ()), reader, known)
            if self._options.attachments:
                yield from reader.attachments(node, known)

    def _recent_page(
        self,
        node: Node,
        body: str,
        comments: Sequence[CommentVersion],
        reader: PageReader,
        known: Known,
    ) -> Change:
        rule = reader.rule(node)
        if isinstance(rule, Failed):
            return rule
        labels = reader.labels(node)
        if isinstance(labels, Failed):
            return labels
        wanted = Wanted(node, labels, comments)
        if reader.unchanged(wanted, rule, known):
            return Unchanged(node.id, known.mark(node.id) or "", rule)
        return reader.page(wanted, body, rule)

    def _reader(
        self, rules: Rules, spaces: Mapping[str, Space], find: Find
    ) -> PageReader:
        people = People(self._site)
        bodies = BodyReader(self._site)
        library = Library(bodies, rules, find)
        renderer = Renderer(
            self.surveyor.source_id, self._site, people, library, self._options.is_cloud
        )
        files = FileReader(
            self.surveyor.source_id,
            self._site,
            people,
            self.converter,
            self._options.max_bytes,
        )
        return PageReader(
            self._site, rules, spaces, bodies, renderer, files, self._options.comments
        )
