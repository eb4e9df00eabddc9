"""The console's theme (django-unfold)."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.templatetags.static import static

from console.navigation import DASHBOARD_CALLBACK, SIDEBAR

#: The blue of the ask page, from light to dark.
BLUES = {
    "50": "#eef4fc",
    "100": "#dae7f9",
    "200": "#bcd3f3",
    "300": "#93b8ec",
    "400": "#7ba7ea",
    "500": "#5b90e4",
    "600": "#1f5fbf",
    "700": "#1a4f9f",
    "800": "#184280",
    "900": "#173868",
    "950": "#0f2444",
}


def _styles(_request: HttpRequest) -> str:
    return static("attest/console.css")


UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Attest",
    "SITE_HEADER": "Attest",
    "SITE_URL": "/",
    "SITE_SYMBOL": "fact_check",
    "COLORS": {"primary": BLUES},
    "STYLES": [_styles],
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "DASHBOARD_CALLBACK": DASHBOARD_CALLBACK,
    "SIDEBAR": SIDEBAR,
}
