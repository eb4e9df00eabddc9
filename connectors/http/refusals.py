"""What a status means, as an error whose message names the mend."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from connectors.errors import ConnectorError
from connectors.http.errors import (
    BadRequest,
    Forbidden,
    NotFound,
    NotSignedIn,
    Unavailable,
)

#: Data Center asks for a CAPTCHA after wrong passwords, and says so in this header.
#: https://confluence.atlassian.com/kb/ "user account locked by CAPTCHA"
_CAPTCHA = ("X-Authentication-Denied-Reason", "CAPTCHA")


@dataclass(frozen=True, slots=True)
class Mends:
    """What an administrator does about a refusal, in the vendor's own words."""

    not_signed_in: str = "Make a new key at the source and save it here."
    forbidden: str = "Give the account that Attest uses the right to read it."
    not_found: str = "It may be deleted, or hidden from the account that Attest uses."


def refusal(
    status: int, headers: Mapping[str, str], asked: str, mends: Mends
) -> ConnectorError:
    """Return the error for a status of 400 or more that waiting doesn't change."""
    if status == 401:
        return NotSignedIn(
            f"{asked}: the key wasn't accepted (401). {mends.not_signed_in}"
        )
    if status == 403:
        name, word = _CAPTCHA
        if word in headers.get(name, ""):
            return NotSignedIn(
                f"{asked}: the account is locked by a CAPTCHA after failed sign-ins "
                "(403). Sign in once with a browser as that account."
            )
        return Forbidden(f"{asked}: refused (403). {mends.forbidden}", status)
    if status == 404:
        return NotFound(f"{asked}: not found (404). {mends.not_found}", status)
    if status >= 500 or status in (407, 408, 425):
        return unavailable(asked, f"it answered {status}", status)
    return BadRequest(f"{asked}: the request isn't taken ({status}).", status)


def unavailable(
    asked: str,
    what: str,
    status: int | None = None,
    kind: type[Unavailable] = Unavailable,
) -> Unavailable:
    """Return the error for a source that doesn't answer, or not whole."""
    return kind(
        f"{asked}: {what}. The next run tries again; if it stays so, look whether the "
        "source is up and can be reached from here.",
        status,
    )
