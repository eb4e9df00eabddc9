"""Google's APIs on loopback: Drive, Docs, Sheets, Slides, Directory, and their tokens.

Paging, tokens, masks, limits and error bodies are the documented ones; the pages are
named in payloads.py, errors.py, signing.py, masks.py and editors.py.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from tests.vendors.google.directory_api import DirectoryApi
from tests.vendors.google.drive_api import DriveApi
from tests.vendors.google.editors_api import EditorsApi
from tests.vendors.google.errors import api_error, drive_error
from tests.vendors.google.masks import masked, parsed
from tests.vendors.google.payloads import Payloads
from tests.vendors.google.signing import DRIVE, GROUPS, USERS, Issued, TokenEndpoint
from tests.vendors.google.state import Workspace
from tests.vendors.loopback import Asked, LoopbackServer, Reply

Handler = Callable[..., Reply]


class GoogleServer(DriveApi, EditorsApi, DirectoryApi, LoopbackServer):
    """Serves a Workspace. Tests change `workspace`, and what is on and allowed here."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self.workspace = workspace
        self.payloads = Payloads(workspace)
        self.tokens = TokenEndpoint(workspace)
        #: APIs that the key's project hasn't enabled: docs, sheets, slides, admin.
        self.apis_off: set[str] = set()
        #: People who may read the directory.
        self.administrators: set[str] = set()
        #: More than this on a page isn't given, whatever is asked for.
        self.largest_page = 1000
        #: Pages that come shorter, or empty, though there's more.
        self.short_pages: list[int] = []
        #: Tokens of lists that aren't taken any more.
        self.forgets_tokens = 0
        self.repeats_tokens = False
        self.searches_incompletely = False
        self.export_limit = 10_000_000
        #: Exports that answer 500 for ever, by file.
        self.broken_exports: set[str] = set()
        self._pages = 0

    def answer(self, asked: Asked) -> Reply:
        if asked.path == "/token":
            return self.tokens.answer(asked)
        asked = self._overridden(asked)
        holder = self.tokens.holder(asked)
        if holder is None:
            return self._unknown(asked)
        for name, scopes, pattern, handler in self._routes():
            if match := re.fullmatch(pattern, asked.path):
                if name in self.apis_off:
                    text = (
                        "secret of the body: it has not been used before or is disabled"
                    )
                    return api_error(403, text, reason="SERVICE_DISABLED")
                if not scopes & holder.scopes:
                    text = "Request had insufficient authentication scopes."
                    reason = "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
                    return api_error(403, text, reason=reason)
                return self._masked(
                    asked, handler(asked, holder.email, *match.groups())
                )
        return drive_error(404, "notFound", "no such path")

    def _overridden(self, asked: Asked) -> Asked:
        """A long GET comes as a POST whose body is the query."""
        if asked.headers.get("x-http-method-override") != "GET":
            assert asked.method == "GET", asked
            return asked
        from urllib.parse import parse_qs

        queries = parse_qs(asked.body.decode(), keep_blank_values=True)
        first = {name: values[0] for name, values in queries.items()}
        return replace(asked, method="GET", query=first, queries=queries)

    def _unknown(self, asked: Asked) -> Reply:
        if asked.path.startswith("/drive/"):
            return drive_error(401, "authError", "Invalid Credentials")
        return api_error(401, "Request had invalid authentication credentials.")

    def _masked(self, asked: Asked, reply: Reply) -> Reply:
        fields = asked.query.get("fields")
        if reply.status == 200 and fields and isinstance(reply.body, dict):
            return Reply(masked(reply.body, parsed(fields)), 200, reply.headers)
        return reply

    def _routes(self) -> Sequence[tuple[str, set[str], str, Handler]]:
        drive, editors = r"/drive/v3", {DRIVE}
        id_ = r"([\w-]+)"
        return (
            ("drive", editors, rf"{drive}/about", self._about),
            ("drive", editors, rf"{drive}/drives", self._drives),
            ("drive", editors, rf"{drive}/files", self._files),
            ("drive", editors, rf"{drive}/files/{id_}", self._file),
            ("drive", editors, rf"{drive}/files/{id_}/export", self._export),
            ("drive", editors, rf"{drive}/files/{id_}/permissions", self._permissions),
            ("drive", editors, rf"{drive}/changes/startPageToken", self._start),
            ("drive", editors, rf"{drive}/changes", self._changes),
            ("docs", editors, rf"/v1/documents/{id_}", self._document),
            ("slides", editors, rf"/v1/presentations/{id_}", self._presentation),
            ("sheets", editors, rf"/v4/spreadsheets/{id_}", self._spreadsheet),
            (
                "sheets",
                editors,
                rf"/v4/spreadsheets/{id_}/values:batchGet",
                self._values,
            ),
            (
                "admin",
                {GROUPS},
                r"/admin/directory/v1/groups/(.+)/members",
                self._members,
            ),
            ("admin", {USERS}, r"/admin/directory/v1/users", self._users),
        )

    # Pages, as all lists have them

    def paged(
        self, asked: Asked, items: list[Any], key: str, *, size: int, most: int
    ) -> Reply:
        """A page of a list, with the token of the next one where there's more."""
        token = asked.query.get("pageToken", "")
        if token and self.forgets_tokens:
            self.forgets_tokens -= 1
            return drive_error(400, "invalid", "Invalid Value")
        start = 0
        if token:
            if not token.startswith("~!!~"):
                return drive_error(400, "invalid", "Invalid Value")
            start = int(token.removeprefix("~!!~").partition(".")[0])
        name = "maxResults" if "maxResults" in asked.query else "pageSize"
        count = min(int(asked.query.get(name, size)), most, self.largest_page)
        if self.short_pages:
            count = min(count, self.short_pages.pop(0))
        page: dict[str, Any] = {key: items[start : start + count]}
        if start + count < len(items):
            self._pages += 1
            page["nextPageToken"] = f"~!!~{start + count}.{self._pages}"
            if self.repeats_tokens and token:
                page["nextPageToken"] = token
        return Reply(page)

    def holder_of(self, email: str) -> Issued:
        return next(i for i in self.tokens.tokens.values() if i.email == email)
