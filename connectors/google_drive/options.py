"""What an administrator sets for a Google Drive."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit, urlunsplit

from connectors.base import Option
from connectors.conversion import MAX_BYTES
from connectors.errors import OptionError
from connectors.http.confinement import base_of
from memory.access import ANYONE, WORKSPACE, Principal

BYTES_PER_MB = 1_000_000

#: What is asked for, as the vendor's reference lists it with each method that is used
#: (https://developers.google.com/workspace/drive/api/reference/rest/v3, docs, sheets and
#: slides beside it; read 2026-12-01). Drive's own scope opens Docs, Sheets and Slides.
SCOPES = ("https://www.googleapis.com/auth/drive.readonly",)
#: https://developers.google.com/workspace/admin/directory/reference/rest/v1/members/list
DIRECTORY_SCOPES = (
    "https://www.googleapis.com/auth/admin.directory.group.member.readonly",
    "https://www.googleapis.com/auth/admin.directory.user.readonly",
)

OPTIONS: tuple[Option, ...] = (
    Option(
        "service_account_key",
        "Key of a service account (JSON)",
        "Google Cloud console: a project with the APIs Google Drive, Docs, Sheets and "
        "Slides enabled (Admin SDK too, for groups); IAM and Admin, Service accounts, "
        "Keys, Add key, JSON: https://console.cloud.google.com/iam-admin/serviceaccounts. "
        "Then Google Admin console, Security, API controls, Domain-wide delegation "
        "(https://admin.google.com/ac/owl/domainwidedelegation): add the account's client "
        f"id with the scopes {', '.join((*SCOPES, *DIRECTORY_SCOPES))} (the last two for "
        "groups alone). The whole file goes here.",
        type="secret",
    ),
    Option(
        "subjects",
        "Read as these people",
        "E-mail addresses; their My Drives are read, and the shared drives that they are "
        "members of. Managers of a shared drive also see who else its files are shared "
        "with. Empty: as the service account itself, which sees what is shared with it.",
        type="list",
        default=[],
    ),
    Option(
        "client_id",
        "OAuth client id (instead of a service account)",
        "To read as one account that consented: https://console.cloud.google.com/auth/clients, "
        f"an OAuth client, and the scope {SCOPES[0]}.",
    ),
    Option("client_secret", "OAuth client secret", type="secret"),
    Option(
        "refresh_token",
        "OAuth refresh token",
        "Of the account that reads, made with access_type=offline.",
        type="secret",
    ),
    Option(
        "directory_admin",
        "Administrator who may read groups",
        "E-mail address of a person with the admin privilege to read groups and users. "
        "Without it nobody can tell who is in a group, so groups grant nobody. With "
        "OAuth: the account's own address, if it's such an administrator.",
    ),
    Option(
        "my_drives",
        "Read My Drives",
        "Files that those people own.",
        type="switch",
        default=True,
    ),
    Option(
        "shared_with_me",
        "Read files that others shared with them",
        "Also what lies in other people's My Drives.",
        type="switch",
        default=False,
    ),
    Option(
        "read_shared_drives",
        "Read shared drives",
        "Those that the people above are members of.",
        type="switch",
        default=True,
    ),
    Option(
        "shared_drives",
        "Only these shared drives",
        "Addresses or ids of shared drives; empty: all of them.",
        type="list",
        default=[],
    ),
    Option(
        "folders",
        "Only these folders",
        "Addresses or ids of folders, read with all that lies below; empty: everything.",
        type="list",
        default=[],
    ),
    Option(
        "exclude_folders",
        "But not these folders",
        "Addresses or ids of folders to leave out, with all that lies below.",
        type="list",
        default=[],
    ),
    Option(
        "company_domains",
        "The company's domains",
        "Such as example.com. What is shared with a whole domain of these is for every "
        "employee; with any other domain it's for people with an address there alone.",
        type="list",
        default=[],
    ),
    Option(
        "company_links",
        "A link for the company counts",
        "Whether what anyone of those domains may open with the link is for every "
        "employee; if not, only what Google's own search shows to all of them is.",
        type="switch",
        default=True,
    ),
    Option(
        "anyone_with_link",
        "Who reads what anyone with the link may",
        "nobody (whoever else it's shared with still does), workspace (every employee), "
        "or anyone (guests and outsiders too).",
        default="nobody",
    ),
    Option(
        "max_file_mb",
        "Largest file, in MB",
        "Larger files are skipped, and listed as such.",
        type="number",
        default=50,
    ),
    Option(
        "base_url",
        "Address of the APIs",
        "Empty for Google's own. Only for a gateway of the company's that stands before "
        "them; keys are sent there.",
    ),
)

NOBODY = "nobody"
_ID = re.compile(r"[A-Za-z0-9_-]{5,200}")
_DOMAIN = re.compile(r"[a-z0-9-]+(?:\.[a-z0-9-]+)+")
_IN_PATH = re.compile(r"/(?:folders|drives|d)/([A-Za-z0-9_-]+)")


@dataclass(frozen=True, slots=True)
class DriveOptions:
    """The options as the connector uses them. `base_url` is "" for Google's own APIs."""

    key: Mapping[str, Any] = field(repr=False)
    subjects: tuple[str, ...] = ()
    client_id: str = ""
    client_secret: str = field(default="", repr=False)
    refresh_token: str = field(default="", repr=False)
    directory_admin: str = ""
    my_drives: bool = True
    shared_with_me: bool = False
    read_shared_drives: bool = True
    shared_drives: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()
    exclude_folders: frozenset[str] = frozenset()
    company_domains: frozenset[str] = frozenset()
    company_links: bool = True
    #: None for nobody.
    anyone_with_link: Principal | None = None
    max_file_mb: float = 50
    base_url: str = ""

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> DriveOptions:
        """Check complete values. Raises OptionError naming the option."""
        links = str(values["anyone_with_link"])
        if links not in (NOBODY, WORKSPACE, ANYONE):
            raise OptionError("“anyone_with_link” is nobody, workspace or anyone.")
        made = cls(
            key=_key(values["service_account_key"]),
            subjects=_addresses("subjects", values["subjects"]),
            client_id=str(values["client_id"] or "").strip(),
            client_secret=_secret("client_secret", values["client_secret"]),
            refresh_token=_secret("refresh_token", values["refresh_token"]),
            directory_admin=_address("directory_admin", values["directory_admin"]),
            my_drives=bool(values["my_drives"]),
            shared_with_me=bool(values["shared_with_me"]),
            read_shared_drives=bool(values["read_shared_drives"]),
            shared_drives=_ids("shared_drives", values["shared_drives"]),
            folders=_ids("folders", values["folders"]),
            exclude_folders=_ids("exclude_folders", values["exclude_folders"]),
            company_domains=_domains(values["company_domains"]),
            company_links=bool(values["company_links"]),
            anyone_with_link=None if links == NOBODY else Principal(links),
            max_file_mb=_megabytes(values["max_file_mb"]),
            base_url=_base_url(values["base_url"]),
        )
        made._check_whole()
        return made

    @property
    def is_oauth(self) -> bool:
        """Tell whether one account's consent is used, instead of a service account."""
        return not self.key

    @property
    def max_bytes(self) -> int:
        """Return the size of the largest file that is read."""
        return int(self.max_file_mb * BYTES_PER_MB)

    @property
    def needs_own_files_only(self) -> bool:
        """Tell whether what others own needn't be looked at, not even for its place."""
        return not (self.shared_with_me or self.folders or self.exclude_folders)

    def wants_drive(self, drive_id: str) -> bool:
        """Tell whether a shared drive is read."""
        if not self.read_shared_drives:
            return False
        return not self.shared_drives or drive_id in self.shared_drives

    def _check_whole(self) -> None:
        oauth = (self.client_id, self.client_secret, self.refresh_token)
        if self.key and any(oauth):
            raise OptionError(
                "Give either “service_account_key” or “client_id”, “client_secret” and "
                "“refresh_token”, not both."
            )
        if not self.key and not all(oauth):
            raise OptionError(
                "Give “service_account_key”, or “client_id”, “client_secret” and "
                "“refresh_token” together."
            )
        if self.subjects and not self.key:
            raise OptionError("“subjects” need a “service_account_key”.")
        if not self.my_drives and not self.read_shared_drives:
            raise OptionError("“my_drives” and “read_shared_drives” are both off.")


def _key(value: Any) -> Mapping[str, Any]:
    """Return a service account's key, whose own addresses are never used."""
    text = str(value or "").strip()
    if not text:
        return {}
    try:
        key = json.loads(text)
    except ValueError:
        key = None
    wanted = ("client_email", "private_key", "private_key_id")
    if not isinstance(key, dict) or not all(
        isinstance(key.get(name), str) and key[name] for name in wanted
    ):
        raise OptionError(
            "“service_account_key” is the whole JSON file that Google Cloud gives for a "
            "key of a service account."
        )
    return {name: key[name] for name in wanted}


def _secret(name: str, value: Any) -> str:
    text = str(value or "").strip()
    if not text.isascii() or not text.isprintable():
        raise OptionError(f"“{name}” is one line of plain characters; copy it anew.")
    return text


def _list(name: str, value: Any, what: str) -> list[str]:
    items: Sequence[Any] = [value] if isinstance(value, str) else value or []
    if not isinstance(items, list | tuple) or not all(
        isinstance(item, str) for item in items
    ):
        raise OptionError(f"“{name}” is a list of {what}.")
    return [item.strip() for item in items if item.strip()]


def _addresses(name: str, value: Any) -> tuple[str, ...]:
    found = [_address(name, item) for item in _list(name, value, "e-mail addresses")]
    return tuple(dict.fromkeys(found))


def _address(name: str, value: Any) -> str:
    text = str(value or "").strip().lower()
    if text and not re.fullmatch(r"[^@\s]+@[^@\s]+", text):
        raise OptionError(f"“{name}”: “{text}” is no e-mail address.")
    return text


def _ids(name: str, value: Any) -> frozenset[str]:
    found = [_id_of(name, item) for item in _list(name, value, "addresses or ids")]
    return frozenset(found)


def _id_of(name: str, text: str) -> str:
    """Return the id in an address as a browser shows it, or the id itself."""
    if "/" in text:
        parts = urlsplit(text)
        in_path = _IN_PATH.search(parts.path)
        text = in_path[1] if in_path else parse_qs(parts.query).get("id", [""])[0]
    if not _ID.fullmatch(text):
        raise OptionError(
            f"“{name}” holds what is no address of a folder, such as "
            "https://drive.google.com/drive/folders/…, and no id."
        )
    return text


def _domains(value: Any) -> frozenset[str]:
    found = [
        item.lower().removeprefix("@")
        for item in _list("company_domains", value, "domains")
    ]
    for item in found:
        if not _DOMAIN.fullmatch(item):
            raise OptionError(
                f"“company_domains”: “{item}” is no domain such as example.com."
            )
    return frozenset(found)


def _megabytes(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise OptionError("“max_file_mb” is a number above 0.")
    return min(float(value), MAX_BYTES / BYTES_PER_MB)


def _base_url(value: Any) -> str:
    text = str(value or "").strip()
    if not text:
        return ""
    parts = base_of(text)
    return urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
