"""A response's body: read up to a limit and a time, whole or not at all."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import urllib3.exceptions
from requests import Response

from connectors.http.errors import NotJson, TooDeep, TooLarge

_CHUNK = 65_536
#: Where a response keeps the value of its body.
_VALUE = "_attest_value"


class CutOff(Exception):  # noqa: N818 - it says what happened
    """The body ended early; another try may help."""


class TooSlow(CutOff):
    """The body went on for too long; another try would take as long."""


def read_body(response: Response, *, max_bytes: int, seconds: float) -> None:
    """Read the body into the response, decoded.

    Raises TooLarge beyond `max_bytes`, of what it unpacks to as well, CutOff for half a
    body, and TooSlow for one that isn't there after `seconds`.
    """
    declared = response.headers.get("Content-Length", "")
    if declared.isdigit() and int(declared) > max_bytes:
        response.close()
        raise _too_large(max_bytes)
    try:
        body = b"".join(_pieces(response, max_bytes, time.monotonic() + seconds))
    except (urllib3.exceptions.HTTPError, OSError) as error:
        response.close()
        raise CutOff(type(error).__name__) from error
    except (CutOff, TooLarge):
        response.close()
        raise
    response._content = body


def _pieces(response: Response, max_bytes: int, until: float) -> Iterator[bytes]:
    """Yield what has arrived as it arrives, so that a trickle can be given up."""
    size = 0
    while piece := response.raw.read1(_CHUNK, decode_content=True):
        size += len(piece)
        if size > max_bytes:
            raise _too_large(max_bytes)
        if time.monotonic() > until:
            raise TooSlow
        yield piece


def _too_large(max_bytes: int) -> TooLarge:
    return TooLarge(f"It has more than {max_bytes:,} bytes, the limit.")


def json_of(response: Response) -> Any:
    """Return the JSON value of a body, read once however often it's asked for.

    Bytes that are no UTF-8 come as U+FFFD, so that one bad text spoils no list. Raises
    NotJson, and TooDeep for a body that nests deeper than Python reads.
    """
    known = response.__dict__
    if _VALUE not in known:
        known[_VALUE] = _parsed(response)
    return known[_VALUE]


def _parsed(response: Response) -> Any:
    try:
        return json.loads(response.content.decode("utf-8-sig", "replace"))
    except ValueError:
        raise NotJson(
            "Something else than data came back, as from a proxy's or a sign-in page. "
            "Check the base URL, and what stands between here and the source.",
            response.status_code,
        ) from None
    except RecursionError:
        raise TooDeep(
            "The answer nests deeper than can be read, as a text can that no editor "
            "wrote.",
            response.status_code,
        ) from None


def claims_json(response: Response) -> bool:
    """Tell whether the answer says that it's JSON."""
    kind = _kind_of(response)
    return kind == "application/json" or kind.endswith("+json")


def is_page(response: Response) -> bool:
    """Tell whether the answer says that it's a web page."""
    return _kind_of(response) in ("text/html", "application/xhtml+xml")


def _kind_of(response: Response) -> str:
    return response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
