"""A paragraph of a Google Doc: runs, chips, pictures and notes to text with links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from urllib.parse import quote

from connectors.conversion.html_tags import image_text
from connectors.conversion.rich import Rich, RichBuffer
from connectors.google_drive.json_parts import Json, part, parts, text

#: Stands in a run for what isn't text; a vertical tab is a line break.
_NO_TEXT, _LINE_BREAK = "\ue907", "\v"
#: Elements that hold nothing to read.
_SILENT = frozenset(
    ("pageBreak", "columnBreak", "horizontalRule", "autoText", "sectionBreak")
)
_PLACE = frozenset(("startIndex", "endIndex"))


def tab_url(url: str, tab_id: str) -> str:
    """Return the address of a document's tab; "" names the first one."""
    if not tab_id:
        return url
    return f"{url}{'&' if '?' in url else '?'}tab={quote(tab_id)}"


class Inline:
    """Reads the paragraphs of one tab.

    `notes` collects the footnotes referred to since it was last emptied, as (number,
    id); `unhandled` counts what can't be rendered.
    """

    def __init__(self, tab: Json, url: str) -> None:
        """Take a tab's content, for its pictures, and its document's address."""
        self._pictures = part(tab, "inlineObjects")
        self._positioned = part(tab, "positionedObjects")
        self._url = url
        self.notes: list[tuple[str, str]] = []
        self.unhandled: Counter[str] = Counter()

    def paragraph(self, paragraph: Json) -> Rich:
        """Return a paragraph's text with its line breaks."""
        buffer = RichBuffer()
        self._feed(paragraph, buffer)
        return buffer.take()

    def joined(self, paragraphs: Sequence[Json]) -> Rich:
        """Return the text of several paragraphs on one line."""
        buffer = RichBuffer(joined=True)
        for paragraph in paragraphs:
            self._feed(paragraph, buffer)
            buffer.break_line()
        return buffer.take()

    def _feed(self, paragraph: Json, buffer: RichBuffer) -> None:
        for element in parts(paragraph, "elements"):
            self._element(element, buffer)
        ids = paragraph.get("positionedObjectIds")
        for id_ in ids if isinstance(ids, list) else ():
            found = part(self._positioned, str(id_))
            self._picture(part(found, "positionedObjectProperties"), buffer)

    def _element(self, element: Json, buffer: RichBuffer) -> None:
        kind = next((name for name in element if name not in _PLACE), "")
        value = part(element, kind)
        if value.get("suggestedInsertionIds"):
            # Nobody has accepted it yet, so the document doesn't say it.
            return
        match kind:
            case "textRun":
                self._run(value, buffer)
            case "person":
                about = part(value, "personProperties")
                buffer.add(text(about, "name") or text(about, "email"))
            case "richLink":
                about = part(value, "richLinkProperties")
                uri = text(about, "uri")
                _linked(buffer, text(about, "title") or uri, uri)
            case "dateElement":
                about = part(value, "dateElementProperties")
                buffer.add(text(about, "displayText"))
            case "dropdown":
                about = part(value, "dropdownProperties")
                buffer.add(text(about, "displayValue"))
            case "inlineObjectElement":
                found = part(self._pictures, text(value, "inlineObjectId"))
                self._picture(part(found, "inlineObjectProperties"), buffer)
            case "footnoteReference":
                number = text(value, "footnoteNumber") or str(len(self.notes) + 1)
                self.notes.append((number, text(value, "footnoteId")))
                buffer.add(f"[{number}]")
            case _ if kind not in _SILENT:
                self.unhandled[kind or "element"] += 1

    def _run(self, run: Json, buffer: RichBuffer) -> None:
        content = text(run, "content").replace(_NO_TEXT, "")
        link = part(part(run, "textStyle"), "link")
        if link:
            buffer.open_link(self._target(link))
        lines = content.rstrip("\n").replace("\n", _LINE_BREAK).split(_LINE_BREAK)
        for number, line in enumerate(lines):
            if number:
                buffer.break_line()
            buffer.add(line)
        if link:
            buffer.close_link()

    def _target(self, link: Json) -> str:
        """Return a link's address; one inside the document is made whole."""
        if url := text(link, "url"):
            return url
        for name in ("heading", "bookmark"):
            found = part(link, name)
            if id_ := text(found, "id") or text(link, f"{name}Id"):
                tab = tab_url(self._url, text(found, "tabId"))
                return f"{tab}#{name}={quote(id_)}"
        tab = text(link, "tabId")
        return tab_url(self._url, tab) if tab else ""

    def _picture(self, about: Json, buffer: RichBuffer) -> None:
        embedded = part(about, "embeddedObject")
        words = (text(embedded, "title"), text(embedded, "description"))
        alt = " ".join(word for word in words if word)
        if "linkedContentReference" in embedded:
            self.unhandled["chart"] += 1
        elif "embeddedDrawingProperties" in embedded:
            self.unhandled["drawing"] += 1
        buffer.add(image_text(alt))


def _linked(buffer: RichBuffer, words: str, url: str) -> None:
    buffer.open_link(url)
    buffer.add(words)
    buffer.close_link()
