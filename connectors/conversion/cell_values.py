"""A spreadsheet's values as its reader sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime, time, timedelta

_QUOTED = re.compile(r'"([^"]*)"')
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-[^\]]*)?\]")
_CONDITION = re.compile(r"\[[^\]]*\]")
_FILLERS = re.compile(r"[_*].|\\")
_DECIMALS = re.compile(r"[0#?]\.([0#?]+)")
_SYMBOLS = "$€£¥"


def shown(value: object, number_format: str = "General") -> str:
    """Return a value as text: dates in ISO form, numbers in their cell's format.

    Knows decimals, thousands, per cent and currency; of a format with several parts the
    first is used. Anything else is shown in full.
    """
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, datetime):
        has_time = value.time() != time(0)
        return (
            value.strftime("%Y-%m-%d %H:%M") if has_time else value.date().isoformat()
        )
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return value.strftime("%H:%M:%S" if value.second else "%H:%M")
    if isinstance(value, timedelta):
        return str(value)
    if isinstance(value, int | float):
        return _number(value, number_format or "General")
    return "" if value is None else str(value)


def _number(value: float, number_format: str) -> str:
    if value in (float("inf"), float("-inf")) or value != value:
        return str(value)
    pattern = number_format.split(";")[0]
    pattern = _CURRENCY.sub(lambda match: f'"{match.group(1)}"', pattern)
    literals = _QUOTED.findall(pattern)
    bare = _FILLERS.sub("", _CONDITION.sub("", _QUOTED.sub("\x00", pattern)))
    if not re.search(r"[0#]", bare) or "E+" in bare or "/" in bare:
        return _plain(value)
    decimals = _DECIMALS.search(bare)
    places = len(decimals.group(1)) if decimals else 0
    if "%" in bare:
        value *= 100
    try:
        digits = f"{abs(value):{',' if ',' in bare else ''}.{places}f}"
        if decimals and "#" in decimals.group(1):
            least = len(digits) - decimals.group(1).count("#")
            digits = (digits[:least] + digits[least:].rstrip("0")).rstrip(".")
    except (OverflowError, ValueError):
        return _plain(value)
    first = re.search(r"[0#]", bare)
    start = first.start() if first else 0
    last = max(bare.rfind("0"), bare.rfind("#"))
    fill = iter(literals)
    before = _literal(bare[:start], fill)
    _literal(bare[start:last], fill)
    after = _literal(bare[last + 1 :], fill)
    sign = "-" if value < 0 and digits.strip("0.,") else ""
    return f"{sign}{before}{digits}{after}".strip()


def _literal(text: str, fill: Iterator[str]) -> str:
    kept = ""
    for character in text:
        if character == "\x00":
            kept += next(fill, "")
        elif character in _SYMBOLS + "% ":
            kept += character
    return kept


def _plain(value: float) -> str:
    if isinstance(value, int):
        return str(value)
    return (
        str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.10g}"
    )
