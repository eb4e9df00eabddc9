"""What every vendor's server on loopback shares: requests in, replies out, faults.

A vendor's server subclasses `LoopbackServer` and implements `answer`. Faults are put in
a queue and each spoils the next request that it fits, so that a test decides by state
alone, never by patching the client.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit


@dataclass(frozen=True)
class Asked:
    """One request as the server saw it. `query` has each parameter's first value."""

    method: str
    path: str
    query: dict[str, str]
    queries: dict[str, list[str]]
    headers: dict[str, str]
    body: bytes = b""

    def json(self) -> Any:
        return json.loads(self.body or b"null")


@dataclass
class Reply:
    """What the server says; a dict or list is sent as JSON."""

    body: Any = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)

    def encoded(self) -> bytes:
        if isinstance(self.body, bytes):
            return self.body
        self.headers.setdefault("Content-Type", "application/json")
        return json.dumps(self.body).encode()


@dataclass
class Fault:
    """Spoils the next `times` requests whose path contains `path`.

    `kind`: reply (another answer), reset (the connection dies), half (the body breaks
    off), half_json (whole by its length, half by its sense), too_long or too_short (a
    Content-Length of twice or half of what comes), bad_utf8 (each ~ is no character).
    """

    kind: str
    path: str = ""
    reply: Reply | None = None
    times: int = 1
    #: Requests that fit and are let through before the first is spoilt.
    after: int = 0

    def fits(self, asked: Asked) -> bool:
        return self.path in asked.path


class Running:
    """A threaded HTTP server on 127.0.0.1, for use in `with`; `handler` answers."""

    handler: type[QuietHandler]

    def __init__(self) -> None:
        self.connections = 0
        self._server = _Server(("127.0.0.1", 0), self.handler)
        self._server.owner = self
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(0.01,), daemon=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64
    owner: Any

    def handle_error(self, *_: object) -> None:
        """Say nothing: a client that hangs up is what some tests are about."""

    def get_request(self) -> Any:
        self.owner.connections += 1
        return super().get_request()


class QuietHandler(BaseHTTPRequestHandler):
    """What handles a request; it logs nothing, and can hang up in a rude way."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def log_message(self, *_: object) -> None:
        """Keep the tests' output clean."""

    def _body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _reset(self) -> None:
        """Close at once, without the good manners of TCP."""
        linger = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self.close_connection = True
        self.connection.close()


class _Handler(QuietHandler):
    def _serve(self) -> None:
        owner: LoopbackServer = self.server.owner
        parts = urlsplit(self.path)
        queries = parse_qs(parts.query, keep_blank_values=True)
        asked = Asked(
            self.command,
            parts.path,
            {name: values[0] for name, values in queries.items()},
            queries,
            {name.lower(): value for name, value in self.headers.items()},
            self._body(),
        )
        owner.asked.append(asked)
        owner.on_request(asked)
        fault = owner.fault_for(asked)
        if fault is not None and fault.kind == "reset":
            self._reset()
            return
        reply = fault.reply if fault and fault.reply else self._answer(owner, asked)
        spoilt = None if fault else owner.spoilt_by(reply)
        fault = fault or spoilt
        if spoilt is not None and spoilt.reply is not None:
            reply = spoilt.reply
        self._send(reply, fault.kind if fault else "")

    do_GET = do_POST = do_PUT = do_DELETE = _serve

    def _answer(self, owner: LoopbackServer, asked: Asked) -> Reply:
        with owner.lock:
            return owner.answer(asked)

    def _send(self, reply: Reply, kind: str) -> None:
        body = reply.encoded()
        if kind == "half_json":
            body = body[: len(body) // 2]
        if kind == "bad_utf8":
            body = body.replace(b"~", b"\xff\xfe")
        length = {"too_long": 2 * len(body), "too_short": len(body) // 2}
        told = str(length.get(kind, len(body)))
        self._head(reply.status, {**reply.headers, "Content-Length": told})
        self.wfile.write(body[: len(body) // 2] if kind == "half" else body)
        self.wfile.flush()
        if kind == "half":
            self._reset()
        if kind == "too_long":
            self.close_connection = True


class LoopbackServer(Running):
    """A vendor's server: `answer` says what, `faults` spoil it."""

    handler = _Handler

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.faults: list[Fault] = []
        #: Told of each request before it's answered.
        self.on_request: Callable[[Asked], None] = lambda _: None
        #: By what an answer holds: it spoils every such answer, for ever.
        self.poison: dict[str, Fault] = {}
        self.lock = threading.RLock()
        super().__init__()

    def answer(self, asked: Asked) -> Reply:
        raise NotImplementedError

    # Faults, in words.

    def fail(self, kind: str, path: str = "", **more: Any) -> None:
        self.faults.append(Fault(kind, path, **more))

    def spoilt_by(self, reply: Reply) -> Fault | None:
        """Return what is the matter with an answer that holds something poisonous."""
        if not self.poison:
            return None
        body = reply.encoded()
        marks = (mark for mark in self.poison if mark.encode() in body)
        return self.poison.get(next(marks, ""))

    def limit(
        self, path: str = "", *, retry_after: Any = 1, times: int = 1, after: int = 0
    ) -> None:
        headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
        reply = Reply({"message": "Rate limit exceeded"}, 429, headers)
        self.fail("reply", path, reply=reply, times=times, after=after)

    def refuse(
        self, status: int, path: str = "", *, times: int = 1, after: int = 0
    ) -> None:
        reply = Reply({"message": "secret of the body"}, status)
        self.fail("reply", path, reply=reply, times=times, after=after)

    def paths(self, part: str = "") -> list[str]:
        """Return the paths that were asked for and contain this."""
        return [asked.path for asked in self.asked if part in asked.path]

    def fault_for(self, asked: Asked) -> Fault | None:
        with self.lock:
            for fault in self.faults:
                if fault.times > 0 and fault.fits(asked):
                    if fault.after > 0:
                        fault.after -= 1
                        continue
                    fault.times -= 1
                    return fault
        return None


#: Names a callable that makes replies from requests, for small servers in tests.
Answering = Callable[[Asked], Reply]


class ScriptedServer(LoopbackServer):
    """A server whose answers a test gives by path."""

    def __init__(self, **replies: Reply) -> None:
        super().__init__()
        self.replies: dict[str, Reply | Answering] = dict(replies)

    def answer(self, asked: Asked) -> Reply:
        reply = self.replies.get(asked.path)
        if callable(reply):
            return reply(asked)
        return reply or Reply({"message": "no such path"}, 404)
