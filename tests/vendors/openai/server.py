"""The server: chat completions (streamed too), embeddings, models; faults on demand."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections import deque
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from tests.vendors.loopback import QuietHandler, Running
from tests.vendors.openai import faults
from tests.vendors.openai.chats import Chat, Completion, smallest
from tests.vendors.openai.faults import Fault

#: Parameters that the vendor's API knows and we may send.
KNOWN = {
    *("model", "messages", "response_format", "stream", "stream_options", "seed"),
    *("temperature", "max_tokens", "max_completion_tokens", "reasoning_effort"),
}


class _Handler(QuietHandler):
    #: A drip is sent byte by byte.
    wbufsize = 0

    def _serve(self) -> None:
        owner: OpenAIServer = self.server.owner
        body = json.loads(self._body() or b"{}")
        owner.enter(1)
        try:
            self._respond(owner, urlsplit(self.path).path, body)
        finally:
            owner.enter(-1)

    do_GET = do_POST = _serve

    def _respond(self, owner: OpenAIServer, path: str, body: Any) -> None:
        owner.paths.append(self.path)
        headers = {name.lower(): value for name, value in self.headers.items()}
        chat = Chat(body, headers, self.path) if path.endswith("completions") else None
        if chat is not None:
            owner.chats.append(chat)
        elif path.endswith("embeddings"):
            owner.embedded.append(body)
        fault = owner.next_fault()
        sent = {headers.get("authorization"), headers.get("api-key")}
        if (
            fault is None
            and owner.key
            and not {f"Bearer {owner.key}", owner.key} & sent
        ):
            fault = faults.wrong_key()
        if chat is None:
            plain = owner.listing if path.endswith("models") else None
            value = plain() if plain else owner.embeddings(body)
            self._send(fault or Fault(), value)
            return
        self._respond_to_chat(owner, chat, fault)

    def _respond_to_chat(
        self, owner: OpenAIServer, chat: Chat, fault: Fault | None
    ) -> None:
        completion: Completion | Fault = Completion()
        if fault is None or (fault.body is None and fault.completion is None):
            completion = owner.completion(chat)
        if isinstance(completion, Fault):
            fault, completion = completion, Completion()
        fault = fault or Fault()
        completion = fault.completion or completion
        if chat.is_streamed and fault.status == 200 and fault.body is None:
            options = chat.body.get("stream_options") or {}
            self._stream(
                completion.chunks(chat, with_usage=bool(options.get("include_usage"))),
                fault,
            )
            return
        self._send(fault, completion.body(chat, with_usage=owner.reports_usage))

    def _send(self, fault: Fault, value: Any) -> None:
        body = value if fault.body is None else fault.body
        encoded = body if isinstance(body, bytes) else json.dumps(body).encode()
        if fault.kind == "reset":
            self._reset()
            return
        if fault.kind != "drip":
            self.server.owner.wait(fault.seconds)
        if fault.kind == "half_json":
            encoded = encoded[: len(encoded) // 2]
        headers = {"Content-Type": "application/json", "x-request-id": "req_test"}
        headers["Content-Length"] = str(len(encoded))
        self._head(fault.status, headers | fault.headers)
        if fault.kind == "drip":
            for at in range(len(encoded)):
                self.wfile.write(encoded[at : at + 1])
                self.server.owner.wait(fault.seconds)
            return
        self.wfile.write(
            encoded[: len(encoded) // 2] if fault.kind == "half" else encoded
        )
        if fault.kind == "half":
            self._reset()

    def _stream(self, events: list[dict[str, Any]], fault: Fault) -> None:
        """Send server-sent events; a cut one ends after half of them."""
        self._head(200, {"Content-Type": "text/event-stream", "Connection": "close"})
        self.close_connection = True
        cut = fault.kind == "half"
        for event in events[: len(events) // 2] if cut else events:
            self.server.owner.wait(fault.seconds)
            self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
        if cut:
            self._reset()
        else:
            self.wfile.write(b"data: [DONE]\n\n")


class OpenAIServer(Running):
    """A server for use in `with`. See the package's docstring."""

    handler = _Handler

    def __init__(self, reply: Callable[[Chat], Any] | None = None) -> None:
        self.reply = reply
        self.key: str | None = None
        self.refuses: set[str] = set()
        self.reports_usage = True
        self.models = ["model-a", "model-b"]
        self.dimensions = 32
        self.chats: list[Chat] = []
        self.embedded: list[dict[str, Any]] = []
        self.paths: list[str] = []
        #: The most requests that were answered at the same time.
        self.busiest = 0
        self._busy = 0
        self._faults: deque[Fault | None] = deque()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        super().__init__()

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    def fail(self, *spoilt: Fault | None, times: int = 1) -> None:
        """Spoil the next requests, one fault each; None lets one through."""
        self._faults.extend(spoilt * times)

    def __exit__(self, *_: object) -> None:
        self._closing.set()
        super().__exit__()

    # What the handler asks for.

    def wait(self, seconds: float) -> None:
        """Be slow, but never slower than the end of the test."""
        self._closing.wait(seconds)

    def enter(self, change: int) -> None:
        with self._lock:
            self._busy += change
            self.busiest = max(self.busiest, self._busy)

    def next_fault(self) -> Fault | None:
        with self._lock:
            return self._faults.popleft() if self._faults else None

    def completion(self, chat: Chat) -> Completion | Fault:
        for name in ("max_tokens", "max_completion_tokens", "seed"):
            if name in self.refuses and name in chat.body:
                return faults.unsupported_parameter(name)
        if "temperature" in self.refuses and "temperature" in chat.body:
            return faults.unsupported_value("temperature")
        if chat.format in self.refuses:
            return faults.unsupported_format(chat.format)
        for name in sorted(set(chat.body) - KNOWN):
            return faults.extra_field(name)
        made = self.reply(chat) if self.reply else self._plain(chat)
        return made if isinstance(made, Completion | Fault) else Completion(made)

    @staticmethod
    def _plain(chat: Chat) -> Any:
        return "ok" if chat.format == "text" else smallest(chat.schema)

    def embeddings(self, body: dict[str, Any]) -> dict[str, Any]:
        """Shape: https://developers.openai.com/api/reference/resources/embeddings."""
        size = body.get("dimensions") or self.dimensions
        texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
        rows = []
        for at, text in enumerate(texts):
            vector: Any = unit_vector(text, size)
            if body.get("encoding_format") == "base64":
                vector = base64.b64encode(vector.astype("<f4").tobytes()).decode()
            else:
                vector = vector.tolist()
            rows.append({"object": "embedding", "index": at, "embedding": vector})
        tokens = sum(len(text.split()) for text in texts)
        usage = {"prompt_tokens": tokens, "total_tokens": tokens}
        answer = {"object": "list", "data": rows, "model": body.get("model")}
        return answer | ({"usage": usage} if self.reports_usage else {})

    def listing(self) -> dict[str, Any]:
        """Shape: https://developers.openai.com/api/reference/resources/models."""
        made = {"object": "model", "created": 1, "owned_by": "tests"}
        return {"object": "list", "data": [{"id": m} | made for m in self.models]}


def unit_vector(text: str, size: int) -> np.ndarray:
    """Return the vector of a text: shape (size,), length 1, seeded by its hash."""
    seed = int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")
    vector = np.random.default_rng(seed).standard_normal(size)
    return (vector / np.linalg.norm(vector)).astype(np.float32)
