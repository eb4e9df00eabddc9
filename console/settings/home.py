"""ATTEST_HOME: the folder that holds all state, and the key made in it at first run."""

from __future__ import annotations

import base64
import os
import secrets
from collections.abc import Callable
from pathlib import Path

from console.settings.environment import SettingError

KEY_BYTES = 48
#: 32 bytes in base 64, as Fernet takes them.
CREDENTIAL_KEY_CHARACTERS = 44


def make_home(home: Path) -> Path:
    """Create the folder, readable by its owner alone, unless it exists."""
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise SettingError(
            f"ATTEST_HOME can't be created ({error.strerror}); "
            "accepted: a folder that this user may write to."
        ) from error
    return home


def secret_key(home: Path) -> str:
    """Return the installation's secret key, making it (mode 0600) at first run."""
    return _kept(
        home / "secret-key",
        "ATTEST_SECRET_KEY_FILE",
        lambda: secrets.token_urlsafe(KEY_BYTES),
        KEY_BYTES,
        "delete it to have a new one made (everybody then signs in again)",
    )


def credential_key(home: Path) -> str:
    """Return the key that encrypts sources' secrets, making it at first run."""
    return _kept(
        home / "credential-key",
        "ATTEST_CREDENTIAL_KEYS_FILE",
        lambda: base64.urlsafe_b64encode(os.urandom(32)).decode("ascii"),
        CREDENTIAL_KEY_CHARACTERS,
        "delete it to have a new one made (the sources' secrets are then entered again)",
    )


def _kept(
    final: Path, setting: str, make: Callable[[], str], least: int, or_else: str
) -> str:
    """Return a key from its file, making that first where it isn't there.

    Two processes that start at once get the same key: each writes a file of its own,
    and only the first can be linked to the final name.
    """
    name = final.name
    try:
        if not final.exists():
            _write_once(final, make())
        key = final.read_text(encoding="ascii").strip()
    except UnicodeDecodeError:
        key = ""
    except OSError as error:
        raise SettingError(
            f"The {name.replace('-', ' ')} in ATTEST_HOME can't be read or made "
            f"({type(error).__name__}): give this user the folder, or set {setting}."
        ) from error
    if len(key) < least:
        raise SettingError(
            f"The file {name} in ATTEST_HOME is damaged: restore it, or {or_else}."
        )
    return key


def _write_once(final: Path, text: str) -> None:
    own = final.with_name(f".{final.name}.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(text)
        os.link(own, final)
    except FileExistsError:
        pass  # another process was first; its key is the key
    finally:
        own.unlink()


def credential_keys(given: str, home: Path) -> list[str]:
    """Return the keys for sources' secrets, the newest first; by default one of ours.

    Raises SettingError for a key that isn't one of Fernet's.
    """
    keys = [key.strip() for key in given.split(",") if key.strip()]
    keys = keys or [credential_key(home)]
    for key in keys:
        try:
            length = len(base64.urlsafe_b64decode(key))
        except ValueError:
            length = 0
        if length != 32:
            raise SettingError(
                "ATTEST_CREDENTIAL_KEYS or the file credential-key in ATTEST_HOME "
                "holds something that is no key; accepted: 32 bytes in URL-safe base "
                "64, several between commas, the newest first."
            )
    return keys
