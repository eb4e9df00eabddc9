"""Questions and what became of them; feedback."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString

from bots.models import Exchange, Feedback
from console.read_only import TONES, ReadOnlyAdmin, link_to, pretty, without, wrapped
from console.themed import display

#: Parts of an answer that repeat what documents say.
TEXT_PARTS = ("text", "evidence", "documents", "nearest", "sentences")

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
        "person",
        "account",
        "platform",
        "thread",
        "state",
        "asked_at",
        "milliseconds",
        "answerability",
        "confidence",
        "thumbs",
        "feedback_shown",
        "reply_shown",
        "evidence_shown",
        "times_shown",
        "trace_shown",
    )
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Exchange]:
        """Return exchanges with their thumbs, without their answers' JSON."""
        ups = Count(
            "feedback", filter=Q(feedback__value=Feedback.Value.UP), distinct=True
        )
        downs = Count(
            "feedback", filter=Q(feedback__value=Feedback.Value.DOWN), distinct=True
        )
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
        rows = exchange.feedback.values("value", "reason", "comment", "updated_at")
        return pretty(list(rows)) if rows else "none"

    @display(description="Reply")
    def reply_shown(self, exchange: Exchange) -> SafeString:
        """Return the reply as it was sent."""
        return wrapped(exchange.reply)

    @display(description="Evidence and documents")
    def evidence_shown(self, exchange: Exchange) -> SafeString:
        """Return what the answer rested on."""
        return pretty({name: exchange.answer.get(name) for name in TEXT_PARTS[1:]})

    @display(description="Milliseconds by stage")
    def times_shown(self, exchange: Exchange) -> SafeString:
        """Return where the time went, and what fell back."""
        names = ("timings_ms", "usage", "fallbacks", "searched_documents", "searched")
        return pretty({name: exchange.answer.get(name) for name in names})

    @display(description="Trace")
    def trace_shown(self, exchange: Exchange) -> SafeString:
        """Return what each stage did."""
        return pretty(exchange.answer.get("trace", []))

    @display(description="Reply, evidence, trace")
    def why_hidden(self, exchange: Exchange) -> str:
        """Say why they aren't here."""
        return HIDDEN


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
