"""What each model takes: learnt from its refusals, kept for the process and on disk."""

from __future__ import annotations

import json
import os
import re
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import structlog

from memory.language_models.failures import Failure

log = structlog.get_logger(__name__)

FILE = "capabilities.json"
#: After that it's learnt anew: endpoints are upgraded.
KEPT_FOR_S = 30 * 86_400.0
#: From strict to tolerant; each refusal steps down by one.
FORMATS = ("json_schema", "json_object", "text")
TOKEN_NAMES = ("max_tokens", "max_completion_tokens")
#: Parameters that a call does without when they're refused.
OPTIONAL = ("temperature", "seed", "reasoning_effort", "dimensions")
#: Tokens that a reasoning model gets beside the reply's own, at first and at most.
HEADROOM = 2_048
MOST_HEADROOM = 16_384

_REFUSES = re.compile(
    r"unsupported|not support|unrecognized|unrecognised|unknown|unexpected|"
    r"not permitted|not allowed|extra_forbidden|invalid parameter|use '?max_",
    re.IGNORECASE,
)
_CODES = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})


@dataclass(frozen=True, slots=True)
class Capability:
    """How a model wants to be asked.

    `tokens` names the limit's parameter, "" where it takes none. `format` is one of
    FORMATS. `headroom` are tokens for reasoning. `at` is when it was learnt.
    """

    tokens: str = "max_tokens"
    format: str = "json_schema"
    without: tuple[str, ...] = ()
    headroom: int = 0
    at: float = 0.0


def lesson(capability: Capability, failure: Failure) -> Capability | None:
    """Return how to ask instead, or None when the refusal is about something else."""
    if failure.status not in {400, 422} or failure.code == "context_length_exceeded":
        return None
    if failure.code not in _CODES and not _REFUSES.search(failure.told):
        return None
    name = failure.parameter or _named(failure.told)
    if name == "response_format" and capability.format != FORMATS[-1]:
        below = FORMATS[FORMATS.index(capability.format) + 1]
        return replace(capability, format=below)
    if name == capability.tokens:
        without = {*capability.without, name}
        left = [other for other in TOKEN_NAMES if other not in without]
        tokens = left[0] if left else ""
        return replace(capability, tokens=tokens, without=_sorted(without))
    if name in OPTIONAL and name not in capability.without:
        return replace(capability, without=_sorted({*capability.without, name}))
    return None


def _sorted(names: set[str]) -> tuple[str, ...]:
    return tuple(sorted(names))


def _named(told: str) -> str:
    """Return the parameter that a message is about, the first it names."""
    known = {name: name for name in (*OPTIONAL, *TOKEN_NAMES, "response_format")}
    known |= dict.fromkeys(FORMATS[:2], "response_format")
    found = re.search(r"\b(" + "|".join(known) + r")\b", told)
    return known[found[1]] if found else ""


def more_headroom(capability: Capability) -> Capability | None:
    """Return it with more tokens for reasoning, None where it has the most."""
    if capability.headroom >= MOST_HEADROOM:
        return None
    grown = min(MOST_HEADROOM, max(HEADROOM, 2 * capability.headroom))
    return replace(capability, headroom=grown)


@dataclass(slots=True)
class Capabilities:
    """What was learnt, by base URL and model. Safe for threads and processes.

    `folder` None: nothing is kept on disk. A file that can't be used is done without.
    """

    folder: Path | None = None
    _known: dict[str, Capability] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _is_read: bool = False

    def of(self, base_url: str, model: str, *, first: Capability) -> Capability:
        """Return what's known, `first` where nothing is or it's too old."""
        with self._lock:
            if not self._is_read:
                self._known = self._read()
                self._is_read = True
            known = self._known.get(_name(base_url, model))
        if known is None or time.time() - known.at > KEPT_FOR_S:
            return first
        return known

    def keep(self, base_url: str, model: str, capability: Capability) -> None:
        """Remember, beside what other processes have learnt meanwhile."""
        with self._lock:
            made = replace(capability, at=time.time())
            self._is_read = True
            self._known = self._read() | self._known | {_name(base_url, model): made}
            self._write()
        log.info("capability_learnt", model=model, without=list(capability.without))

    def _read(self) -> dict[str, Capability]:
        if self.folder is None:
            return {}
        try:
            values = json.loads((self.folder / FILE).read_text(encoding="utf-8"))
            return {name: _capability(value) for name, value in values.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _write(self) -> None:
        if self.folder is None:
            return
        values = {name: asdict(value) for name, value in self._known.items()}
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            handle, path = tempfile.mkstemp(dir=self.folder, prefix=FILE)
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(values, file, indent=1)
            Path(path).replace(self.folder / FILE)
        except OSError as error:
            log.warning("capabilities_not_kept", reason=type(error).__name__)


def _name(base_url: str, model: str) -> str:
    return f"{base_url} {model}"


def _capability(value: Mapping[str, Any]) -> Capability:
    """Return a kept capability. Raises ValueError or TypeError for what is none."""
    made = Capability(**{**value, "without": tuple(value["without"])})
    if made.format not in FORMATS or made.tokens not in {*TOKEN_NAMES, ""}:
        raise ValueError("This was kept by another version.")
    return replace(made, headroom=int(made.headroom), at=float(made.at))
