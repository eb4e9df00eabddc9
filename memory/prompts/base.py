"""What a prompt is, and how data is given to a model."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from memory.language_models.base import JsonSchema, Request, Role


@dataclass(frozen=True, slots=True)
class Prompt:
    """Instructions for one stage. `schema` is of the reply, None for plain text."""

    name: str
    number: int
    role: Role
    system: str
    max_tokens: int
    schema: JsonSchema | None = None

    @property
    def version(self) -> str:
        """Return name and number, and a digest of everything that the model is told.

        With the digest no edit goes unnoticed, also where the number was forgotten.
        """
        told = json.dumps([self.system, self.schema, self.max_tokens], sort_keys=True)
        digest = hashlib.sha256(told.encode()).hexdigest()[:8]
        return f"{self.name}-{self.number}.{digest}"

    def request(self, user: str) -> Request:
        """Return the request with `user` as the data."""
        return Request(self.role, self.system, user, self.max_tokens)


def as_data(value: Any) -> str:
    """Return one line of canonical JSON: sorted keys, no spaces, no line breaks.

    A text inside can't end its string, so it can't pass for another part of the input.
    """
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    # Line breaks for some readers, though not for JSON.
    for mark in ("\u2028", "\u2029", "\x85"):
        text = text.replace(mark, f"\\u{ord(mark):04x}")
    return text


def record(**properties: JsonSchema) -> JsonSchema:
    """Return the schema of an object as strict structured outputs want it."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def array(of: JsonSchema) -> JsonSchema:
    """Return the schema of a list."""
    return {"type": "array", "items": of}


TEXT: JsonSchema = {"type": "string"}
NUMBER: JsonSchema = {"type": "integer"}
TRUTH: JsonSchema = {"type": "boolean"}
