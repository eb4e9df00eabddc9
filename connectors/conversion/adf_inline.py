"""What stands in a line of the Atlassian Document Format: text, cards, mentions."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from connectors.conversion.adf_node import (
    Node,
    attribute,
    card,
    children,
    day,
    plain_text,
    text_of,
    type_of,
)
from connectors.conversion.html_tags import image_text
from connectors.conversion.rich import Rich, RichBuffer, raised

#: Marks that say how text looks, or what somebody said about it, not what it says.
LOOKS = frozenset(
    (
        *("strong", "em", "underline", "code", "subsup", "textColor"),
        *("backgroundColor", "annotation", "alignment", "indentation", "border"),
        *("breakout", "fragment", "dataConsumer", "confluenceInlineComment"),
        *("unsupportedMark", "unsupportedNodeAttribute", "typeAheadQuery", "fontSize"),
    )
)
INLINE = frozenset(
    (
        *("text", "hardBreak", "mention", "emoji", "date", "status", "inlineCard"),
        *("placeholder", "mediaInline", "image", "inlineExtension", "media"),
        *("unsupportedInline", "confluenceUnsupportedInline", "caption"),
    )
)
Count = Callable[[str], None]

_FILE_NAME = re.compile(r"\.\w{2,5}$")


class InlineWriter:
    """Writes inline nodes into a buffer; text of one link stays one link."""

    def __init__(self, buffer: RichBuffer, count: Count) -> None:
        """Write to `buffer`; `count` is told what could not be rendered."""
        self._buffer = buffer
        self._count = count
        self._url = ""
        self._struck = False

    def write(self, nodes: Iterable[Node]) -> None:
        """Write nodes in order and end what they began."""
        for node in nodes:
            self.node(node)
        self.end()

    def end(self) -> None:
        """Close the open link and struck text."""
        self._style(url="", struck=False)

    def node(self, node: Node) -> None:
        """Write one inline node."""
        match type_of(node):
            case "text":
                self._text(node)
            case "hardBreak":
                self._buffer.break_line()
            case "mention":
                self._plain(node, self._mention(node))
            case "emoji":
                self._plain(
                    node, attribute(node, "text") or attribute(node, "shortName")
                )
            case "date":
                self._plain(node, day(attribute(node, "timestamp")))
            case "status" | "placeholder":
                self._plain(node, attribute(node, "text"))
            case "inlineCard" | "blockCard" | "embedCard":
                self._card(node)
            case "media" | "mediaInline" | "image":
                self._plain(node, media_text(node))
            case _:
                self._other(node)

    def _other(self, node: Node) -> None:
        """Count what can't be rendered, and keep what text there is in it."""
        name = type_of(node)
        if name != "caption":
            self._count(element_name(node))
        self._plain(node, attribute(node, "text"))
        for child in children(node):
            if type_of(child) in INLINE:
                self.node(child)
            else:
                self._buffer.add(plain_text(child))

    def _text(self, node: Node) -> None:
        url, struck = self._marks(node)
        self._style(url=url, struck=struck)
        text = text_of(node)
        if _is_superscript(node):
            self._buffer.add(raised(text))
        self._buffer.add(text)

    def _plain(self, node: Node, text: str) -> None:
        url, struck = self._marks(node)
        self._style(url=url, struck=struck)
        self._buffer.add(text)

    def _card(self, node: Node) -> None:
        name, url = card(node)
        if not name:
            self._count(element_name(node))
        self._style(url=url, struck=False)
        self._buffer.add(name)

    def _mention(self, node: Node) -> str:
        name = attribute(node, "text").lstrip("@").strip()
        if not name:
            self._count("mention without a name")
        return f"@{name}" if name else "@unknown"

    def _marks(self, node: Node) -> tuple[str, bool]:
        """Return link and whether it's struck, and count marks that nobody knows."""
        url, struck = "", False
        found = node.get("marks")
        for mark in found if isinstance(found, list) else ():
            if not isinstance(mark, dict):
                continue
            name = type_of(mark)
            if name == "link":
                url = attribute(mark, "href")
            elif name == "strike":
                struck = True
            elif name not in LOOKS:
                self._count(f"mark {name}")
        return url, struck

    def _style(self, *, url: str, struck: bool) -> None:
        if self._struck and not struck:
            self._buffer.add("~~")
        if self._url != url:
            self._buffer.close_link()
            if url:
                self._buffer.open_link(url)
        if struck and not self._struck:
            self._buffer.add("~~")
        self._url, self._struck = url, struck


def inline(nodes: Iterable[Node], count: Count) -> Rich:
    """Return inline nodes as text with links; hard breaks are line breaks."""
    buffer = RichBuffer()
    InlineWriter(buffer, count).write(nodes)
    return buffer.take()


def media_text(node: Node) -> str:
    """Return what a picture or file shows as text: its description or name.

    The format keeps no file name; editors put one into `alt`, or `__fileName`.
    """
    text = " ".join((attribute(node, "alt") or attribute(node, "__fileName")).split())
    return f"[file: {text}]" if _FILE_NAME.search(text) else image_text(text)


def _is_superscript(node: Node) -> bool:
    found = node.get("marks")
    marks = found if isinstance(found, list) else []
    return any(
        type_of(mark) == "subsup" and attribute(mark, "type") == "sup"
        for mark in marks
        if isinstance(mark, dict)
    )


def element_name(node: Node) -> str:
    """Return the name under which an unknown element is counted; apps' by their key."""
    key = attribute(node, "extensionKey")
    name = type_of(node) or "node without a type"
    return f"{name} {key}" if key else name
