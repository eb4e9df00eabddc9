"""An exchange's evidence as the console shows it: what was found, and what was used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from connectors.models import Document
from console.read_only import wrapped


def evidence_html(answer: Mapping[str, Any]) -> SafeString:
    """Return the passages of a kept answer, each to be opened; "" without any.

    Costs one query. Titles are those of now; a document that is gone has none.
    """
    items: list[dict[str, Any]] = answer.get("evidence") or []
    used = {
        chunk_id
        for sentence in answer.get("sentences") or []
        for chunk_id in sentence.get("chunk_ids", ())
    }
    wanted = {item["document_id"] for item in items}
    found = Document.objects.filter(id__in=wanted).values_list("id", "title")
    titles = {str(id_): title for id_, title in found}
    return format_html_join(
        "",
        '<details class="mb-2"><summary class="cursor-pointer underline">{}{}{}</summary>'
        '<p><a class="underline" href="{}">Document</a>, chunk {}, {} tokens</p>'
        "{}</details>",
        (
            (
                titles.get(item["document_id"]) or "Untitled",
                _below(item.get("heading", ""), titles.get(item["document_id"], "")),
                USED if item["chunk_id"] in used else "",
                reverse("admin:connectors_document_change", args=[item["document_id"]]),
                item["chunk_id"],
                item.get("tokens", 0),
                wrapped(item.get("text", "")),
            )
            for item in items
        ),
    )


def _below(heading: str, title: str) -> str:
    """Return a heading without the title that most begin with."""
    rest = f"{heading} / ".removeprefix(f"{title} / ").removesuffix(" / ")
    return f" · {rest}" if rest else ""


USED = format_html(" · <strong>{}</strong>", "in the answer")
