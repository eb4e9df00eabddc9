"""A source's options: text from a command line or form to checked values."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from connectors.base import Option
from connectors.errors import OptionError

_ON = frozenset({"1", "true", "yes", "on"})
_OFF = frozenset({"0", "false", "no", "off"})


def parse_settings(
    settings: Iterable[str], options: Sequence[Option]
) -> dict[str, Any]:
    """Turn `key=value` texts into values; a list's key may be repeated.

    Raises OptionError naming the option and what there is.
    """
    by_name = {option.name: option for option in options}
    values: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        name = name.strip()
        if name not in by_name:
            raise OptionError(f"There's no option “{name}”. {described(options)}")
        if not equals:
            raise OptionError(f"“{name}” has no value; write {name}=value.")
        value = parse(by_name[name], text.strip())
        repeated = by_name[name].type == "list" and name in values
        values[name] = [*values[name], *value] if repeated else value
    return values


def complete(values: Mapping[str, Any], options: Sequence[Option]) -> dict[str, Any]:
    """Return the values with defaults for the rest.

    Raises OptionError for an unknown option and for a required one that is missing.
    """
    names = {option.name for option in options}
    for name in values:
        if name not in names:
            raise OptionError(f"There's no option “{name}”. {described(options)}")
    for option in options:
        if option.required and values.get(option.name) in (None, "", []):
            raise OptionError(f"“{option.name}” is required: {option.label}.")
    return {option.name: option.default for option in options} | dict(values)


def parse(option: Option, text: str) -> Any:
    """Turn text into a value of the option's type, or raise OptionError naming it."""
    match option.type:
        case "number":
            return _number(option, text)
        case "switch":
            return _switch(option, text)
        case "list":
            return _list(option, text)
        case "path":
            return _path(option, text)
        case _:
            return text


def described(options: Sequence[Option]) -> str:
    """Name all options on one line."""
    names = (
        f"{item.name} (required)" if item.required else item.name for item in options
    )
    return f"There are: {', '.join(names)}."


def _number(option: Option, text: str) -> int | float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or number <= 0:
        raise OptionError(f"“{option.name}” is a number above 0, not “{text}”.")
    return int(number) if number.is_integer() else number


def _switch(option: Option, text: str) -> bool:
    if text.lower() in _ON | _OFF:
        return text.lower() in _ON
    raise OptionError(f"“{option.name}” is yes or no, not “{text}”.")


def _list(option: Option, text: str) -> list[str]:
    """Read a JSON list, or texts between commas."""
    if not text.startswith("["):
        return [item.strip() for item in text.split(",") if item.strip()]
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    # A glob may start with a bracket too: [a-z]*.md
    if not isinstance(value, list):
        return [item.strip() for item in text.split(",") if item.strip()]
    if not all(isinstance(item, str) for item in value):
        raise OptionError(f"“{option.name}” is a list of texts.")
    return value


def _path(option: Option, text: str) -> str:
    """Return an absolute path: a source is synced from other folders too."""
    if not text or "\0" in text:
        raise OptionError(f"“{option.name}” is a path.")
    return os.path.abspath(Path(text).expanduser())
