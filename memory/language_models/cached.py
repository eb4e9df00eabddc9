"""Replies kept by what was asked, so that a rebuild never pays twice.

For extraction and abstraction alone: their prompts hold documents, never a question.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import structlog

from memory.language_models.base import (
    Call,
    JsonSchema,
    LanguageModel,
    Parsed,
    Request,
)
from memory.language_models.ledger import record

log = structlog.get_logger(__name__)

FILE = "replies.sqlite3"
#: How long a writer waits for another process's write.
_WAIT_S = 60.0
_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    key BLOB PRIMARY KEY, reply BLOB NOT NULL, kept_at REAL NOT NULL
) WITHOUT ROWID
"""


class ReplyCache:
    """Replies in a folder, by key. Safe for threads and processes.

    A file that can't be used is done without: the model is asked, and the log says so.
    """

    def __init__(self, folder: Path) -> None:
        """Keep replies in `folder`, which is made when needed."""
        self.path = Path(folder) / FILE
        self._local = threading.local()

    def get(self, key: bytes) -> str | None:
        """Return the kept reply, None where there's none."""
        try:
            found = (
                self._open()
                .execute("SELECT reply FROM replies WHERE key = ?", (key,))
                .fetchone()
            )
            return None if found is None else zlib.decompress(found[0]).decode()
        except (sqlite3.Error, OSError, zlib.error, UnicodeDecodeError) as error:
            self._told(error)
            return None

    def put(self, key: bytes, reply: str) -> None:
        """Keep a reply; a second one under the same key replaces the first."""
        row = (key, zlib.compress(reply.encode()), time.time())
        try:
            connection = self._open()
            with connection:
                connection.execute("INSERT OR REPLACE INTO replies VALUES (?,?,?)", row)
        except (sqlite3.Error, OSError) as error:
            self._told(error)

    def close(self) -> None:
        """Close this thread's connection."""
        connection: sqlite3.Connection | None = getattr(self._local, "it", None)
        if connection is not None:
            connection.close()
            self._local.it = None

    def _told(self, error: Exception) -> None:
        log.warning(
            "reply_cache_unusable", path=str(self.path), reason=type(error).__name__
        )

    def _open(self) -> sqlite3.Connection:
        """Return this thread's connection."""
        connection: sqlite3.Connection | None = getattr(self._local, "it", None)
        if connection is None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # Replies hold what documents say: for this user's eyes alone.
            self.path.touch(mode=0o600)
            connection = sqlite3.connect(self.path, timeout=_WAIT_S)
            connection.execute("PRAGMA journal_mode=WAL")
            connection.execute("PRAGMA synchronous=NORMAL")
            connection.execute(_SCHEMA)
            self._local.it = connection
        return connection


@dataclass(frozen=True, slots=True)
class CachedModel:
    """A language model that is asked the same thing once. See `LanguageModel`.

    The same thing: model, instructions (with the prompt's version so), schema, data and
    limit of tokens. A kept reply is a call with outcome "cached" that costs 0. Only
    replies that passed `parse` are kept; one that no longer passes is asked for anew.
    """

    model: LanguageModel
    cache: ReplyCache

    @property
    def name(self) -> str:
        """Return the model's name."""
        return self.model.name

    def text(self, request: Request) -> str:
        """Return the kept text or the model's; see `LanguageModel`."""
        key = self._key(request, "", None)
        kept = self.cache.get(key)
        if kept is not None:
            self._hit(request)
            return kept
        reply = self.model.text(request)
        self.cache.put(key, reply)
        return reply

    def json(
        self,
        request: Request,
        schema_name: str,
        schema: JsonSchema,
        parse: Callable[[Any], Parsed],
    ) -> Parsed:
        """Return `parse` of the kept value or the model's; see `LanguageModel`."""
        key = self._key(request, schema_name, schema)
        kept = self.cache.get(key)
        if kept is not None:
            try:
                parsed = parse(json.loads(kept))
            except ValueError:
                log.info("reply_cache_outdated", role=request.role)
            else:
                self._hit(request)
                return parsed
        values: list[Any] = []

        def kept_parse(value: Any) -> Parsed:
            parsed = parse(value)
            values.append(value)
            return parsed

        parsed = self.model.json(request, schema_name, schema, kept_parse)
        if values:
            self.cache.put(key, json.dumps(values[-1], ensure_ascii=False))
        return parsed

    def _key(
        self, request: Request, schema_name: str, schema: JsonSchema | None
    ) -> bytes:
        asked = (
            *(self.name, request.role, request.system, request.user),
            *(request.max_tokens, schema_name, schema),
        )
        return hashlib.sha256(json.dumps(asked, sort_keys=True).encode()).digest()

    def _hit(self, request: Request) -> None:
        call = Call(request.role, self.name, 0, 0, Decimal(0), 0.0, "cached")
        record(call)
