"""Chat completions: what a request says, and the vendor's shapes of a reply.

Shapes: https://developers.openai.com/api/reference/resources/chat (the chat completion
object and its chunks) and the types of the `openai` package 3.57, both of 2026-12-01.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

CREATED = 1_767_225_600
FINGERPRINT = "fp_44709d6fcb"


@dataclass(frozen=True)
class Chat:
    """One request to `chat/completions`."""

    body: dict[str, Any]
    headers: dict[str, str]
    path: str

    @property
    def model(self) -> str:
        return self.body.get("model", "")

    def _content(self, role: str) -> str:
        roles = {"system": {"system", "developer"}}.get(role, {role})
        messages = self.body.get("messages", [])
        return "\n".join(m["content"] for m in messages if m["role"] in roles)

    @property
    def system(self) -> str:
        return self._content("system")

    @property
    def user(self) -> str:
        return self._content("user")

    @property
    def data(self) -> Any:
        """The user's message as JSON, as our prompts send it."""
        return json.loads(self.user)

    @property
    def format(self) -> str:
        return self.body.get("response_format", {}).get("type", "text")

    @property
    def _structured(self) -> dict[str, Any]:
        return self.body.get("response_format", {}).get("json_schema", {})

    @property
    def schema_name(self) -> str:
        return self._structured.get("name", "")

    @property
    def schema(self) -> dict[str, Any] | None:
        return self._structured.get("schema")

    @property
    def is_streamed(self) -> bool:
        return bool(self.body.get("stream"))

    @property
    def max_tokens(self) -> int | None:
        body = self.body
        return body.get("max_completion_tokens", body.get("max_tokens"))


@dataclass
class Completion:
    """A reply in full. Token counts that aren't given are words, one each."""

    content: Any = ""
    finish_reason: str = "stop"
    refusal: str | None = None
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str | None:
        if self.refusal is not None:
            return None
        if isinstance(self.content, str):
            return self.content
        return json.dumps(self.content)

    def usage(self, chat: Chat) -> dict[str, Any]:
        prompt = self.prompt_tokens
        if prompt is None:
            prompt = len(chat.system.split()) + len(chat.user.split())
        completion = self.completion_tokens
        if completion is None:
            completion = len((self.text or "").split()) + self.reasoning_tokens
        return {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
            "prompt_tokens_details": {
                "cached_tokens": self.cached_tokens,
                "audio_tokens": 0,
            },
            "completion_tokens_details": {
                "reasoning_tokens": self.reasoning_tokens,
                "audio_tokens": 0,
                "accepted_prediction_tokens": 0,
                "rejected_prediction_tokens": 0,
            },
        }

    def body(self, chat: Chat, *, with_usage: bool) -> dict[str, Any]:
        message = {
            "role": "assistant",
            "content": self.text,
            "refusal": self.refusal,
            "annotations": [],
        }
        choice = {
            "index": 0,
            "message": message,
            "logprobs": None,
            "finish_reason": self.finish_reason,
        }
        body = _head(chat, "chat.completion") | {"choices": [choice], **self.extra}
        return body | ({"usage": self.usage(chat)} if with_usage else {})

    def chunks(self, chat: Chat, *, with_usage: bool) -> list[dict[str, Any]]:
        """Return the stream's events: the role, the words, the end, the usage."""
        words = (self.text or "").split(" ")
        pieces = [word + " " for word in words[:-1]] + words[-1:]
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        deltas += [{"content": piece} for piece in pieces if piece]
        head = _head(chat, "chat.completion.chunk")
        events = [head | {"choices": [_delta(delta)]} for delta in deltas]
        events.append(head | {"choices": [_delta({}, self.finish_reason)]})
        if with_usage:
            events.append(head | {"choices": [], "usage": self.usage(chat)})
        return events


def _head(chat: Chat, kind: str) -> dict[str, Any]:
    return {
        "id": "chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
        "object": kind,
        "created": CREATED,
        "model": chat.model,
        "service_tier": "default",
        "system_fingerprint": FINGERPRINT,
    }


def _delta(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}


def smallest(schema: dict[str, Any] | None) -> Any:
    """Return the smallest value that a schema allows."""
    schema = schema or {}
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return smallest(schema["anyOf"][0])
    kind = schema.get("type", "object")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: smallest(inner) for name, inner in properties.items()}
    plain = {"array": [], "string": "", "integer": 0, "number": 0.0, "boolean": False}
    return plain.get(kind)
