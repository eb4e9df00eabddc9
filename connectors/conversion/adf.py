"""The Atlassian Document Format to Content: what Jira Cloud's texts are kept in.

Nodes and marks as the vendor's published schema has them:
https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/ and
http://go.atlassian.com/adf-json-schema. What apps put in (extensions) can't be rendered
without asking the app, so it's counted by the app's key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from connectors.conversion.adf_inline import INLINE, element_name, inline, media_text
from connectors.conversion.adf_node import (
    Node,
    attribute,
    children,
    number,
    plain_text,
    text_of,
    type_of,
)
from connectors.conversion.adf_table import MAX_DEPTH, checkbox, read_table
from connectors.conversion.builder import ContentBuilder
from connectors.conversion.rich import Rich
from connectors.conversion.tables import write_table
from memory.documents import Content

#: What stands before the text of a panel of this kind; an `info` one needs no word.
PANEL_WORDS = {
    "note": "Note",
    "tip": "Tip",
    "warning": "Warning",
    "error": "Error",
    "success": "Success",
}


@dataclass(slots=True)
class _Marker:
    depth: int
    ordinal: int | None
    new_list: bool
    prefix: str = ""


def adf_content(document: object) -> Content:
    """Return a document's text and structure; for no document there's no text."""
    builder = ContentBuilder()
    write_adf(builder, document)
    return builder.build()


def write_adf(builder: ContentBuilder, document: object) -> None:
    """Add a document, or a plain text as older fields hold it, to the builder."""
    if isinstance(document, str):
        builder.paragraph(document)
    elif isinstance(document, Mapping):
        AdfWalker(builder).block(document)


class AdfWalker:
    """Turns block nodes into blocks of a ContentBuilder."""

    def __init__(self, builder: ContentBuilder) -> None:
        """Write to `builder`."""
        self._builder = builder
        self._depth = 0
        self._lists = 0
        self._quotes = 0
        self._marker: _Marker | None = None
        self._prefix = ""
        self._handlers: dict[str, Callable[[Node], None]] = {
            "paragraph": self._paragraph,
            "caption": self._paragraph,
            "heading": self._heading,
            "blockquote": self._quote,
            "bulletList": self._list,
            "orderedList": self._list,
            "taskList": self._list,
            "decisionList": self._list,
            "codeBlock": self._code,
            "panel": self._panel,
            "panel_c1": self._panel,
            "expand": self._expand,
            "nestedExpand": self._expand,
            "table": self._table,
            "media": self._media,
            "blockCard": self._line,
            "embedCard": self._line,
            "rule": self._nothing,
            **dict.fromkeys(
                ("doc", "layoutSection", "layoutColumn", "listItem"), self._inside
            ),
            **dict.fromkeys(
                ("mediaSingle", "mediaGroup", "bodiedSyncBlock"), self._inside
            ),
        }

    def block(self, node: Node) -> None:
        """Add a block node with all that's in it."""
        if self._depth > MAX_DEPTH:
            self._emit(Rich(" ".join(plain_text(node).split())))
            return
        self._depth += 1
        try:
            self._handlers.get(type_of(node), self._unknown)(node)
        finally:
            self._depth -= 1

    def _inside(self, node: Node) -> None:
        self._blocks(children(node))

    def _blocks(self, nodes: Iterable[Node]) -> None:
        """Add blocks; a run of inline nodes between them is a paragraph."""
        line: list[Node] = []
        for node in nodes:
            # A picture among blocks is one; a caption is a line of its own.
            if type_of(node) in INLINE - {"media", "caption"}:
                line.append(node)
                continue
            self._run(line)
            line = []
            self.block(node)
        self._run(line)

    def _run(self, nodes: list[Node]) -> None:
        if nodes:
            self._emit(inline(nodes, self._builder.count_unhandled))

    def _emit(self, text: Rich) -> None:
        """Add a line of text as what it stands in: an item, a quote, a paragraph."""
        if not text:
            return
        marker, self._marker = self._marker, None
        prefix, self._prefix = self._prefix, ""
        if marker is not None:
            text = text.inserted([0], marker.prefix + prefix)
            self._builder.list_item(
                text,
                depth=marker.depth,
                ordinal=marker.ordinal,
                new_list=marker.new_list,
            )
            return
        if prefix:
            text = text.inserted([0], prefix)
        if self._quotes > 0:
            self._builder.quote(text)
        else:
            self._builder.paragraph(text)

    def _paragraph(self, node: Node) -> None:
        self._emit(inline(children(node), self._builder.count_unhandled))

    def _line(self, node: Node) -> None:
        self._emit(inline([node], self._builder.count_unhandled))

    def _heading(self, node: Node) -> None:
        self._marker = None
        title = inline(children(node), self._builder.count_unhandled)
        self._builder.heading(title, number(node, "level", 1))

    def _quote(self, node: Node) -> None:
        self._quotes += 1
        self._inside(node)
        self._quotes -= 1

    def _list(self, node: Node) -> None:
        ordinal = number(node, "order", 1) if type_of(node) == "orderedList" else None
        self._lists += 1
        is_new = True
        for child in children(node):
            if type_of(child) == "taskList":
                # A list of subtasks stands beside the task that it belongs to.
                self._list(child)
                continue
            prefix = self._item_prefix(child)
            self._marker = _Marker(self._lists - 1, ordinal, is_new, prefix)
            self._inside(child)
            self._marker, is_new = None, False
            ordinal = None if ordinal is None else ordinal + 1
        self._lists -= 1

    def _item_prefix(self, node: Node) -> str:
        match type_of(node):
            case "taskItem" | "blockTaskItem":
                return checkbox(node)
            case "decisionItem":
                return "Decision: "
            case "listItem":
                return ""
            case _:
                self._builder.count_unhandled(element_name(node))
                return ""

    def _code(self, node: Node) -> None:
        self._marker = None
        text = "".join(text_of(child) for child in children(node))
        self._builder.code(text, language=attribute(node, "language"))

    def _panel(self, node: Node) -> None:
        word = PANEL_WORDS.get(attribute(node, "panelType"))
        self._prefix = f"{word}: " if word else ""
        self._inside(node)
        self._prefix = ""

    def _expand(self, node: Node) -> None:
        self._emit(Rich(" ".join(attribute(node, "title").split())))
        self._inside(node)

    def _table(self, node: Node) -> None:
        self._marker = None
        write_table(self._builder, read_table(node, self._builder.count_unhandled))

    def _media(self, node: Node) -> None:
        self._emit(Rich(media_text(node)))

    def _nothing(self, node: Node) -> None:
        """Leave a rule out: sections and blocks stand apart by themselves."""

    def _unknown(self, node: Node) -> None:
        """Count what only its app can render, and keep the text that stands in it."""
        self._builder.count_unhandled(element_name(node))
        self._emit(Rich(" ".join(attribute(node, "text").split())))
        self._inside(node)
