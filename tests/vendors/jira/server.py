"""A Jira on loopback: Cloud (`/rest/api/3`) or Data Center (`/rest/api/2`).

Paging, tokens, limits and error bodies are the documented ones; see payloads.py for the
pages. Faults of the search are attributes, spent as they happen.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from tests.vendors.jira.listing import refused
from tests.vendors.jira.payloads import Payloads
from tests.vendors.jira.people_api import PeopleApi
from tests.vendors.jira.search_api import SearchApi
from tests.vendors.jira.state import Issue, Project, Site
from tests.vendors.loopback import Asked, LoopbackServer, Reply

EMAIL, TOKEN, CLOUD_ID = "bot@example.com", "key-of-the-bot", "11111111-2222-3333"


class MediaServer(LoopbackServer):
    """Where Cloud sends downloads: another origin, which must not see the key."""

    def __init__(self, site: Site) -> None:
        super().__init__()
        self.site = site

    def answer(self, asked: Asked) -> Reply:
        if "authorization" in asked.headers:
            return Reply({"message": "a key came along"}, 500)
        id_ = asked.path.rpartition("/")[2]
        return file_of(self.site, id_)


def file_of(site: Site, id_: str) -> Reply:
    for issue in site.issues.values():
        for attachment in issue.attachments:
            if attachment.id == id_:
                return Reply(attachment.data)
    return refused(404, "The attachment with id is not found")


class JiraServer(SearchApi, PeopleApi, LoopbackServer):
    """Serves a Site. Tests change `site`, and the account's rights here."""

    #: However many are asked for, no page holds more.
    most_at_once = 100

    def __init__(self, site: Site, *, is_cloud: bool = True, context: str = "") -> None:
        super().__init__()
        self.site = site
        self.payloads = Payloads(site, self.url)
        self.payloads.is_cloud = is_cloud
        self.is_cloud = is_cloud
        self.context = context
        self.media: MediaServer | None = None
        self.largest_page = self.most_at_once
        #: The account's rights.
        self.is_admin = True
        self.may_browse_users = True
        self.is_scoped = False
        self.short_pages: list[int] = []
        self.splices: dict[str, str] = {}

    def set_zones(self, *, account: str, server: str) -> None:
        self.payloads.account_zone = ZoneInfo(account)
        self.payloads.server_zone = ZoneInfo(server)

    def answer(self, asked: Asked) -> Reply:
        path = asked.path.removeprefix(self.context)
        if path == "/_edge/tenant_info":
            return Reply({"cloudId": CLOUD_ID})
        gateway = f"/ex/jira/{CLOUD_ID}"
        if self.is_scoped != path.startswith(gateway):
            # A token with scopes is unknown at the site's own address.
            return self._unknown()
        if not self._knows(asked):
            return self._unknown()
        return self._spliced(self._resource(path.removeprefix(gateway), asked))

    def _spliced(self, reply: Reply) -> Reply:
        """Put raw JSON in place of marks: what Python itself can't write."""
        if not self.splices or isinstance(reply.body, bytes):
            return reply
        body = reply.encoded()
        for mark, raw in self.splices.items():
            body = body.replace(f'"{mark}"'.encode(), raw.encode())
        return Reply(body, reply.status, reply.headers)

    def _knows(self, asked: Asked) -> bool:
        basic = base64.b64encode(f"{EMAIL}:{TOKEN}".encode()).decode()
        wanted = f"Basic {basic}" if self.is_cloud else f"Bearer {TOKEN}"
        return asked.headers.get("authorization") == wanted

    def _unknown(self) -> Reply:
        message = "Client must be authenticated to access this resource."
        return Reply({"message": message}, 401)

    def _resource(self, path: str, asked: Asked) -> Reply:
        api = "/rest/api/3" if self.is_cloud else "/rest/api/2"
        if not self.is_cloud and (
            match := re.fullmatch(r"/secure/attachment/(\d+)/.+", path)
        ):
            return file_of(self.site, match[1])
        if not path.startswith(f"{api}/"):
            return refused(404, "dead link")
        rest = path.removeprefix(api)
        for pattern, handler in self._routes():
            if match := re.fullmatch(pattern, rest):
                return handler(asked, *match.groups())
        return refused(404, "null for uri")

    def _routes(self) -> list[tuple[str, Callable[..., Reply]]]:
        shared: list[tuple[str, Callable[..., Reply]]] = [
            (
                r"/myself",
                lambda _: Reply({"displayName": "Attest Bot", "active": True}),
            ),
            (r"/serverInfo", self._server_info),
            (
                r"/attachment/meta",
                lambda _: Reply({"enabled": True, "uploadLimit": 10**6}),
            ),
            (r"/project/(\w+)/permissionscheme", self._scheme),
            (r"/project/(\w+)/issuesecuritylevelscheme", self._level_scheme),
            (r"/project/(\w+)/role", self._roles),
            (r"/project/(\w+)/role/(\d+)", self._role),
            (r"/issue/([\w-]+)", self._issue),
            (r"/issue/([\w-]+)/comment", self._comments),
            (r"/group/member", self._group_members),
            (r"/applicationrole", self._applications),
        ]
        cloud: list[tuple[str, Callable[..., Reply]]] = [
            (r"/search/jql", self._search_by_token),
            (r"/search", lambda _: refused(410, "The requested API has been removed.")),
            (r"/project/search", lambda a: self._values(a, self._projects())),
            (r"/group/bulk", self._groups_bulk),
            (r"/users/search", self._users),
            (r"/issuesecurityschemes/level/member", self._level_members),
            (r"/attachment/content/(\d+)", self._content),
        ]
        center: list[tuple[str, Callable[..., Reply]]] = [
            (r"/search", self._search_by_number),
            (r"/project", lambda _: Reply(self._projects())),
            (r"/groups/picker", self._groups_picker),
            (r"/user/search", self._users),
            (r"/user/viewissue/search", self._viewers),
        ]
        return [*shared, *(cloud if self.is_cloud else center)]

    # Site and projects

    def _server_info(self, _: Asked) -> Reply:
        """“Server info”: the time is told in the server's zone."""
        kind = "Cloud" if self.is_cloud else "Server"
        moment = self.payloads.moment(self.site.now, self.payloads.server_zone)
        return Reply(
            {"baseUrl": self.url, "deploymentType": kind, "serverTime": moment}
        )

    def _projects(self) -> list[dict[str, Any]]:
        seen = [p for p in self.site.projects.values() if not p.is_hidden]
        return [self.payloads.project(item) for item in seen]

    def _project(self, name: str) -> Project | None:
        for item in self.site.projects.values():
            if name in (item.id, item.key) and not item.is_hidden:
                return item
        return None

    def _administered(self, name: str) -> Project | Reply:
        project = self._project(name)
        if project is None:
            return refused(404, f"No project could be found with key '{name}'.")
        if not self.is_admin and project.is_not_administered:
            return refused(
                403, "You do not have permission to administer this project."
            )
        return project

    def _scheme(self, _: Asked, name: str) -> Reply:
        found = self._administered(name)
        return found if isinstance(found, Reply) else Reply(self.payloads.scheme(found))

    def _level_scheme(self, _: Asked, name: str) -> Reply:
        """“Project permission schemes”, Get project issue security scheme."""
        found = self._administered(name)
        if isinstance(found, Reply):
            return found
        if not found.has_levels:
            return refused(404, "The project has no issue security scheme.")
        return Reply({"id": 1, "name": "Levels", "levels": []})

    def _roles(self, _: Asked, name: str) -> Reply:
        found = self._administered(name)
        if isinstance(found, Reply):
            return found
        base = f"{self.url}/rest/api/3/project/{found.id}/role"
        return Reply(
            {role.name: f"{base}/{role.id}" for role in self.site.roles.values()}
        )

    def _role(self, _: Asked, name: str, role_id: str) -> Reply:
        found = self._administered(name)
        if isinstance(found, Reply):
            return found
        return Reply(self.payloads.role(found, role_id))

    def _level_members(self, asked: Asked) -> Reply:
        if not self.is_admin:
            return refused(403, "Only Jira administrators can access security schemes.")
        wanted = asked.query.get("levelId")
        values = [
            {
                "id": f"{level}{number}",
                "issueSecurityLevelId": level,
                "issueSecuritySchemeId": "1",
                "holder": self.payloads.holder(grant),
            }
            for level, grants in self.site.levels.items()
            for number, grant in enumerate(grants)
            if wanted in (None, level)
        ]
        return self._values(asked, values)

    # Issues

    def _issue(self, asked: Asked, name: str) -> Reply:
        issue = self._found(name)
        if issue is None:
            return refused(
                404, "Issue does not exist or you do not have permission to see it."
            )
        fields = set(asked.query.get("fields", "").split(","))
        return Reply(self.payloads.issue(issue, fields))

    def _found(self, name: str) -> Issue | None:
        for issue in self.site.issues.values():
            if name in (issue.id, issue.key):
                hidden = self.site.projects[issue.project].is_hidden
                return None if hidden else issue
        return None

    def _comments(self, asked: Asked, name: str) -> Reply:
        issue = self._found(name)
        if issue is None:
            return refused(
                404, "Issue does not exist or you do not have permission to see it."
            )
        with_properties = "properties" in asked.query.get("expand", "")
        told = [
            self.payloads.comment(item, issue, properties=with_properties)
            for item in issue.comments
        ]
        start, page = self._cut(asked, told)
        return Reply(
            {
                "startAt": start,
                "maxResults": len(page),
                "total": len(told),
                "comments": page,
            }
        )

    def _content(self, asked: Asked, id_: str) -> Reply:
        """“Get attachment content”: redirects to where files lie."""
        if self.media is None:
            return file_of(self.site, id_)
        return Reply(b"", 303, {"Location": f"{self.media.url}/file/{id_}"})
