"""What the client raises -> what we raise, in one place (A12).

A message names the model, the endpoint's host and the mend. It never holds what the
vendor wrote: a wrong key is quoted there in part, and prompts hold documents.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

import httpx2
import openai

from memory.language_models.base import (
    LanguageModelError,
    ModelRefused,
    ModelUnavailable,
)
from memory.language_models.transport import RefusedAddress

#: Statuses that another try may change (A12), and all of 5xx.
TRANSIENT = frozenset({408, 409, 429})
#: A 429 that no waiting mends.
_NO_CREDIT = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
#: What reading a broken body raises.
BROKEN = (json.JSONDecodeError, UnicodeDecodeError)
_CODE = re.compile(r"[A-Za-z0-9_.\-]{1,60}")

_REFUSALS: Mapping[int, str] = {
    401: "the key is refused. Check ATTEST_OPENAI_API_KEY.",
    403: "this key may not use it. Check the key's rights at the vendor.",
    404: "there's no such model or address. Check ATTEST_MODEL… and the base URL.",
    413: "the prompt is too long for it.",
}


class NotAnApi(Exception):  # noqa: N818 - it says what happened
    """What answered speaks another language: a web page, another program."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One call that failed.

    `wait_s` is what the endpoint asked for. `is_charged` is False where the vendor
    surely bills nothing: it refused, or was never reached. `parameter` and `told` are
    the refused parameter's name and the vendor's words, for learning alone.
    """

    error: LanguageModelError
    status: int | None = None
    code: str = ""
    is_transient: bool = False
    is_charged: bool = False
    wait_s: float | None = None
    parameter: str = ""
    told: str = ""

    @property
    def is_unsent(self) -> bool:
        """Tell whether the endpoint wasn't reached at all."""
        return self.is_transient and self.status is None and not self.is_charged

    def __repr__(self) -> str:
        """Leave the vendor's words out."""
        return f"Failure({self.status}, {self.code!r}, {self.error})"


def failure_of(error: Exception, subject: str, *, limit_s: float) -> Failure:
    """Return what an error of the client means for `subject`, a model at a host.

    Raises the error itself when it's none of the client's.
    """
    if isinstance(error, openai.APIStatusError):
        return _by_status(error, subject)
    if _has_cause(error, RefusedAddress):
        text = f"{subject}: the name leads to a link-local address; those are refused."
        return Failure(ModelRefused(text))
    if isinstance(error, openai.APITimeoutError | httpx2.TimeoutException):
        unsent = _has_cause(error, httpx2.ConnectTimeout)
        text = f"{subject}: no answer within {limit_s:.0f} s."
        return Failure(ModelUnavailable(text), is_transient=True, is_charged=not unsent)
    if isinstance(error, openai.APIConnectionError | httpx2.TransportError):
        unsent = _has_cause(error, httpx2.ConnectError)
        why = "it can't be reached" if unsent else "the connection broke off"
        return Failure(
            ModelUnavailable(f"{subject}: {why}."),
            is_transient=True,
            is_charged=not unsent,
        )
    if isinstance(error, NotAnApi):
        text = f"{subject} speaks no OpenAI-compatible API. Check the base URL; most end in /v1."
        return Failure(ModelRefused(text))
    if isinstance(error, (openai.APIResponseValidationError, *BROKEN)):
        # A body that is whole by its length and broken by its sense.
        text = f"{subject}: the answer isn't JSON."
        return Failure(ModelUnavailable(text), is_transient=True, is_charged=True)
    if isinstance(error, openai.OpenAIError):
        text = f"{subject}: the client failed ({type(error).__name__})."
        return Failure(ModelRefused(text))
    raise error


def _by_status(error: openai.APIStatusError, subject: str) -> Failure:
    status, headers = error.status_code, error.response.headers
    code, parameter = _plain(error.code), _plain(error.param)
    told = error.message if isinstance(error.message, str) else ""
    common: dict[str, Any] = {"status": status, "code": code}
    if status == 429 and code in _NO_CREDIT:
        text = f"{subject}: the account has no credit left. Mend it at the vendor."
        return Failure(ModelRefused(text), **common)
    if status in TRANSIENT or status >= 500:
        why = "it limits how often it's asked" if status == 429 else "it failed"
        return Failure(
            ModelUnavailable(f"{subject}: {why} ({status})."),
            is_transient=True,
            wait_s=asked_wait_s(headers),
            **common,
        )
    why = _reason(status, code)
    return Failure(
        ModelRefused(f"{subject}: {why}"), parameter=parameter, told=told, **common
    )


def _reason(status: int, code: str) -> str:
    if 300 <= status < 400:
        return "it answered with a redirect, which isn't followed. Check the base URL."
    if code == "content_filter" or "ResponsibleAI" in code:
        return "its content filter refused the prompt."
    if code == "context_length_exceeded":
        return "the prompt is too long for it."
    if status in _REFUSALS:
        return _REFUSALS[status]
    named = f", {code}" if code else ""
    return f"it refused the request ({status}{named})."


def _plain(value: object) -> str:
    """Return a code or name of the vendor's, "" for anything that may be more."""
    text = value if isinstance(value, str) else ""
    return text if _CODE.fullmatch(text) else ""


def _has_cause(error: BaseException | None, kind: type[BaseException]) -> bool:
    while error is not None:
        if isinstance(error, kind):
            return True
        error = error.__cause__ or error.__context__
    return False


def asked_wait_s(
    headers: Mapping[str, str], *, now: datetime | None = None
) -> float | None:
    """Return the seconds of Retry-After (or retry-after-ms), None without a good one."""
    try:
        milliseconds = float(headers.get("retry-after-ms") or math.nan)
    except ValueError:
        milliseconds = math.nan
    if math.isfinite(milliseconds) and milliseconds >= 0:
        return milliseconds / 1000
    value = (headers.get("retry-after") or "").strip()
    try:
        seconds = float(value)
    except ValueError:
        seconds = _until(value, now or datetime.now(UTC))
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _until(value: str, now: datetime) -> float:
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return math.nan
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return math.ceil((moment - now).total_seconds())
