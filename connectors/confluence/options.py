"""What an administrator sets for a Confluence site."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from connectors.base import Option
from connectors.errors import OptionError
from connectors.http.confinement import base_of
from memory.access import ANYONE, WORKSPACE, Principal

CLOUD, DATA_CENTER = "cloud", "data_center"
BYTES_PER_MB = 1_000_000

#: The granular scopes of the requests that are made, as the vendor's pages name them
#: (https://developer.atlassian.com/cloud/confluence/rest/v2/, …/rest/v1/, read 2026-12).
SCOPES = (
    "read:space:confluence",
    "read:page:confluence",
    "read:blogpost:confluence",
    "read:comment:confluence",
    "read:attachment:confluence",
    "read:label:confluence",
    "read:content-metadata:confluence",
    "read:hierarchical-content:confluence",
    "read:content-details:confluence",
    "read:user:confluence",
    "read:group:confluence",
)

OPTIONS: tuple[Option, ...] = (
    Option(
        "deployment",
        "Kind of site",
        "cloud for *.atlassian.net, data_center for a server of your own (9.1 or later).",
        default=CLOUD,
    ),
    Option(
        "base_url",
        "Address",
        "Such as https://example.atlassian.net or https://wiki.example.com/confluence.",
        required=True,
    ),
    Option(
        "email",
        "E-mail of the account (Cloud)",
        "The account that reads. Give it view permission on every space to be read, and "
        "make it no member of groups that it needn't be in. Empty for Data Center.",
    ),
    Option(
        "token",
        "API token, or personal access token",
        "Cloud: sign in as that account and make one at "
        "https://id.atlassian.com/manage-profile/security/api-tokens; with scopes, take "
        f"these: {', '.join(SCOPES)}. Data Center: profile, Settings, Personal Access "
        "Tokens, Create token.",
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
        "spaces",
        "Only these spaces",
        "Keys of spaces, such as HR; empty: all that the account sees.",
        type="list",
        default=[],
    ),
    Option(
        "exclude_spaces",
        "But not these",
        "Keys of spaces to leave out. Personal spaces' keys start with ~: ~* is all.",
        type="list",
        default=[],
    ),
    Option(
        "attachments",
        "Read attachments",
        "Files on pages become documents of their own.",
        type="switch",
        default=True,
    ),
    Option(
        "comments",
        "Read comments",
        "They become a section of their page.",
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


@dataclass(frozen=True, slots=True)
class ConfluenceOptions:
    """The options as the connector uses them. `base_url` ends without a slash."""

    is_cloud: bool
    base_url: str
    email: str
    token: str = field(repr=False)
    is_scoped: bool = False
    spaces: frozenset[str] = frozenset()
    exclude_spaces: frozenset[str] = frozenset()
    attachments: bool = True
    comments: bool = True
    anonymous: Principal = WORKSPACE
    max_file_mb: float = 50

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> ConfluenceOptions:
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
            spaces=_keys("spaces", values["spaces"]),
            exclude_spaces=_keys("exclude_spaces", values["exclude_spaces"]),
            attachments=bool(values["attachments"]),
            comments=bool(values["comments"]),
            anonymous=Principal(values["anonymous"]),
            max_file_mb=float(limit),
        )

    @property
    def max_bytes(self) -> int:
        """Return the size of the largest attachment that is read."""
        return int(self.max_file_mb * BYTES_PER_MB)

    def wants(self, space_key: str) -> bool:
        """Tell whether a space is read."""
        if space_key in self.exclude_spaces:
            return False
        if "~*" in self.exclude_spaces and space_key.startswith("~"):
            return False
        return not self.spaces or space_key in self.spaces


def _base_url(url: str, *, is_cloud: bool) -> str:
    parts = base_of(url)
    path = parts.path.rstrip("/")
    if is_cloud:
        # People paste the address of a page; all of a Cloud site lies under /wiki.
        path = ""
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
        raise OptionError(f"“{name}” is a list of spaces' keys.")
    return frozenset(item.strip() for item in items if item.strip())


def site_host(base_url: str) -> str:
    """Return the host of a site, for messages."""
    return urlsplit(base_url).hostname or ""
