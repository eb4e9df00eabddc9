"""Sources: what they hold, how their last run ended, and what may be done to them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from connectors.models import Document, Source, SyncRun
from connectors.registry import KINDS, kind_named, options_of
from console.read_only import TONES
from console.source_form import PREFIX, form_for
from console.sync_now import start_sync
from console.themed import ModelAdmin, display

FIRST_SYNC = (
    "Its first sync begins within a minute while Attest is served. “Sync now” on its "
    "page begins it at once."
)


@admin.register(Source)
class SourceAdmin(ModelAdmin):
    """A source can be added, changed, synced, paused and resumed.

    It isn't deleted here: its documents would stay in the store.
    """

    list_display = (
        "name",
        "kind_label",
        "state_label",
        "documents",
        "last_run",
        "last_success_at",
        "reason",
    )
    search_fields = ("name",)
    ordering = ("name",)
    show_full_result_count = False
    actions = ("sync_now", "approve", "pause", "resume")
    list_before_template = "console/source_kinds.html"
    change_form_outer_before_template = "console/source_actions.html"
    readonly_fields = ("state_label", "reason", "documents", "last_run")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Source]:
        """Return sources with all that the list shows, in one query."""
        counts = {
            f"count_{state}": Count("documents", filter=Q(documents__state=state))
            for state in Document.State.values
        }
        last = SyncRun.objects.filter(source=OuterRef("pk")).order_by("-started_at")
        rows: QuerySet[Source] = super().get_queryset(request)
        return rows.annotate(
            **counts,
            last_run_id=Subquery(last.values("id")[:1]),
            last_run_state=Subquery(last.values("state")[:1]),
            last_run_at=Subquery(last.values("started_at")[:1]),
        )

    def has_delete_permission(
        self, request: HttpRequest, obj: Source | None = None
    ) -> bool:
        """Pause it instead."""
        return False

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        """Offer each kind of source."""
        kinds = [
            {"name": name, "label": kind.label} for name, kind in sorted(KINDS.items())
        ]
        context = {"kinds": kinds, **(extra_context or {})}
        return super().changelist_view(request, context)

    def get_form(
        self,
        request: HttpRequest,
        obj: Source | None = None,
        change: bool = False,  # noqa: FBT001, FBT002 - Django's signature
        **kwargs: Any,
    ) -> type[Any]:
        """Return the form of the source's kind."""
        form = form_for(self._kind(request, obj))
        shown: type[Any] = super().get_form(
            request, obj, change, **{**kwargs, "form": form}
        )
        return shown

    def get_fieldsets(self, request: HttpRequest, obj: Source | None = None) -> Any:
        """Show the connector's options under its name."""
        kind = self._kind(request, obj)
        options = [PREFIX + option.name for option in options_of(kind)]
        shown: list[tuple[str | None, dict[str, Any]]] = [
            (None, {"fields": ["name", "sync_every_minutes", "local_models_only"]}),
            (kind_named(kind).label, {"fields": options}),
        ]
        if obj is not None:
            shown.insert(0, ("State", {"fields": list(self.readonly_fields)}))
        return shown

    def _kind(self, request: HttpRequest, obj: Source | None) -> str:
        if obj is not None:
            return obj.kind
        asked = request.GET.get("kind", "")
        return asked if asked in KINDS else next(iter(KINDS))

    def response_add(
        self, request: HttpRequest, obj: Source, post_url_continue: str | None = None
    ) -> HttpResponse:
        """Say that it was added, and then when it will be read."""
        response = super().response_add(request, obj, post_url_continue)
        messages.info(request, FIRST_SYNC)
        return response

    @display(description="Kind")
    def kind_label(self, source: Source) -> str:
        """Return the kind's name for people."""
        kind = KINDS.get(source.kind)
        return kind.label if kind else source.kind

    @display(description="State", ordering="state", label=TONES)
    def state_label(self, source: Source) -> str:
        """Return the state, which has a colour."""
        return source.get_state_display()

    @display(description="Documents")
    def documents(self, source: Source) -> SafeString:
        """Return counts by state, each a link to those documents."""
        page = reverse("admin:connectors_document_changelist")
        counts = (
            (
                page,
                source.pk,
                state,
                getattr(source, f"count_{state}", 0),
                label.lower(),
            )
            for state, label in Document.State.choices
        )
        links = format_html_join(
            ", ",
            '<a class="underline" href="{}?source__id__exact={}&amp;state__exact={}">{} {}</a>',
            [row for row in counts if row[3]],
        )
        # One element, as the theme lays out a cell's children side by side.
        return format_html("<span>{}</span>", links or "none yet")

    @display(description="Last run", ordering="last_run_at")
    def last_run(self, source: Source) -> SafeString | str:
        """Return the state of the last run with a link to it."""
        run_id = getattr(source, "last_run_id", None)
        if run_id is None:
            return "never"
        page = reverse("admin:connectors_syncrun_change", args=[run_id])
        return format_html(
            '<a class="underline" href="{}">{}, {}</a>',
            page,
            SyncRun.State(source.last_run_state).label,  # type: ignore[attr-defined]
            f"{source.last_run_at:%d %b %H:%M} UTC",  # type: ignore[attr-defined]
        )

    @admin.action(description="Sync now", permissions=["change"])
    def sync_now(self, request: HttpRequest, chosen: QuerySet[Source]) -> None:
        """Begin a run of each."""
        for source in chosen:
            start_sync(source)
        messages.success(request, "Syncing has begun; see the runs for how it goes.")

    @admin.action(description="Approve held deletions and sync", permissions=["change"])
    def approve(self, request: HttpRequest, chosen: QuerySet[Source]) -> None:
        """Let what is missing at the source be deleted here."""
        held = chosen.filter(state=Source.State.HELD)
        for source in held:
            start_sync(source, approve_deletions=True)
        messages.success(request, f"Approved for {len(held)} held source(s).")

    @admin.action(description="Pause", permissions=["change"])
    def pause(self, request: HttpRequest, chosen: QuerySet[Source]) -> None:
        """Stop syncing by itself; what is indexed goes on answering."""
        reason = f"Paused by {request.user}."
        active = chosen.filter(state=Source.State.ACTIVE)
        count = _update(active, state=Source.State.PAUSED, reason=reason)
        messages.success(request, f"Paused {count}. Their documents still answer.")

    @admin.action(description="Resume", permissions=["change"])
    def resume(self, request: HttpRequest, chosen: QuerySet[Source]) -> None:
        """Sync by itself again; a held one needs approval instead."""
        paused = chosen.filter(state=Source.State.PAUSED)
        count = _update(paused, state=Source.State.ACTIVE, reason="")
        messages.success(request, f"Resumed {count}.")


def _update(chosen: QuerySet[Source], **values: str) -> int:
    """Update rows of an annotated queryset."""
    return Source.objects.filter(pk__in=[item.pk for item in chosen]).update(**values)
