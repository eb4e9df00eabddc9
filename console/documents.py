"""Documents: what became of each and why. Never their text: that's on their own page."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from connectors.models import Document
from console.read_only import TONES, ReadOnlyAdmin, without, wrapped
from console.themed import display


@admin.register(Document)
class DocumentAdmin(ReadOnlyAdmin):
    """Looked up by title, path or address; shown without their text."""

    list_display = ("name", "source", "state_label", "why", "status", "updated_at")
    list_filter = ("state", "source", "reason", "status", "needs_repair")
    list_select_related = ("source",)
    search_fields = ("title", "external_id", "url")
    search_help_text = "Title, path or address"
    ordering = ("title", "id")
    fields = (
        "title",
        "source",
        "external_id",
        "url",
        "page",
        "state_label",
        "reason",
        "message",
        "warnings_shown",
        "status",
        "who_may_read",
        "kind",
        "author",
        "owner",
        "version",
        "updated_at",
        "characters",
        "chunk_count",
        "memory_count",
        "needs_repair",
        "first_seen_at",
        "indexed_at",
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Document]:
        """Return documents without their text."""
        return without(super().get_queryset(request), "content", "warnings")

    def get_exclude(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Never show the text, whatever is added to the fields."""
        return ("content",)

    @display(description="Document", ordering="title")
    def name(self, document: Document) -> str:
        """Return the title, or the id at the source."""
        return str(document)[:120]

    @display(description="State", ordering="state", label=TONES)
    def state_label(self, document: Document) -> str:
        """Return the state, which has a colour."""
        return document.get_state_display()

    @display(description="Why", ordering="reason")
    def why(self, document: Document) -> str:
        """Return the reason of its state and the mend, "" when there's none."""
        return ": ".join(part for part in (document.reason, document.message) if part)

    @display(description="Page")
    def page(self, document: Document) -> SafeString:
        """Return a link to its text, which only those who may read it can open."""
        address = reverse("web:document", args=[document.pk])
        return format_html(
            '<a class="underline" href="{}">{}</a> (opens for those who may read it)',
            address,
            address,
        )

    @display(description="Warnings")
    def warnings_shown(self, document: Document) -> SafeString | str:
        """Return what an administrator should know though it was read."""
        lines = [f"{reason}: {message}" for reason, message in document.warnings]
        return wrapped("\n".join(lines)) if lines else "none"

    @display(description="Who may read it")
    def who_may_read(self, document: Document) -> str:
        """Return the rule in words."""
        return str(document.rule) if document.rule else "nobody"
