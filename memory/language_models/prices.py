"""What a call costs: one table in the package, corrected by a file of one's own."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from importlib.resources import files
from pathlib import Path
from typing import Any

from memory.errors import AttestError

TABLE = "prices.toml"
_MILLION = Decimal(1_000_000)
#: The end of a dated name: gpt-5.4-2026-03-05.
_DATED = re.compile(r"-\d{4}-\d{2}-\d{2}$")
#: More than this in one call is a slip of the endpoint's.
MOST_TOKENS = 2_000_000_000
_AMOUNTS = ("input", "output", "cached_input", "cache_write")


class PriceError(AttestError):
    """A table of prices can't be read; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one call, as the vendor counts them.

    `cached` and `written` (to the vendor's cache) are parts of `prompt`, `reasoning`
    is part of `completion`.
    """

    prompt: int
    completion: int
    cached: int = 0
    written: int = 0
    reasoning: int = 0


def counted(value: object) -> int | None:
    """Return a reported count of tokens, None for what can't be one."""
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_TOKENS else None


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars per million tokens, the page that says so and when it was read."""

    input: Decimal
    output: Decimal
    cached_input: Decimal
    cache_write: Decimal
    source: str = ""
    read: date | None = None

    def cost(self, tokens: Tokens) -> Decimal:
        """Return what a call cost in US dollars."""
        plain = max(0, tokens.prompt - tokens.cached - tokens.written)
        total = (
            plain * self.input
            + tokens.cached * self.cached_input
            + tokens.written * self.cache_write
            + tokens.completion * self.output
        )
        return total / _MILLION


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices by model."""

    models: Mapping[str, Price]

    @classmethod
    def load(cls, file: Path | None = None) -> Prices:
        """Return the package's table with what `file` corrects. Raises PriceError."""
        packaged = files("memory.language_models").joinpath(TABLE)
        models = _parsed(packaged.read_text(encoding="utf-8"), TABLE)
        if file is not None:
            try:
                text = file.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise PriceError(
                    f"{file}: the prices can't be read ({type(error).__name__})."
                ) from error
            models |= _parsed(text, str(file))
        return cls(models)

    def of(self, model: str) -> Price | None:
        """Return a model's price, None where it's unknown.

        A dated name has the price of the plain one unless it's listed itself.
        """
        return self.models.get(model) or self.models.get(_DATED.sub("", model))

    def cost(self, model: str, tokens: Tokens | None) -> Decimal | None:
        """Return a call's cost in US dollars, None where price or usage is unknown."""
        price = self.of(model)
        return None if price is None or tokens is None else price.cost(tokens)


def _parsed(text: str, where: str) -> dict[str, Price]:
    try:
        table = tomllib.loads(text, parse_float=Decimal).get("models", {})
    except tomllib.TOMLDecodeError as error:
        raise PriceError(f"{where} is no TOML: {error}") from error
    if not isinstance(table, dict) or not all(
        isinstance(row, dict) for row in table.values()
    ):
        raise PriceError(f'{where}: prices stand in tables named [models."NAME"].')
    return {name: _price(row, f"{where}, {name}") for name, row in table.items()}


def _price(row: Mapping[str, Any], where: str) -> Price:
    amounts = {name: _amount(row[name], where) for name in _AMOUNTS if name in row}
    if not {"input", "output"} <= set(amounts):
        raise PriceError(f"{where}: both `input` and `output` are needed.")
    fresh = amounts["input"]
    read = row.get("read")
    return Price(
        input=fresh,
        output=amounts["output"],
        cached_input=amounts.get("cached_input", fresh),
        cache_write=amounts.get("cache_write", fresh),
        source=str(row.get("source", "")),
        read=read if isinstance(read, date) else None,
    )


def _amount(value: object, where: str) -> Decimal:
    is_number = isinstance(value, int | Decimal) and not isinstance(value, bool)
    amount = Decimal(str(value)) if is_number else Decimal("NaN")
    if not amount.is_finite() or not 0 <= amount < 100_000:
        raise PriceError(f"{where}: a price is dollars per million tokens, 0 or more.")
    return amount
