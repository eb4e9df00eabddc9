"""Access tokens: a service account's, as itself or as somebody, or a consent's.

https://developers.google.com/identity/protocols/oauth2/service-account (read 2026-12-01)
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import google.auth.exceptions
import google.auth.transport.requests
import google.oauth2.credentials
from google.oauth2 import service_account
from requests import PreparedRequest, Response

from connectors.errors import ConnectorError, OptionError
from connectors.google_drive.options import DriveOptions
from connectors.google_drive.refusals import AccountRefused
from connectors.google_drive.transport import SERVICE, TOKEN_URL
from connectors.http import Confinement, Patience, SourceSession
from connectors.http.errors import NotJson, NotSignedIn

#: What the token endpoint says of the account that is asked for, not of the key.
_OF_THE_ACCOUNT = (
    "email or user id",
    "account has been",
    "account_disabled",
    "user id",
)


class TokenSession(SourceSession):
    """Asks the token endpoint; its refusals say what is wrong with key or account."""

    def __init__(self, url: str, patience: Patience, subject: str) -> None:
        """Connect to nothing yet. `subject` is whom the key asks for, or ""."""
        super().__init__(Confinement.of(url), service=SERVICE, patience=patience)
        self._subject = subject

    def refused(self, response: Response, asked: str) -> ConnectorError:
        """Return what a refusal means, by its OAuth error (RFC 6749, 5.2)."""
        if response.status_code not in (400, 401, 403):
            return super().refused(response, asked)
        error, description = _told(response)
        if error in ("unauthorized_client", "access_denied", "invalid_scope"):
            return NotSignedIn(
                f"{asked}: the key may not read as others ({error}). Delegate the scopes "
                "that the option service_account_key names to the service account's "
                "client id; it may take minutes until that counts."
            )
        if self._subject and any(part in description for part in _OF_THE_ACCOUNT):
            return AccountRefused(
                f"Google knows no active account {self._subject}. Correct the address, "
                "or take it out of the source's options."
            )
        if "invalid jwt: token must be" in description:
            return NotSignedIn(
                f"{asked}: the key's signature has a wrong time. Set this machine's clock."
            )
        return NotSignedIn(
            f"{asked}: the key wasn't accepted ({error or response.status_code}). Make a "
            "new key or refresh token, and save it in the source."
        )


class Key:
    """What the options hold to sign in with, read once for all accounts.

    Raises OptionError for a private key that can't be read.
    """

    def __init__(self, options: DriveOptions) -> None:
        """Read it; ask for nothing yet."""
        self.url = f"{options.base_url}/token" if options.base_url else TOKEN_URL
        self._made = (
            _consent(options, self.url)
            if options.is_oauth
            else _signer(options, self.url)
        )
        self._is_oauth = options.is_oauth

    def credentials(self, subject: str, scopes: Sequence[str]) -> Any:
        """Return credentials for an account; a consent is for its own account alone."""
        if self._is_oauth:
            return self._made
        made = self._made.with_scopes(list(scopes))
        return made.with_subject(subject) if subject else made


class Token:
    """One account's access token, got when it's first needed and renewed in time."""

    def __init__(
        self, key: Key, *, subject: str, scopes: Sequence[str], patience: Patience
    ) -> None:
        """Ask for nothing yet. `subject` is "" for the key's own account."""
        # The library has no types here.
        self._credentials: Any = key.credentials(subject, scopes)
        self._session = TokenSession(key.url, patience, subject)
        self._is_fresh = False

    def __call__(self, request: PreparedRequest) -> PreparedRequest:
        """Send the token with a request."""
        self._is_fresh = False
        if not self._credentials.valid:
            self._get()
        request.headers["Authorization"] = f"Bearer {self._credentials.token}"
        return request

    def renew(self) -> bool:
        """Get another token where the one that was refused was got earlier."""
        if self._is_fresh:
            return False
        self._get()
        return True

    def _get(self) -> None:
        try:
            # Google's own adapter closes its session when it goes; ours opens anew.
            self._credentials.refresh(
                google.auth.transport.requests.Request(self._session)
            )
        except google.auth.exceptions.GoogleAuthError as error:
            # What the endpoint refuses is raised by the session, with its meaning.
            raise NotJson(
                "Google's token endpoint sent something else than a token. Check the "
                "option base_url, and what stands between here and Google."
            ) from error
        self._is_fresh = True


def _consent(options: DriveOptions, url: str) -> Any:
    return google.oauth2.credentials.Credentials(  # type: ignore[no-untyped-call]
        None,
        refresh_token=options.refresh_token,
        token_uri=url,
        client_id=options.client_id,
        client_secret=options.client_secret,
    )


def _signer(options: DriveOptions, url: str) -> Any:
    info: Mapping[str, Any] = {**options.key, "token_uri": url}
    try:
        return service_account.Credentials.from_service_account_info(info)  # type: ignore[no-untyped-call]
    except (ValueError, google.auth.exceptions.GoogleAuthError):
        # The cause may hold a part of the key.
        raise OptionError(
            "“service_account_key” holds no private key that can be read; download it "
            "anew from Google Cloud."
        ) from None


def _told(response: Response) -> tuple[str, str]:
    """Return error and description, in lower case."""
    try:
        body = json.loads(response.content)
        return str(body["error"]).lower(), str(
            body.get("error_description", "")
        ).lower()
    except (ValueError, LookupError, TypeError, AttributeError):
        return "", ""
