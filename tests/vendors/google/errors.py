"""Error bodies, in the two shapes that Google's APIs have.

https://developers.google.com/workspace/drive/api/guides/handle-errors,
https://cloud.google.com/apis/design/errors (read 2026-12-01)
"""

from __future__ import annotations

from tests.vendors.loopback import Reply

STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
}


def drive_error(
    status: int, reason: str, message: str = "", *, domain: str = "global", **headers
) -> Reply:
    """Drive and the Admin SDK: a list of errors, each with a reason."""
    message = message or f"secret of the body ({reason})"
    one = {"domain": domain, "reason": reason, "message": message}
    body = {"error": {"errors": [one], "code": status, "message": message}}
    return Reply(
        body, status, {name.replace("_", "-"): value for name, value in headers.items()}
    )


def limit_error(reason: str, *, status: int = 403, retry_after: str = "") -> Reply:
    """“usageLimits”: the rate limits that come as 403, or as 429."""
    reply = drive_error(status, reason, "Rate Limit Exceeded", domain="usageLimits")
    if retry_after:
        reply.headers["Retry-After"] = retry_after
    return reply


def api_error(status: int, message: str, *, reason: str = "") -> Reply:
    """Docs, Sheets and Slides: a status, and ErrorInfo where there's more to say."""
    error: dict = {"code": status, "message": message, "status": STATUSES[status]}
    if reason:
        info = "type.googleapis.com/google.rpc.ErrorInfo"
        error["details"] = [
            {"@type": info, "reason": reason, "domain": "googleapis.com"}
        ]
    return Reply({"error": error}, status)


def oauth_error(status: int, error: str, description: str = "") -> Reply:
    """RFC 6749, 5.2."""
    return Reply({"error": error, "error_description": description}, status)
