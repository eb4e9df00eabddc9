"""The console's theme (django-unfold)."""

from __future__ import annotations

from typing import Any

from console.navigation import DASHBOARD_CALLBACK, SIDEBAR

UNFOLD: dict[str, Any] = {
    "SITE_TITLE": "Attest",
    "SITE_HEADER": "Attest",
    "SITE_URL": "/",
    "SITE_SYMBOL": "fact_check",
    "SHOW_HISTORY": True,
    "SHOW_VIEW_ON_SITE": False,
    "DASHBOARD_CALLBACK": DASHBOARD_CALLBACK,
    "SIDEBAR": SIDEBAR,
}
