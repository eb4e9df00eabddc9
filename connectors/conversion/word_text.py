"""A Word paragraph's runs to text with links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from lxml import etree
from lxml.etree import _Element

from connectors.conversion.html_tags import image_text
from connectors.conversion.rich import RichBuffer

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_WP = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}"
#: Deleted or moved text, the second copy of a drawing, and boxes, which come after.
_SKIPPED = frozenset(
    (f"{W}del", f"{W}moveFrom", f"{_MC}Fallback", f"{W}txbxContent", f"{W}pPr")
)
_NOTES = {f"{W}footnoteReference": "footnotes", f"{W}endnoteReference": "endnotes"}


@dataclass(slots=True)
class WordText:
    """Reads paragraphs of one part; `targets` are its links by relationship id.

    `notes` collects the notes referred to since it was last emptied, as (kind, id).
    """

    targets: Mapping[str, str]
    notes: list[tuple[str, str]] = field(default_factory=list)
    unhandled: list[str] = field(default_factory=list)

    def feed(self, paragraph: _Element, buffer: RichBuffer) -> None:
        """Add a paragraph's text to `buffer`."""
        walk = etree.iterwalk(paragraph, events=("start", "end"))
        skipped: _Element | None = None
        for event, node in walk:
            if event == "end":
                if node.tag == f"{W}hyperlink" and node is not skipped:
                    buffer.close_link()
            elif node.tag in _SKIPPED or _is_hidden(node):
                skipped = node
                walk.skip_subtree()
            else:
                self._start(node, buffer)

    def _start(self, node: _Element, buffer: RichBuffer) -> None:
        tag = node.tag
        if tag in (f"{W}t", f"{_M}t"):
            buffer.add(node.text)
        elif tag in (f"{W}tab", f"{W}ptab"):
            buffer.add(" ")
        elif tag in (f"{W}br", f"{W}cr"):
            buffer.break_line()
        elif tag == f"{W}noBreakHyphen":
            buffer.add("-")
        elif tag == f"{W}hyperlink":
            anchor = node.get(f"{W}anchor")
            target = self.targets.get(node.get(f"{_R}id") or "", "")
            buffer.open_link(target + (f"#{anchor}" if anchor else ""))
        elif tag in _NOTES:
            self.notes.append((_NOTES[tag], node.get(f"{W}id") or ""))
            buffer.add(f"[{len(self.notes)}]")
        elif tag == f"{_WP}docPr":
            buffer.add(image_text(node.get("descr")))
        elif tag == f"{W}object":
            self.unhandled.append("embedded object")


def _is_hidden(node: _Element) -> bool:
    if node.tag != f"{W}r":
        return False
    vanish = node.find(f"{W}rPr/{W}vanish")
    return vanish is not None and vanish.get(f"{W}val") not in ("0", "false")
