"""What Google means by a refusal.

A 403 says by its reason whether it's a limit, a right, or a file's own nature.

HttpError (connectors.http.errors)
└── Forbidden
    └── Refused             has `reason`, the vendor's own word
        ├── CannotDownload  this file may be looked at, but not fetched
        ├── TooLargeToExport  more than 10 MB as another format
        └── ApiOff          this API isn't enabled in the key's project
ConnectorError
├── AccountRefused          nobody can be read as this one account
└── PermanentError
    └── NotSignedIn         the key, the delegation or a scope is wrong

https://developers.google.com/workspace/drive/api/guides/handle-errors and
https://cloud.google.com/apis/design/errors (read 2026-12-01)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from requests import Response

from connectors.errors import ConnectorError
from connectors.http.errors import Forbidden, NotSignedIn
from connectors.http.refusals import Mends

#: A 403 that waiting changes; Google says it so as well as by 429.
LIMITS = frozenset(
    (
        "rateLimitExceeded",
        "userRateLimitExceeded",
        "dailyLimitExceeded",
        "quotaExceeded",
        "RATE_LIMIT_EXCEEDED",
        "RESOURCE_EXHAUSTED",
    )
)
_NOT_TO_FETCH = frozenset(
    (
        "cannotDownloadFile",
        "cannotDownloadAbusiveFile",
        "cannotExportFile",
        "fileNotDownloadable",
        "fileNotExportable",
        "downloadRestricted",
    )
)
_API_OFF = frozenset(("accessNotConfigured", "SERVICE_DISABLED"))
_NO_SCOPE = frozenset(
    (
        "insufficientPermissions",
        "insufficientAuthenticationScopes",
        "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
    )
)
#: What is known by its reason, and the mend.
_MENDS = {
    "appNotAuthorizedToFile": "The consent covers only files that were opened with the "
    "app. Make the refresh token anew with the scope drive.readonly.",
    "insufficientFilePermissions": "The account that reads may not do that with this "
    "file. Share it with that account.",
    "domainPolicy": "The domain's administrator has switched Drive, or apps for Drive, "
    "off for this account; allow it in the Admin console.",
}

MENDS = Mends(
    not_signed_in="Save the key in the source again; look whether it still exists in "
    "Google Cloud, and whether the account that it reads as is active.",
    forbidden="Share it with the account that reads.",
    not_found="It may be deleted, or not shared with the account that reads.",
)


class Refused(Forbidden):
    """Google refuses one thing, for a reason of its own."""

    def __init__(self, message: str, reason: str, status: int = 403) -> None:
        """Keep the reason beside the message."""
        super().__init__(message, status)
        self.reason = reason


class CannotDownload(Refused):
    """The file may be seen, but not fetched."""


class TooLargeToExport(Refused):
    """Google exports no more than 10 MB."""


class ApiOff(Refused):
    """The API isn't enabled in the Cloud project of the key."""


class AccountRefused(ConnectorError):
    """The key may not read as this account; it may as others."""


def reasons_of(response: Response) -> list[str]:
    """Return the vendor's words for why, in both shapes that its APIs use."""
    try:
        error = json.loads(response.content)["error"]
    except (ValueError, LookupError, TypeError):
        return []
    if not isinstance(error, Mapping):
        return []
    told = [
        *_texts(error.get("details"), "reason"),
        *_texts(error.get("errors"), "reason"),
    ]
    status = error.get("status")
    return [*told, status] if isinstance(status, str) else told


def _texts(values: Any, name: str) -> list[str]:
    if not isinstance(values, Sequence) or isinstance(values, str):
        return []
    found = (value.get(name) for value in values if isinstance(value, Mapping))
    return [text for text in found if isinstance(text, str)]


def meaning(response: Response) -> int:
    """Return the status that an answer means: a limit is a limit, whatever it says."""
    if response.status_code == 403 and LIMITS.intersection(reasons_of(response)):
        return 429
    return response.status_code


def refused(response: Response, asked: str) -> ConnectorError | None:
    """Return the error of a 403, or None for what any source may answer."""
    if response.status_code != 403:
        return None
    reasons = reasons_of(response)
    told = set(reasons)
    first = reasons[0] if reasons else ""
    if _NO_SCOPE & told:
        return NotSignedIn(
            f"{asked}: the key lacks a scope (403). The option service_account_key "
            "names the scopes to delegate; a refresh token needs them when it's made."
        )
    if _API_OFF & told:
        return ApiOff(
            f"{asked}: this API isn't enabled. Enable it in the Cloud project that the "
            "key is of: https://console.cloud.google.com/apis/library.",
            first,
        )
    if "exportSizeLimitExceeded" in told:
        return TooLargeToExport(
            f"{asked}: it's larger than the 10 MB that Google exports.", first
        )
    if _NOT_TO_FETCH & told:
        return CannotDownload(
            f"{asked}: its owner lets readers neither download nor copy it, or Google "
            "holds it for harmful. Share it with the account that reads as an editor.",
            first,
        )
    mend = next((_MENDS[item] for item in reasons if item in _MENDS), MENDS.forbidden)
    return Refused(f"{asked}: refused (403, {first or 'no reason'}). {mend}", first)
