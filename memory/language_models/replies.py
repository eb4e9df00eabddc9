"""What a reply holds: its text, or the JSON value in it, however it's wrapped."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from memory.language_models.base import JsonSchema
from memory.language_models.prices import Tokens

#: Reasoning that some local models put in front of their reply.
_THOUGHT = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n?[ \t]*```", re.DOTALL | re.IGNORECASE)
#: Places where a value may begin that are tried in a wordy reply.
_MOST_STARTS = 50


class Unusable(ValueError):
    """A reply is empty, cut short or holds no JSON. Says which, and nothing of it."""


@dataclass(frozen=True, slots=True)
class Structure:
    """The structured reply that's wanted."""

    name: str
    schema: JsonSchema


@dataclass(frozen=True, slots=True)
class Reply:
    """One reply of a model. `tokens` is None where the endpoint reports no usage."""

    content: str
    finish: str
    tokens: Tokens | None
    milliseconds: float
    refusal: bool = False

    @property
    def is_cut(self) -> bool:
        """Tell whether it ran into the limit of tokens."""
        return self.finish == "length"

    @property
    def is_refused(self) -> bool:
        """Tell whether the model or a filter declined."""
        return self.refusal or self.finish == "content_filter"

    @property
    def text(self) -> str:
        """Return the text without reasoning in front, stripped; it may be empty."""
        return _THOUGHT.sub("", self.content).replace("\0", "").strip()

    def value(self) -> Any:
        """Return the JSON value. Raises Unusable."""
        if not self.text:
            raise Unusable("it's cut short" if self.is_cut else "it's empty")
        if self.is_cut:
            raise Unusable("it's cut short")
        return json_in(self.text)


def json_in(text: str) -> Any:
    """Return the JSON value of a text: alone, fenced, or the first one among words.

    Raises Unusable where there is none.
    """
    fenced = [match[1] for match in _FENCE.finditer(text)]
    for candidate in (text, *fenced):
        try:
            return _storable(json.loads(candidate, parse_constant=_refuse))
        except (ValueError, RecursionError):
            continue
    try:
        return _storable(_first_value(text))
    except RecursionError:
        raise Unusable("its JSON nests too deep") from None


def _first_value(text: str) -> Any:
    decoder = json.JSONDecoder(parse_constant=_refuse)
    starts = [match.start() for match in re.finditer(r"[{\[]", text)][:_MOST_STARTS]
    for start in starts:
        try:
            return decoder.raw_decode(text, start)[0]
        except (ValueError, RecursionError):
            continue
    raise Unusable("it holds no JSON")


def _refuse(_: str) -> NoReturn:
    """Refuse NaN and Infinity, which Python takes and JSON doesn't know."""
    raise ValueError("no number of JSON")


def _storable(value: Any) -> Any:
    """Return a value without what no database takes: NUL and halves of surrogates."""
    if isinstance(value, str):
        plain = value.replace("\0", "")
        return plain.encode("utf-8", "replace").decode()
    if isinstance(value, Mapping):
        return {_storable(key): _storable(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_storable(inner) for inner in value]
    return value


def spelled_out(structure: Structure) -> str:
    """Return the wanted structure as an instruction, for models that take no schema."""
    schema = json.dumps(structure.schema, ensure_ascii=False, sort_keys=True)
    return (
        "\n\nReply with one JSON object and nothing else: no words before or after it, "
        f"no code fence. It follows this JSON schema:\n{schema}"
    )
