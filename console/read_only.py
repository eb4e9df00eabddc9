"""What the console's pages share: rows that are looked at, not changed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.db.models import Model, QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from console.themed import ModelAdmin

#: States as people read them, as the theme's labels colour them.
TONES = {
    "Active": "success",
    "Indexed": "success",
    "Succeeded": "success",
    "Answered": "success",
    "Up": "success",
    "Running": "info",
    "Skipped": "info",
    "Notice": "info",
    "Abstained": "warning",
    "Paused": "warning",
    "Held": "warning",
    "Cancelled": "warning",
    "Interrupted": "warning",
    "Warning": "warning",
    "Failed": "danger",
    "Error": "danger",
    "Down": "danger",
}

WRAPPED = "white-space: pre-wrap; overflow-wrap: anywhere"


class ReadOnlyAdmin(ModelAdmin):
    """Rows that the product writes: listed and shown, never added or changed here."""

    actions: Any = None
    list_per_page = 50
    #: A count over all rows on every page is dear and says little.
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        """Nobody adds one."""
        return False

    def has_change_permission(
        self, request: HttpRequest, obj: Model | None = None
    ) -> bool:
        """Nobody changes one."""
        return False

    def has_delete_permission(
        self, request: HttpRequest, obj: Model | None = None
    ) -> bool:
        """Nobody deletes one."""
        return False


def pretty(value: object) -> SafeString:
    """Return JSON values as indented text."""
    text = json.dumps(value, indent=2, ensure_ascii=False, default=str)
    return format_html('<pre class="text-xs" style="{}">{}</pre>', WRAPPED, text)


def told(values: Mapping[str, object], unit: str = "") -> SafeString | str:
    """Return names and values a line each, the names in words; "none" for nothing."""
    lines = [
        f"{name.replace('_', ' ')}: {_number(value)}{unit}"
        for name, value in values.items()
        if value not in (None, {}, [])
    ]
    return wrapped("\n".join(lines)) if lines else "none"


def _number(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.1f}"
    if isinstance(value, Mapping):
        return ", ".join(f"{_number(item)} {name}" for name, item in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


def wrapped(text: str) -> SafeString:
    """Return text that breaks anywhere rather than widen the page."""
    return format_html('<span style="{}">{}</span>', WRAPPED, text)


def link_to(row: Model, text: str = "") -> SafeString:
    """Return a link to a row's page in the console."""
    name = f"admin:{row._meta.app_label}_{row._meta.model_name}_change"
    address = reverse(name, args=[row.pk])
    return format_html('<a class="underline" href="{}">{}</a>', address, text or row)


def without(queryset: QuerySet[Any], *columns: str) -> QuerySet[Any]:
    """Return the rows without their large columns, which lists don't show."""
    return queryset.defer(*columns)
