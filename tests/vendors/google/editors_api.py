"""Docs v1, Sheets v4 and Slides v1: what is in their files, to whoever may read them.

https://developers.google.com/workspace/docs/api/reference/rest/v1/documents/get,
…/sheets/api/reference/rest/v4/spreadsheets, …/slides/api/reference/rest/v1/presentations
(read 2026-12-01)
"""

from __future__ import annotations

import re
from typing import Any

from tests.vendors.google.errors import api_error
from tests.vendors.google.state import DOC, SHEET, SLIDES, Item, Workspace
from tests.vendors.loopback import Asked, Reply


class EditorsApi:
    """The part of the server that reads Docs, Sheets and Slides."""

    workspace: Workspace

    def _content(self, me: str, id_: str, mime: str) -> Item | Reply:
        item = self.workspace.items.get(id_)
        if item is None or item.mime != mime:
            return api_error(404, "Requested entity was not found.")
        if not self.workspace.may_read(me, item):
            return api_error(403, "The caller does not have permission")
        return item

    def _document(self, asked: Asked, me: str, id_: str) -> Reply:
        """Without includeTabsContent the first tab alone, as before there were tabs."""
        item = self._content(me, id_, DOC)
        if isinstance(item, Reply):
            return item
        value: dict[str, Any] = {"documentId": id_, "title": item.name}
        value["suggestionsViewMode"] = asked.query.get("suggestionsViewMode", "")
        if asked.query.get("includeTabsContent") == "true":
            return Reply({**value, "tabs": item.content})
        return Reply({**value, **item.content[0]["documentTab"]})

    def _presentation(self, _: Asked, me: str, id_: str) -> Reply:
        item = self._content(me, id_, SLIDES)
        if isinstance(item, Reply):
            return item
        return Reply(
            {"presentationId": id_, "title": item.name, "slides": item.content}
        )

    def _spreadsheet(self, _: Asked, me: str, id_: str) -> Reply:
        item = self._content(me, id_, SHEET)
        if isinstance(item, Reply):
            return item
        sheets = [{"properties": sheet["properties"]} for sheet in item.content]
        return Reply(
            {"spreadsheetId": id_, "properties": {"title": item.name}, "sheets": sheets}
        )

    def _values(self, asked: Asked, me: str, id_: str) -> Reply:
        """“spreadsheets.values.batchGet”: what is blank at the ends isn't told."""
        item = self._content(me, id_, SHEET)
        if isinstance(item, Reply):
            return item
        found = [self._range(item, text) for text in asked.queries["ranges"]]
        if any(value is None for value in found):
            return api_error(400, "Unable to parse range")
        return Reply({"spreadsheetId": id_, "valueRanges": found})

    def _range(self, item: Item, text: str) -> dict[str, Any] | None:
        match = re.fullmatch(r"'((?:[^']|'')*)'!A(\d+):([A-Z]+)(\d+)", text)
        if match is None:
            return None
        title = match[1].replace("''", "'")
        sheets = [s for s in item.content if s["properties"]["title"] == title]
        if not sheets:
            return None
        width = 0
        for letter in match[3]:
            width = width * 26 + ord(letter) - ord("A") + 1
        rows = sheets[0]["values"][int(match[2]) - 1 : int(match[4])]
        rows = [_trimmed(row[:width]) for row in rows]
        while rows and not rows[-1]:
            rows.pop()
        value: dict[str, Any] = {"range": text, "majorDimension": "ROWS"}
        return {**value, "values": rows} if rows else value


def _trimmed(row: list[Any]) -> list[Any]:
    while row and row[-1] in ("", None):
        row = row[:-1]
    return ["" if cell is None else cell for cell in row]
