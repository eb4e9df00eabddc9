"""All that a site has, without content: what listing, access and whole passes rest on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from connectors.atlassian.one_thing import is_of_one_thing
from connectors.confluence.marks import CommentVersion
from connectors.confluence.options import ConfluenceOptions
from connectors.confluence.rules import Denied, Rules, is_as_wide
from connectors.confluence.site import Attachment, Node, Site, Space
from connectors.errors import IncompleteListing
from connectors.http.errors import HttpError
from memory.access import NOBODY_RULE, AccessRule


@dataclass(slots=True)
class Survey:
    """Current pages, their comments' versions and attachments, and how to judge them."""

    rules: Rules
    spaces: dict[str, Space] = field(default_factory=dict)
    nodes: dict[str, Node] = field(default_factory=dict)
    comments: dict[str, list[CommentVersion]] = field(default_factory=dict)
    attachments: list[Attachment] = field(default_factory=list)
    _titles: dict[tuple[str, str], str] = field(default_factory=dict)

    def rule_or_nobody(self, node: Node) -> AccessRule:
        """Return a page's rule, and nobody's where it can't be told."""
        try:
            return self.rules.of(node)
        except Denied:
            return NOBODY_RULE

    def admits(self, page_id: str, including: AccessRule) -> bool:
        """Tell whether all readers of a rule may read a page; False if it's gone."""
        node = self.nodes.get(page_id)
        return node is not None and is_as_wide(self.rule_or_nobody(node), including)

    def titled(self, space_key: str, title: str) -> Node | None:
        """Return a page by its title."""
        if not self._titles:
            for node in self.nodes.values():
                if node.kind == "page":
                    self._titles[node.space_key, node.title] = node.id
        return self.nodes.get(self._titles.get((space_key, title), ""))

    def newest(self) -> datetime | None:
        """Return when the newest page was changed, by the site's clock."""
        times = (node.updated_at for node in self.nodes.values() if node.updated_at)
        return max(times, default=None)


@dataclass(frozen=True, slots=True)
class Surveyor:
    """Makes surveys of one site."""

    source_id: UUID
    site: Site
    options: ConfluenceOptions

    def spaces(self) -> dict[str, Space]:
        """Return the spaces to read, by key."""
        wanted = (item for item in self.site.spaces() if self.options.wants(item.key))
        return {space.key: space for space in wanted}

    def whole(self, *, with_comments: bool) -> Survey:
        """Look at everything. Raises what stands in the way of seeing all of it."""
        survey = self.pages()
        self._learn_facts(survey)
        for space in survey.spaces.values() if with_comments else ():
            for page_id, comment_id, version in self.site.comment_versions(space):
                if page_id in survey.nodes:
                    found = survey.comments.setdefault(page_id, [])
                    found.append((comment_id, version))
        return survey

    def pages(self) -> Survey:
        """Look at which pages and attachments there are, and no more."""
        spaces = self.spaces()
        nodes: dict[str, Node] = {}
        rules = Rules(self.site, self.source_id, self.options.anonymous, spaces, nodes)
        survey = Survey(rules, spaces, nodes)
        for space in spaces.values():
            for node in self.site.nodes(space):
                nodes[node.id] = node
        survey.attachments.extend(self._attachments(survey))
        return survey

    def _attachments(self, survey: Survey) -> Iterator[Attachment]:
        if not self.options.attachments or not survey.nodes:
            return
        seen: set[str] = set()
        for attachment in self.site.attachments(list(survey.spaces.values())):
            if attachment.page_id in survey.nodes and attachment.id not in seen:
                seen.add(attachment.id)
                yield attachment

    def _learn_facts(self, survey: Survey) -> None:
        """Learn readers and labels in bulk; what's missing is asked for one by one."""
        for space in survey.spaces.values():
            try:
                for page_id, facts in self.site.facts(space):
                    survey.rules.facts[page_id] = facts
            except IncompleteListing:
                continue
            except HttpError as error:
                # One bad entry spoils a bulk answer; single ones tell which it is.
                if not is_of_one_thing(error):
                    raise
