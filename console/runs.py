"""Sync runs with their counts, times and issues."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.db.models import Count, Model, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.utils.safestring import SafeString

from connectors.models import SyncIssue, SyncRun
from console.read_only import TONES, ReadOnlyAdmin, link_to, told
from console.themed import TabularInline, display

#: Issues on a run's own page; the list of issues has all of them.
ISSUES_A_PAGE = 50


class IssueInline(TabularInline):
    """A run's issues, a page at a time."""

    model = SyncIssue
    fields = ("severity", "reason", "title", "external_id", "message")
    readonly_fields = fields
    extra = 0
    per_page = ISSUES_A_PAGE
    can_delete = False
    hide_title = True

    def has_add_permission(
        self, request: HttpRequest, obj: Model | None = None
    ) -> bool:
        """Only a run adds one."""
        return False

    def has_change_permission(
        self, request: HttpRequest, obj: Model | None = None
    ) -> bool:
        """Nobody changes one."""
        return False


@admin.register(SyncRun)
class SyncRunAdmin(ReadOnlyAdmin):
    """A run is looked at; a running one can be asked to stop."""

    list_display = (
        "name",
        "source",
        "state_label",
        "started_at",
        "seconds",
        "summary",
        "issues_found",
    )
    list_filter = ("state", "source", "incomplete")
    list_select_related = ("source",)
    actions: Any = ("cancel",)
    fields = (
        "source",
        "state_label",
        "message",
        "stage",
        "total",
        "started_at",
        "finished_at",
        "heartbeat_at",
        "incomplete",
        "cancel_requested",
        "counts_shown",
        "times_shown",
    )
    readonly_fields = fields
    inlines = (IssueInline,)

    def get_queryset(self, request: HttpRequest) -> QuerySet[SyncRun]:
        """Return runs with the number of their issues.

        Counted for the shown runs alone: a join would count every run's first.
        """
        own = SyncIssue.objects.filter(run=OuterRef("pk")).order_by()
        count = own.values("run").annotate(n=Count("pk")).values("n")
        rows: QuerySet[SyncRun] = super().get_queryset(request)
        return rows.annotate(issue_count=Coalesce(Subquery(count), 0))

    def has_cancel_permission(self, request: HttpRequest) -> bool:
        """Let those cancel who may change a source."""
        return bool(request.user.has_perm("connectors.change_source"))

    @admin.action(description="Cancel", permissions=["cancel"])
    def cancel(self, request: HttpRequest, chosen: QuerySet[SyncRun]) -> None:
        """Ask running ones to stop; what they did is kept."""
        running = [run.pk for run in chosen if run.state == SyncRun.State.RUNNING]
        SyncRun.objects.filter(pk__in=running).update(cancel_requested=True)
        messages.success(request, f"Asked {len(running)} running one(s) to stop.")

    @display(description="Run", ordering="id")
    def name(self, run: SyncRun) -> str:
        """Return the run's number."""
        return f"Run {run.pk}"

    @display(description="State", ordering="state", label=TONES)
    def state_label(self, run: SyncRun) -> str:
        """Return the state, which has a colour."""
        return run.get_state_display()

    @display(description="Seconds")
    def seconds(self, run: SyncRun) -> str:
        """Return how long it took, "" while it runs."""
        if run.finished_at is None:
            return ""
        return f"{(run.finished_at - run.started_at).total_seconds():.1f}"

    @display(description="Documents")
    def summary(self, run: SyncRun) -> str:
        """Return the counts that matter most."""
        names = ("seen", "indexed", "unchanged", "skipped", "failed", "deleted", "held")
        counts: dict[str, Any] = run.counts
        return ", ".join(f"{counts[name]} {name}" for name in names if counts.get(name))

    @display(description="Issues", ordering="issue_count")
    def issues_found(self, run: SyncRun) -> int:
        """Return how many there are."""
        return int(getattr(run, "issue_count", 0))

    @display(description="Counts")
    def counts_shown(self, run: SyncRun) -> SafeString | str:
        """Return all counts."""
        return told(run.counts)

    @display(description="Seconds by stage")
    def times_shown(self, run: SyncRun) -> SafeString | str:
        """Return where the time went."""
        return told(run.stage_seconds, " s")


@admin.register(SyncIssue)
class SyncIssueAdmin(ReadOnlyAdmin):
    """All issues, to be filtered by what is wrong."""

    list_display = (
        "name",
        "severity_label",
        "reason",
        "source",
        "run_link",
        "created_at",
    )
    list_filter = ("severity", "reason", "run__source")
    list_select_related = ("run__source",)
    search_fields = ("title", "external_id", "message")
    ordering = ("-id",)
    fields = (
        "run_link",
        "source",
        "title",
        "external_id",
        "url",
        "severity_label",
        "reason",
        "message",
        "created_at",
    )
    readonly_fields = fields

    @display(description="Issue")
    def name(self, issue: SyncIssue) -> str:
        """Return document and message."""
        return str(issue)[:160]

    @display(description="Severity", ordering="severity", label=TONES)
    def severity_label(self, issue: SyncIssue) -> str:
        """Return how bad it is."""
        return issue.get_severity_display()

    @display(description="Source", ordering="run__source")
    def source(self, issue: SyncIssue) -> str:
        """Return the source's name."""
        return str(issue.run.source)

    @display(description="Run", ordering="run")
    def run_link(self, issue: SyncIssue) -> SafeString:
        """Return a link to the run."""
        return link_to(issue.run, f"Run {issue.run_id}")
