"""What can go wrong at an endpoint, each as the vendor's documentation has it.

Errors' shape and codes: https://developers.openai.com/api/docs/guides/error-codes, rate
limits: https://developers.openai.com/api/docs/guides/rate-limits, refusals:
https://developers.openai.com/api/docs/guides/structured-outputs, Azure's filter:
https://learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter; the texts
of unsupported parameters as users report them (github.com/FoundationAgents/OpenManus
issue 555). All as of 2026-12-01.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tests.vendors.openai.chats import Completion

#: Stands in every error message: no message or log of ours may repeat it.
MARK = "words-of-the-vendor"


@dataclass
class Fault:
    """Spoils one request.

    `status` and `body` answer instead; `completion` too, in good form. `kind` is of the
    wire: "" (whole), "reset", "half" (the body breaks off), "half_json" (whole by its
    length, half by its sense), "drip" (a byte at a time). `seconds` pass before the
    answer, between its bytes when it drips.
    """

    status: int = 200
    body: Any = None
    completion: Completion | None = None
    headers: dict[str, str] = field(default_factory=dict)
    kind: str = ""
    seconds: float = 0.0


def error(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    kind: str = "invalid_request_error",
    **headers: str,
) -> Fault:
    told = {"message": message, "type": kind, "param": param, "code": code}
    return Fault(status, {"error": told}, headers=headers)


def rate_limited(retry_after: Any = None, *, milliseconds: int | None = None) -> Fault:
    fault = error(
        429,
        f"Rate limit reached for requests ({MARK}). Limit: 3 / min.",
        code="rate_limit_exceeded",
        kind="requests",
    )
    if retry_after is not None:
        fault.headers["retry-after"] = str(retry_after)
    if milliseconds is not None:
        fault.headers["retry-after-ms"] = str(milliseconds)
    return fault


def no_credit() -> Fault:
    message = f"You exceeded your current quota ({MARK})."
    return error(429, message, code="insufficient_quota", kind="insufficient_quota")


def server_error(status: int = 500) -> Fault:
    message = f"The server had an error while processing your request ({MARK})."
    return error(status, message, kind="server_error")


def wrong_key() -> Fault:
    message = f"Incorrect API key provided: {MARK}."
    return error(401, message, code="invalid_api_key")


def forbidden() -> Fault:
    return error(403, f"Country, region, or territory not supported ({MARK}).")


def unknown_model() -> Fault:
    message = f"The model `{MARK}` does not exist or you do not have access to it."
    return error(404, message, code="model_not_found")


def unsupported_parameter(name: str) -> Fault:
    instead = (
        " Use 'max_completion_tokens' instead." if name == "max_tokens" else f" {MARK}"
    )
    message = f"Unsupported parameter: '{name}' is not supported with this model."
    return error(400, message + instead, code="unsupported_parameter", param=name)


def unsupported_value(name: str) -> Fault:
    message = (
        f"Unsupported value: '{name}' does not support 0.0 with this model. "
        "Only the default (1) value is supported."
    )
    return error(400, message, code="unsupported_value", param=name)


def unsupported_format(kind: str = "json_schema") -> Fault:
    message = (
        f"Invalid parameter: 'response_format' of type '{kind}' is not supported with "
        "this model."
    )
    return error(400, message, param="response_format")


def extra_field(name: str) -> Fault:
    """As servers built on pydantic (vLLM) refuse what they don't know."""
    where = f"[{{'type': 'extra_forbidden', 'loc': ('body', '{name}'), 'msg': "
    message = where + "'Extra inputs are not permitted'}]"
    body = {"object": "error", "message": message, "code": 400, "param": None}
    return Fault(400, body | {"type": "BadRequestError"})


def context_too_long() -> Fault:
    message = (
        "This model's maximum context length is 8192 tokens. However, your messages "
        "resulted in 9000 tokens (max_tokens is not counted). Please reduce them."
    )
    return error(400, message, code="context_length_exceeded", param="messages")


def filtered_prompt() -> Fault:
    """Azure's refusal of a prompt."""
    fault = error(
        400,
        "The response was filtered due to the prompt triggering Azure OpenAI's content "
        f"management policy ({MARK}).",
        code="content_filter",
        param="prompt",
    )
    fault.body["error"]["innererror"] = {"code": "ResponsibleAIPolicyViolation"}
    return fault


def filtered() -> Fault:
    return Fault(completion=Completion("", finish_reason="content_filter"))


def refused() -> Fault:
    text = f"I'm sorry, I cannot assist with that request ({MARK})."
    return Fault(completion=Completion(refusal=text))


def truncated(content: str) -> Fault:
    return Fault(completion=Completion(content, finish_reason="length"))


def says(content: Any) -> Fault:
    """A whole reply that isn't what was asked for: empty, no JSON, the wrong schema."""
    return Fault(completion=Completion(content))


def no_choices() -> Fault:
    return Fault(body={"id": "x", "object": "chat.completion", "choices": []})


def web_page() -> Fault:
    page = b"<html><body>Sign in to the network</body></html>"
    return Fault(200, page, headers={"Content-Type": "text/html"})


def redirect(url: str) -> Fault:
    return Fault(307, b"", headers={"Location": url})


def reset() -> Fault:
    return Fault(kind="reset")


def cut() -> Fault:
    """The connection ends in the middle of the body."""
    return Fault(kind="half")


def half_json() -> Fault:
    return Fault(kind="half_json")


def slow(seconds: float) -> Fault:
    return Fault(seconds=seconds)


def drip(seconds: float) -> Fault:
    return Fault(kind="drip", seconds=seconds)
