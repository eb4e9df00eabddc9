"""A language model in this process: answers by a function, keeps what it was asked."""

from __future__ import annotations

import threading

from memory.language_models.base import InvalidReply


class ScriptedModel:
    """`reply(request)` gives a JSON value, a text, or an exception to raise.

    As the contract says, a reply that fails validation is asked for three times.
    """

    def __init__(self, reply, name="scripted"):
        self.name = name
        self.requests = []
        self._reply = reply if callable(reply) else lambda request: reply
        self._lock = threading.Lock()

    def text(self, request):
        return self._asked(request)

    def json(self, request, schema_name, schema, parse):
        error = None
        for _ in range(3):
            try:
                return parse(self._asked(request))
            except ValueError as problem:
                error = problem
        raise InvalidReply(f"The reply isn't usable: {error}")

    def _asked(self, request):
        with self._lock:
            self.requests.append(request)
        value = self._reply(request)
        if isinstance(value, Exception):
            raise value
        return value
