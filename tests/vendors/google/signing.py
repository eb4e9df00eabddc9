"""The token endpoint: a service account's signed grant, and a consent's refresh token.

https://developers.google.com/identity/protocols/oauth2/service-account,
https://developers.google.com/identity/protocols/oauth2/web-server (read 2026-12-01)
"""

from __future__ import annotations

import base64
import binascii
import json
import time
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import parse_qs

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from tests.vendors.google.errors import oauth_error
from tests.vendors.google.state import Workspace
from tests.vendors.loopback import Asked, Reply

DRIVE = "https://www.googleapis.com/auth/drive.readonly"
GROUPS = "https://www.googleapis.com/auth/admin.directory.group.member.readonly"
USERS = "https://www.googleapis.com/auth/admin.directory.user.readonly"

ACCOUNT = "attest@project-1.iam.gserviceaccount.com"
#: What a grant is for, wherever it's sent.
AUDIENCE = "https://oauth2.googleapis.com/token"
CLIENT_ID, CLIENT_SECRET, REFRESH = "client-1", "secret-of-the-client", "refresh-of-ada"


@cache
def key(name: str = "key-1") -> rsa.RSAPrivateKey:
    """Return a key; a short one, as each look at one takes the longer."""
    return rsa.generate_private_key(public_exponent=65537, key_size=1024)  # noqa: S505


def key_file(name: str = "key-1") -> str:
    """Return what Google Cloud gives for a service account's key."""
    pem = key(name).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return json.dumps(
        {
            "type": "service_account",
            "project_id": "project-1",
            "private_key_id": name,
            "private_key": pem.decode(),
            "client_email": ACCOUNT,
            "client_id": "100000000000000000001",
            # What a file says of where to sign in is never believed.
            "token_uri": "https://oauth2.evil.example.com/token",
        }
    )


@dataclass
class Issued:
    email: str
    scopes: frozenset[str]
    ends_at: float


@dataclass
class TokenEndpoint:
    """Issues tokens; a test changes what is delegated and which keys are known."""

    workspace: Workspace
    keys: set[str] = field(default_factory=lambda: {"key-1"})
    delegated: set[str] = field(default_factory=lambda: {DRIVE, GROUPS, USERS})
    #: The account of the consent, and what it consented to.
    consent: str = ""
    consented: set[str] = field(default_factory=lambda: {DRIVE})
    tokens: dict[str, Issued] = field(default_factory=dict)
    lasts_s: int = 3600
    #: How far this server's clock is ahead of the client's.
    ahead_s: float = 0

    def answer(self, asked: Asked) -> Reply:
        form = {
            name: values[0] for name, values in parse_qs(asked.body.decode()).items()
        }
        match form.get("grant_type"):
            case "urn:ietf:params:oauth:grant-type:jwt-bearer":
                return self._by_key(form.get("assertion", ""))
            case "refresh_token":
                return self._by_refresh(form)
        return oauth_error(400, "unsupported_grant_type")

    def holder(self, asked: Asked) -> Issued | None:
        """Return whose token a request has, None for none that counts."""
        kind, _, token = asked.headers.get("authorization", "").partition(" ")
        issued = self.tokens.get(token) if kind == "Bearer" else None
        return issued if issued and issued.ends_at > time.time() else None

    def _by_key(self, assertion: str) -> Reply:
        try:
            claims = self._verified(assertion)
        except (ValueError, KeyError, InvalidSignature, binascii.Error):
            return oauth_error(400, "invalid_grant", "Invalid JWT Signature.")
        now = time.time() + self.ahead_s
        if claims["aud"] != AUDIENCE or claims["iss"] != ACCOUNT:
            return oauth_error(
                400, "invalid_grant", "Invalid JWT: Failed audience check."
            )
        if not now - 3700 < claims["iat"] <= now + 300 or claims["exp"] < now:
            text = "Invalid JWT: Token must be a short-lived token (60 minutes)"
            return oauth_error(400, "invalid_grant", text)
        scopes = frozenset(claims["scope"].split())
        subject = claims.get("sub", "")
        if subject and not scopes <= self.delegated:
            text = "Client is unauthorized to retrieve access tokens using this method"
            return oauth_error(401, "unauthorized_client", text)
        person = self.workspace.people.get(subject or ACCOUNT)
        if subject and (person is None or not person.is_active):
            return oauth_error(400, "invalid_grant", "Invalid email or User ID")
        return self._issue(subject or ACCOUNT, scopes)

    def _verified(self, assertion: str) -> dict:
        head, body, signature = assertion.split(".")
        named = json.loads(_decoded(head))
        if named["alg"] != "RS256" or named["kid"] not in self.keys:
            raise KeyError(named["kid"])
        public = key(named["kid"]).public_key()
        signed = f"{head}.{body}".encode()
        public.verify(_decoded(signature), signed, padding.PKCS1v15(), hashes.SHA256())
        return json.loads(_decoded(body))

    def _by_refresh(self, form: dict[str, str]) -> Reply:
        if (form.get("client_id"), form.get("client_secret")) != (
            CLIENT_ID,
            CLIENT_SECRET,
        ):
            return oauth_error(401, "invalid_client", "The OAuth client was not found.")
        if form.get("refresh_token") != REFRESH or not self.consent:
            text = "Token has been expired or revoked."
            return oauth_error(400, "invalid_grant", text)
        return self._issue(self.consent, frozenset(self.consented))

    def _issue(self, email: str, scopes: frozenset[str]) -> Reply:
        token = f"ya29.token-{len(self.tokens) + 1}"
        self.tokens[token] = Issued(email, scopes, time.time() + self.lasts_s)
        return Reply(
            {
                "access_token": token,
                "expires_in": self.lasts_s,
                "scope": " ".join(sorted(scopes)),
                "token_type": "Bearer",
            }
        )


def _decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
