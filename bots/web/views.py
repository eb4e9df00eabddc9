"""The ask page: ask, follow up, say whether it helped."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import (
    require_http_methods,
    require_POST,
    require_safe,
)

from bots.asking import (
    MAX_CHARACTERS,
    Incoming,
    answer_exchange,
    close_abandoned,
    receive,
)
from bots.errors import AskingError
from bots.models import Exchange, Feedback
from bots.reading import scope_for, searched_sources
from bots.web.cards import ThumbCard, cards, listed, thumbs_of
from bots.web.forms import AskForm, FeedbackForm
from bots.web.threads import recent_threads
from connectors.models import Person

PLATFORM = "web"
UNPROCESSABLE = 422


def account_of(request: HttpRequest) -> User:
    """Return who is signed in; only for views that require it."""
    if not isinstance(request.user, User):
        raise Http404
    return request.user


def person_of(account: User) -> Person | None:
    """Return the person that an account is linked to."""
    return Person.objects.filter(account=account).first()


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def ask(request: HttpRequest) -> HttpResponse:
    """Show the empty page, or take a question and show its thread."""
    if request.method == "POST":
        return _take_question(request)
    return _page(request, thread_id=None)


@never_cache
@login_required
@require_safe
def thread(request: HttpRequest, thread: UUID) -> HttpResponse:
    """Show one of the asker's own conversations."""
    return _page(request, thread_id=_own_thread(request, thread))


def _take_question(request: HttpRequest) -> HttpResponse:
    form = AskForm(request.POST)
    if not form.is_valid():
        raise Http404
    account = account_of(request)
    followed = form.thread_id()
    thread_id = _own_thread(request, followed) if followed else None
    text = form.cleaned_data["question"]
    incoming = Incoming(
        platform=PLATFORM,
        thread=str(thread_id or uuid.uuid4()),
        text=text,
        person=person_of(account),
        account=account,
        key=form.request_key(),
    )
    try:
        exchange = receive(incoming)
    except AskingError as error:
        problem = {"problem": str(error), "text": text}
        return _page(request, thread_id, problem=problem, status=UNPROCESSABLE)
    answer_exchange(exchange.id)
    return redirect(f"{reverse('web:thread', args=[exchange.thread])}#e-{exchange.id}")


def _own_thread(request: HttpRequest, thread_id: UUID) -> UUID:
    own = Exchange.objects.filter(
        account=account_of(request), platform=PLATFORM, thread=str(thread_id)
    )
    if not own.exists():
        raise Http404
    return thread_id


def _page(
    request: HttpRequest,
    thread_id: UUID | None,
    *,
    problem: Mapping[str, str] | None = None,
    thumbs: Mapping[UUID, ThumbCard] | None = None,
    status: int = 200,
) -> HttpResponse:
    account = account_of(request)
    person = person_of(account)
    close_abandoned(account)
    exchanges = list(
        Exchange.objects.filter(
            account=account, platform=PLATFORM, thread=str(thread_id)
        ).order_by("asked_at")
        if thread_id
        else []
    )
    scope = scope_for(person)
    searched = {} if thread_id else searched_sources(scope)
    shown = cards(
        exchanges,
        scope,
        {**thumbs_of(account, exchanges), **(thumbs or {})},
    )
    context: dict[str, Any] = {
        "cards": shown,
        "pending": any(card.pending for card in shown),
        "thread_id": thread_id,
        "threads": recent_threads(account),
        "linked": person is not None,
        "searched": sum(searched.values()),
        "searched_in": listed([*searched]),
        "key": uuid.uuid4(),
        "limit": MAX_CHARACTERS,
        "reasons": Feedback.Reason.choices,
        **(problem or {}),
    }
    return render(request, "web/ask.html", context, status=status)


@login_required
@require_POST
def feedback(request: HttpRequest, exchange: UUID) -> HttpResponse:
    """Keep, change or take back the asker's thumb on an exchange of their own."""
    account = account_of(request)
    row = get_object_or_404(
        Exchange, id=exchange, account=account, state=Exchange.State.DONE
    )
    form = FeedbackForm(request.POST)
    if not form.is_valid():
        return _refused_feedback(request, row, form)
    _keep_feedback(row, account, form.cleaned_data)
    return redirect(f"{reverse('web:thread', args=[row.thread])}#e-{row.id}")


def _keep_feedback(exchange: Exchange, account: User, values: dict[str, str]) -> None:
    value = values["value"]
    if value == "none":
        Feedback.objects.filter(exchange=exchange, account=account).delete()
        return
    reason = values["reason"] if value == Feedback.Value.DOWN else ""
    Feedback.objects.update_or_create(
        exchange=exchange,
        account=account,
        defaults={"value": value, "reason": reason, "comment": values["comment"]},
    )


def _refused_feedback(
    request: HttpRequest, exchange: Exchange, form: FeedbackForm
) -> HttpResponse:
    error = " ".join(str(text) for texts in form.errors.values() for text in texts)
    typed = ThumbCard(
        value=request.POST.get("value", ""),
        reason=request.POST.get("reason", ""),
        comment=request.POST.get("comment", ""),
        error=error,
    )
    return _page(
        request,
        UUID(exchange.thread),
        thumbs={exchange.id: typed},
        status=UNPROCESSABLE,
    )
