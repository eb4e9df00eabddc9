"""The one place where the environment is read.

Values come from the process's environment and, where it lacks a name, from `.env` in
the checkout (or the file that ATTEST_ENV_FILE names). An empty value counts as unset.
Each parser fails with the setting's name, the kind of what it found and what's
accepted; a value is never repeated in a message, as any of them may be a secret that
was put under the wrong name.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured
from dotenv import dotenv_values

PREFIX = "ATTEST_"
CHECKOUT = Path(__file__).resolve().parents[2]
#: Read by the Makefile, `.ci/run` and the tests, never by the product.
READ_ELSEWHERE = frozenset(
    {"ATTEST_SHARED", "ATTEST_TEST_DATABASE_URL", "ATTEST_VENVS"}
)

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class SettingError(ImproperlyConfigured):
    """A setting has a value that it can't have; the message says which and the mend."""


def kind_of(value: str) -> str:
    """Return what a value looks like, without telling it."""
    if not value.strip():
        return "blank"
    try:
        float(value)
    except ValueError:
        return f"text of {len(value)} characters"
    return "a number"


@dataclass
class Environment:
    """Settings by name, with what was asked for so far in `known`."""

    values: Mapping[str, str]
    known: set[str] = field(default_factory=set)

    def _read(self, name: str) -> str | None:
        self.known.add(name)
        value = self.values.get(name, "").strip()
        return value or None

    def text(self, name: str, *, default: str = "") -> str:
        """Return the value as it stands."""
        return self._read(name) or default

    def choice(self, name: str, *, default: str, accepted: Collection[str]) -> str:
        """Return one of `accepted`, in lower case."""
        value = (self._read(name) or default).lower()
        if value not in accepted:
            raise refusal(name, value, " or ".join(sorted(accepted)))
        return value

    def boolean(self, name: str, *, default: bool) -> bool:
        """Return a switch."""
        value = self._read(name)
        if value is None:
            return default
        if value.lower() in _TRUE | _FALSE:
            return value.lower() in _TRUE
        raise refusal(name, value, "true or false (also 1/0, yes/no, on/off)")

    def integer(self, name: str, *, default: int, low: int, high: int) -> int:
        """Return a whole number in [low, high]."""
        value = self._read(name)
        if value is None:
            return default
        try:
            number = int(value)
        except ValueError:
            number = low - 1
        if not low <= number <= high:
            raise refusal(name, value, f"a whole number from {low} to {high}")
        return number

    def number(
        self, name: str, *, default: float | None, low: float, high: float
    ) -> float | None:
        """Return a number in [low, high]; `default` where it's unset."""
        value = self._read(name)
        if value is None:
            return default
        try:
            number = float(value)
        except ValueError:
            number = float("nan")
        if not low <= number <= high:  # not a number fails too
            raise refusal(name, value, f"a number from {low:g} to {high:g}")
        return number

    def path(self, name: str, *, default: Path) -> Path:
        """Return an absolute path; a relative one starts at the checkout."""
        value = self._read(name)
        if value is not None and "\0" in value:
            raise refusal(name, value, "a path")
        return (CHECKOUT / Path(value or default).expanduser()).resolve()

    def url(self, name: str, *, default: str) -> str:
        """Return an origin, scheme://host[:port], without a slash at its end."""
        value = (self._read(name) or default).rstrip("/")
        parts = urlsplit(value)
        plain = f"{parts.scheme}://{parts.netloc}" == value and "@" not in value
        if parts.scheme not in {"http", "https"} or not parts.hostname or not plain:
            raise refusal(name, value, "http:// or https:// and a host, no path")
        return value

    def items(self, name: str, *, default: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Return a list given with commas; blanks around items don't count."""
        value = self._read(name)
        if value is None:
            return default
        return tuple(item.strip() for item in value.split(",") if item.strip())

    def secret(self, name: str, *, default: str = "") -> str:
        """Return a secret from NAME, or from the file that NAME_FILE names.

        Raises SettingError when both are set or the file can't be read.
        """
        value, file = self._read(name), self._read(f"{name}_FILE")
        if value is not None and file is not None:
            raise SettingError(f"{name} and {name}_FILE are both set: keep one.")
        if file is None:
            return value or default
        try:
            secret = Path(file).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise SettingError(
                f"{name}_FILE: the file can't be read ({type(error).__name__}); "
                "accepted: the path of a text file that holds the secret alone."
            ) from error
        if not secret:
            raise SettingError(f"{name}_FILE: the file is empty.")
        return secret

    def unknown(self) -> dict[str, str]:
        """Return ATTEST_* names that nothing reads, each with the closest known one."""
        names = sorted(
            name
            for name in self.values
            if name.startswith(PREFIX) and name not in self.known | READ_ELSEWHERE
        )
        return {name: self._closest(name) for name in names}

    def _closest(self, name: str) -> str:
        close = difflib.get_close_matches(name, sorted(self.known), n=1, cutoff=0.7)
        return close[0] if close else ""


def refusal(name: str, value: str, accepted: str) -> SettingError:
    """Return the error for a value that isn't accepted."""
    return SettingError(f"{name} is {kind_of(value)}; accepted: {accepted}.")


def read_environment(process: Mapping[str, str]) -> Environment:
    """Return the process's environment, completed from the `.env` file."""
    named = process.get("ATTEST_ENV_FILE", "").strip()
    file = CHECKOUT / (named or ".env")
    if named and (file.is_dir() or not file.exists()):
        raise SettingError("ATTEST_ENV_FILE names no file; accepted: a file to read.")
    pairs = dotenv_values(file, interpolate=False) if file.is_file() else {}
    from_file = {name: value for name, value in pairs.items() if value is not None}
    return Environment({**from_file, **process}, known={"ATTEST_ENV_FILE"})


ENVIRONMENT = read_environment(os.environ)
env_text = ENVIRONMENT.text
env_choice = ENVIRONMENT.choice
env_bool = ENVIRONMENT.boolean
env_int = ENVIRONMENT.integer
env_float = ENVIRONMENT.number
env_path = ENVIRONMENT.path
env_url = ENVIRONMENT.url
env_list = ENVIRONMENT.items
env_secret = ENVIRONMENT.secret
