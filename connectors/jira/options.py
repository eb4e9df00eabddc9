"""What an administrator sets for a Jira site."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlunsplit

from connectors.base import Option
from connectors.errors import OptionError
from connectors.http.confinement import base_of
from memory.access import ANYONE, WORKSPACE, Principal

CLOUD, DATA_CENTER = "cloud", "data_center"
BYTES_PER_MB = 1_000_000

#: The scopes of the requests that are made, as the vendor's pages recommend them
#: (https://developer.atlassian.com/cloud/jira/platform/rest/v3/, read 2026-12-01).
SCOPES = ("read:jira-work", "read:jira-user", "manage:jira-configuration")

OPTIONS: tuple[Option, ...] = (
    Option(
        "deployment",
        "Kind of site",
        "cloud for *.atlassian.net, data_center for a server of your own (8.14 or later).",
        default=CLOUD,
    ),
    Option(
        "base_url",
        "Address",
        "Such as https://example.atlassian.net or https://jira.example.com/jira.",
        required=True,
    ),
    Option(
        "email",
        "E-mail of the account (Cloud)",
        "The account that reads. Give it Browse Projects in every project to be read, "
        "Administer Projects there (for permission schemes and roles) and Browse users "
        "and groups; Administer Jira besides where issues have security levels, or "
        "projects are open to everybody with application access. Empty for Data Center.",
    ),
    Option(
        "token",
        "API token, or personal access token",
        "Cloud: sign in as that account and make one at "
        "https://id.atlassian.com/manage-profile/security/api-tokens; with scopes, take "
        f"these: {', '.join(SCOPES)} (the last for security levels and application "
        "access alone). Data Center: profile, Personal Access Tokens, Create token, as "
        "an account with Administer Jira, which groups' members need.",
        type="secret",
        required=True,
    ),
    Option(
        "scoped_token",
        "The token has scopes (Cloud)",
        "Such tokens work at api.atlassian.com alone; requests go there.",
        type="switch",
        default=False,
    ),
    Option(
        "projects",
        "Only these projects",
        "Keys of projects, such as OPS; empty: all that the account sees.",
        type="list",
        default=[],
    ),
    Option(
        "exclude_projects",
        "But not these",
        "Keys of projects to leave out.",
        type="list",
        default=[],
    ),
    Option(
        "filter",
        "Only issues that match",
        "JQL without ORDER BY, such as issuetype != Sub-task. Times in it should be "
        "relative (-52w): others are read in the time zone of the account that reads.",
    ),
    Option(
        "comments",
        "Read comments",
        "They become a section of their issue; restricted ones documents of their own.",
        type="switch",
        default=True,
    ),
    Option(
        "attachments",
        "Read attachments",
        "Files on issues become documents of their own.",
        type="switch",
        default=True,
    ),
    Option(
        "anonymous",
        "Who reads what needs no sign-in",
        "workspace (every employee), or anyone (guests and outsiders too).",
        default="workspace",
    ),
    Option(
        "max_file_mb",
        "Largest attachment, in MB",
        "Larger files are skipped, and listed as such.",
        type="number",
        default=50,
    ),
)

_KEY = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,254}")
_ORDER_BY = re.compile(r"\border\s+by\b", re.IGNORECASE)
_IN_QUOTES = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")


@dataclass(frozen=True, slots=True)
class JiraOptions:
    """The options as the connector uses them. `base_url` ends without a slash."""

    is_cloud: bool
    base_url: str
    email: str
    token: str = field(repr=False)
    is_scoped: bool = False
    projects: frozenset[str] = frozenset()
    exclude_projects: frozenset[str] = frozenset()
    filter: str = ""
    comments: bool = True
    attachments: bool = True
    anonymous: Principal = WORKSPACE
    max_file_mb: float = 50

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> JiraOptions:
        """Check complete values. Raises OptionError naming the option."""
        deployment = values["deployment"]
        if deployment not in (CLOUD, DATA_CENTER):
            raise OptionError(f"“deployment” is {CLOUD} or {DATA_CENTER}.")
        is_cloud = deployment == CLOUD
        email = str(values["email"] or "").strip()
        if is_cloud and "@" not in email:
            raise OptionError("“email” is the address of the account that reads.")
        if values["anonymous"] not in (WORKSPACE, ANYONE):
            raise OptionError("“anonymous” is workspace or anyone.")
        limit = values["max_file_mb"]
        if isinstance(limit, bool) or not isinstance(limit, int | float) or limit <= 0:
            raise OptionError("“max_file_mb” is a number above 0.")
        return cls(
            is_cloud=is_cloud,
            base_url=_base_url(str(values["base_url"]), is_cloud=is_cloud),
            email=email,
            token=_token(values["token"]),
            is_scoped=is_cloud and bool(values["scoped_token"]),
            projects=_keys("projects", values["projects"]),
            exclude_projects=_keys("exclude_projects", values["exclude_projects"]),
            filter=_filter(values["filter"]),
            comments=bool(values["comments"]),
            attachments=bool(values["attachments"]),
            anonymous=Principal(values["anonymous"]),
            max_file_mb=float(limit),
        )

    @property
    def max_bytes(self) -> int:
        """Return the size of the largest attachment that is read."""
        return int(self.max_file_mb * BYTES_PER_MB)

    def wants(self, project_key: str) -> bool:
        """Tell whether a project is read."""
        if project_key in self.exclude_projects:
            return False
        return not self.projects or project_key in self.projects


def _base_url(url: str, *, is_cloud: bool) -> str:
    parts = base_of(url)
    # People paste the address of a board; all of a Cloud site lies at the root.
    path = "" if is_cloud else parts.path.rstrip("/")
    return urlunsplit((parts.scheme, parts.netloc, path, "", ""))


def _token(value: Any) -> str:
    token = str(value or "").strip()
    if not token.isascii() or not token.isprintable() or not token:
        raise OptionError("“token” is one line of plain characters; copy it anew.")
    return token


def _keys(name: str, value: Any) -> frozenset[str]:
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list | tuple) or not all(
        isinstance(i, str) for i in items
    ):
        raise OptionError(f"“{name}” is a list of projects' keys.")
    keys = frozenset(item.strip().upper() for item in items if item.strip())
    for key in keys:
        if not _KEY.fullmatch(key):
            raise OptionError(f"“{name}”: “{key}” is no project key such as OPS.")
    return keys


def _filter(value: Any) -> str:
    """Return JQL that can stand in brackets, or raise OptionError."""
    jql = str(value or "").strip()
    outside = _IN_QUOTES.sub("", jql)
    if _ORDER_BY.search(outside):
        raise OptionError("“filter” ends before ORDER BY; the order is ours.")
    depth = 0
    for letter in outside:
        depth += (letter == "(") - (letter == ")")
        if depth < 0:
            break
    if depth or "'" in outside or '"' in outside:
        raise OptionError("“filter” has a bracket or quote that isn't closed.")
    return jql
