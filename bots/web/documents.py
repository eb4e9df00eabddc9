"""The document page: a document's text as indexed, for those who may read it."""

from __future__ import annotations

from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from bots.answer_json import answer_from_json
from bots.models import Exchange
from bots.reading import readable_documents, scope_for
from bots.replies import ago, cited_chunks, web_address
from bots.web.document_text import DocumentText
from bots.web.links import address_in
from bots.web.markup import blocks_html
from bots.web.passages import passages
from bots.web.views import PLATFORM, account_of, person_of
from connectors.content_json import from_json
from connectors.models import Document
from memory.access import Status
from memory.documents import Answer, Content, Evidence

STATUS_NOTES = {
    Status.ARCHIVED: "This document is archived: answers don't use it.",
    Status.DRAFT: "This document is a draft: answers don't use it.",
    Status.SUPERSEDED: "A newer document replaces this one: answers don't use it.",
}
HELD_NOTE = "This document is missing at its source; an administrator will look at it."


@never_cache
@login_required
@require_safe
def document_page(request: HttpRequest, document: UUID) -> HttpResponse:
    """Show a document; one that may not be read is not found, like one that isn't."""
    account = account_of(request)
    scope = scope_for(person_of(account))
    row = get_object_or_404(
        readable_documents(scope, Q(id=document)).select_related("source")
    )
    content = from_json(row.content) if row.content else Content("")
    exchange = _own_exchange(request)
    answer = answer_from_json(exchange.answer) if exchange else None
    evidence = _evidence(answer, row, _uuid(request, "chunk")) if answer else []
    found = passages(content.text, evidence, _quotes(answer) if answer else None)
    text = DocumentText(content, address_in(row, content, scope), found)
    context = {
        "document": row,
        "html": blocks_html(text.blocks()),
        "original": web_address(row.url),
        "age": ago(row.updated_at, timezone.now()) if row.updated_at else "",
        "status_note": STATUS_NOTES.get(Status(row.status), ""),
        "held_note": HELD_NOTE if row.state == Document.State.HELD else "",
        "first_passage": found[0].anchor if found else "",
        "changed": {item.chunk_id for item in found}
        != {item.chunk_id for item in evidence},
        "exchange": exchange,
    }
    return render(request, "web/document.html", context)


def _own_exchange(request: HttpRequest) -> Exchange | None:
    """Return the exchange that the link names, if it's the reader's own."""
    exchange_id = _uuid(request, "exchange")
    own = Exchange.objects.filter(account=account_of(request), platform=PLATFORM)
    exchange = own.filter(id=exchange_id).first() if exchange_id else None
    return exchange if exchange and exchange.answer else None


def _quotes(answer: Answer) -> dict[UUID, list[str]]:
    """Return what an answer quotes of each chunk, word for word."""
    found: dict[UUID, list[str]] = {}
    for item in answer.sentences if answer.extractive else ():
        for chunk_id in item.chunk_ids:
            quote = answer.text[item.start : item.end]
            found.setdefault(chunk_id, []).append(quote)
    return found


def _evidence(
    answer: Answer, document: Document, chunk_id: UUID | None
) -> list[Evidence]:
    """Return what an answer cites of this document, and the chunk of that id."""
    shown = cited_chunks(answer) | {chunk_id}
    return [
        item
        for item in answer.evidence
        if item.document_id == document.id and item.chunk_id in shown
    ]


def _uuid(request: HttpRequest, name: str) -> UUID | None:
    try:
        return UUID(request.GET.get(name, ""))
    except ValueError:
        return None
