"""Questions and what became of them; feedback."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.http import urlencode
from django.utils.safestring import SafeString

from bots.models import Exchange, Feedback
from console.evidence import evidence_html
from console.read_only import (
    TONES,
    ReadOnlyAdmin,
    link_to,
    pretty,
    told,
    without,
    wrapped,
)
from console.themed import display

HIDDEN = (
    "Shown to superusers only: a reply and its evidence repeat documents that you may "
    "not be able to open yourself."
)


@admin.register(Exchange)
class ExchangeAdmin(ReadOnlyAdmin):
    """Found by question; reply, evidence and trace are for superusers."""

    list_display = (
        "name",
        "outcome_label",
        "answerability_shown",
        "thumbs",
        "person",
        "platform",
        "milliseconds",
        "asked_at",
    )
    list_filter = ("outcome", "platform", "state", "feedback__value")
    list_select_related = ("person",)
    search_fields = ("question",)
    search_help_text = "Words of the question"
    date_hierarchy = "asked_at"
    ordering = ("-asked_at",)
    fields = (
        "question_shown",
        "outcome_label",
        "reply_shown",
        "feedback_shown",
        "answerability_shown",
        "confidence_shown",
        "evidence_shown",
        "person",
        "account",
        "platform",
        "thread_link",
        "state",
        "asked_at",
        "milliseconds",
        "times_shown",
        "facts_shown",
        "trace_shown",
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Exchange]:
        """Return exchanges with their thumbs, without their answers' JSON."""
        ups, downs = map(_thumbs, (Feedback.Value.UP, Feedback.Value.DOWN))
        rows = super().get_queryset(request).annotate(ups=ups, downs=downs)
        return without(rows, "answer", "reply")

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Leave out what repeats documents, and say so, but for superusers."""
        if request.user.is_superuser:
            return self.fields
        hidden = {"reply_shown", "evidence_shown", "trace_shown"}
        return (*(name for name in self.fields if name not in hidden), "why_hidden")

    def get_readonly_fields(
        self, request: HttpRequest, obj: Any = None
    ) -> tuple[str, ...]:
        """Return all that is shown."""
        return (*self.readonly_fields, "why_hidden")

    @display(description="Question", ordering="question")
    def name(self, exchange: Exchange) -> SafeString:
        """Return the question, cut."""
        return wrapped(exchange.question[:140])

    @display(description="Question")
    def question_shown(self, exchange: Exchange) -> SafeString:
        """Return the whole question."""
        return wrapped(exchange.question)

    @display(description="Outcome", ordering="outcome", label=TONES)
    def outcome_label(self, exchange: Exchange) -> str:
        """Return the outcome, or how far it is."""
        return (exchange.outcome or exchange.state).capitalize()

    @display(description="Answerability", ordering="answerability")
    def answerability_shown(self, exchange: Exchange) -> str:
        """Return the gate's figure in percent."""
        if exchange.answerability is None:
            return ""
        return f"{exchange.answerability:.0%}"

    @display(description="Confidence")
    def confidence_shown(self, exchange: Exchange) -> str:
        """Return how sure the answer is of itself, in percent."""
        return "" if exchange.confidence is None else f"{exchange.confidence:.0%}"

    @display(description="Conversation")
    def thread_link(self, exchange: Exchange) -> SafeString:
        """Return a link to all questions of the same conversation."""
        same = Exchange.objects.filter(
            platform=exchange.platform, thread=exchange.thread
        )
        page = reverse("admin:bots_exchange_changelist")
        query = urlencode(
            {"thread__exact": exchange.thread, "platform__exact": exchange.platform}
        )
        count = same.count()
        return format_html(
            '<a class="underline" href="{}?{}">{} question{}</a>',
            page,
            query,
            count,
            "" if count == 1 else "s",
        )

    @display(description="Thumbs")
    def thumbs(self, exchange: Exchange) -> str:
        """Return the thumbs on it."""
        ups, downs = getattr(exchange, "ups", 0), getattr(exchange, "downs", 0)
        return ", ".join(
            f"{count} {word}" for word, count in (("up", ups), ("down", downs)) if count
        )

    @display(description="Feedback")
    def feedback_shown(self, exchange: Exchange) -> SafeString | str:
        """Return what people said about it."""
        lines = [feedback_line(item) for item in exchange.feedback.all()]
        return wrapped("\n".join(lines)) if lines else "none"

    @display(description="Reply")
    def reply_shown(self, exchange: Exchange) -> SafeString:
        """Return the reply as it was sent."""
        return wrapped(exchange.reply)

    @display(description="Evidence")
    def evidence_shown(self, exchange: Exchange) -> SafeString | str:
        """Return what was found, in order; what the answer used is told apart."""
        return evidence_html(exchange.answer) or "none"

    @display(description="Time by stage")
    def times_shown(self, exchange: Exchange) -> SafeString | str:
        """Return where the time went."""
        return told(exchange.answer.get("timings_ms") or {}, " ms")

    @display(description="Searched, used, fell back")
    def facts_shown(self, exchange: Exchange) -> SafeString | str:
        """Return what was searched, what models used, and what fell back."""
        names = ("searched_documents", "searched", "usage", "fallbacks")
        return told({name: exchange.answer.get(name) for name in names})

    @display(description="Trace")
    def trace_shown(self, exchange: Exchange) -> SafeString:
        """Return what each stage did."""
        return pretty(exchange.answer.get("trace", []))

    @display(description="Reply, evidence, trace")
    def why_hidden(self, exchange: Exchange) -> str:
        """Say why they aren't here."""
        return HIDDEN


def _thumbs(value: str) -> Coalesce:
    """Count an exchange's thumbs of a kind: for the shown ones alone, without a join."""
    own = Feedback.objects.filter(exchange=OuterRef("pk"), value=value).order_by()
    count = own.values("exchange").annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(count), 0)


def feedback_line(feedback: Feedback) -> str:
    """Return a thumb with its reason and comment in one line."""
    reason = feedback.get_reason_display() if feedback.reason else ""
    parts = (feedback.get_value_display(), reason, feedback.comment)
    return ": ".join(part for part in parts if part)


@admin.register(Feedback)
class FeedbackAdmin(ReadOnlyAdmin):
    """What people said about replies."""

    list_display = (
        "exchange_link",
        "value_label",
        "reason_shown",
        "comment_cut",
        "account",
        "updated_at",
    )
    list_filter = ("value", "reason", "exchange__outcome")
    list_select_related = ("exchange", "account")
    list_display_links = ("value_label",)
    search_fields = ("comment", "exchange__question")
    ordering = ("-updated_at",)
    fields = (
        "exchange_link",
        "value_label",
        "reason_shown",
        "comment",
        "account",
        "created_at",
        "updated_at",
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Feedback]:
        """Return feedback without the answers' JSON."""
        rows = super().get_queryset(request)
        return without(rows, "exchange__answer", "exchange__reply")

    @display(description="Question")
    def exchange_link(self, feedback: Feedback) -> SafeString:
        """Return a link to the exchange."""
        return link_to(feedback.exchange, feedback.exchange.question[:100])

    @display(description="Thumb", ordering="value", label=TONES)
    def value_label(self, feedback: Feedback) -> str:
        """Return up or down."""
        return feedback.get_value_display()

    @display(description="Reason", ordering="reason")
    def reason_shown(self, feedback: Feedback) -> str:
        """Return the reason in a reader's words."""
        return feedback.get_reason_display() if feedback.reason else ""

    @display(description="Comment")
    def comment_cut(self, feedback: Feedback) -> str:
        """Return the comment's beginning."""
        return feedback.comment[:120]
