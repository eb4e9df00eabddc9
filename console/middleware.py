"""Headers that differ by path."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse


class ConsoleSecurityPolicy:
    """Allows under /console/ what its theme needs, and nowhere else.

    It stands right after django-csp's middleware, which reads what is left here.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        """Keep what answers the request."""
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Answer, and loosen the policy of a console page."""
        response = self.get_response(request)
        if request.path_info.startswith("/console/"):
            response._csp_update = settings.CONSOLE_SECURITY_POLICY  # type: ignore[attr-defined]
        return response
