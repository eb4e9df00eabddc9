"""Secret options of sources, encrypted at rest.

A secret stands in `Source.options` as `{"encrypted": token}`; the token is Fernet's
(AES-128-CBC with HMAC-SHA256). `Source.save` seals, `connector_for` opens, and nothing
else ever sees the text. The first of ATTEST_CREDENTIAL_KEYS encrypts, all decrypt.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from connectors.base import Option
from connectors.errors import OptionError

SEALED = "encrypted"


class CredentialError(OptionError):
    """A secret can't be decrypted with the keys there are."""


def sealed(values: Mapping[str, Any], options: Sequence[Option]) -> dict[str, Any]:
    """Return the values with every secret encrypted; sealed ones stay as they are."""
    result = dict(values)
    for name in _secrets(options):
        value = result.get(name)
        if isinstance(value, str) and value:
            result[name] = {SEALED: _keys().encrypt(value.encode()).decode("ascii")}
    return result


def opened(
    values: Mapping[str, Any], options: Sequence[Option], *, source: str
) -> dict[str, Any]:
    """Return the values with every secret as text.

    Raises CredentialError naming the source, the option and the mend.
    """
    result = dict(values)
    for name in _secrets(options):
        value = result.get(name)
        if isinstance(value, Mapping):
            try:
                token = str(value.get(SEALED, "")).encode()
                result[name] = _keys().decrypt(token).decode()
            except (InvalidToken, UnicodeDecodeError) as error:
                raise CredentialError(
                    f"“{name}” of the source “{source}” was encrypted with another key: "
                    "restore that key (ATTEST_CREDENTIAL_KEYS, or the file "
                    f"credential-key in ATTEST_HOME), or enter “{name}” again."
                ) from error
    return result


def rotated(
    values: Mapping[str, Any], options: Sequence[Option], *, source: str
) -> dict[str, Any]:
    """Return the values with every secret encrypted by the newest key.

    Raises CredentialError as `opened` does.
    """
    return sealed(opened(values, options, source=source), options)


def _secrets(options: Sequence[Option]) -> list[str]:
    return [option.name for option in options if option.type == "secret"]


def _keys() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.ATTEST_CREDENTIAL_KEYS])
