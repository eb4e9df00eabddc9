"""ATTEST_HOME: the folder that holds all state, and the key made in it at first run."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from console.settings.environment import SettingError

KEY_BYTES = 48


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
    """Return the installation's secret key, making it (mode 0600) at first run.

    Two processes that start at once get the same key: each writes a file of its own,
    and only the first can be linked to the final name.
    """
    final = home / "secret-key"
    try:
        if not final.exists():
            _write_once(final)
        key = final.read_text(encoding="ascii").strip()
    except UnicodeDecodeError:
        key = ""
    except OSError as error:
        raise SettingError(
            f"The secret key in ATTEST_HOME can't be read or made "
            f"({type(error).__name__}): give this user the folder, or set "
            "ATTEST_SECRET_KEY_FILE."
        ) from error
    if len(key) < KEY_BYTES:
        raise SettingError(
            "The file secret-key in ATTEST_HOME is damaged: restore it, or delete it "
            "to have a new one made (everybody then signs in again)."
        )
    return key


def _write_once(final: Path) -> None:
    own = final.with_name(f".secret-key.{os.getpid()}.{secrets.token_hex(4)}")
    descriptor = os.open(own, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            file.write(secrets.token_urlsafe(KEY_BYTES))
        os.link(own, final)
    except FileExistsError:
        pass  # another process was first; its key is the key
    finally:
        own.unlink()
