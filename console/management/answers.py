"""An answer for a terminal, and as the JSON of `ask --json`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from django.conf import settings
from django.urls import reverse
from django.utils import timezone

from bots.replies import Source, likelihood, reply_to
from bots.shapes import is_rule
from connectors.models import Document
from console.management.showing import printable
from memory.documents import Answer, LinkedDocument, Outcome


def answer_json(answer: Answer) -> dict[str, Any]:
    """Return DESIGN.md's object for `ask --json`, `nearest` and `trace` beside it."""
    paths = _file_paths(answer)
    return {
        "outcome": str(answer.outcome),
        "answer": answer.text,
        "answerability": answer.answerability if answer.is_judged else None,
        "confidence": answer.confidence,
        "documents": [_document_json(item, paths) for item in answer.documents],
        "evidence": [
            {
                "chunk_id": str(item.chunk_id),
                "document_id": str(item.document_id),
                "heading": item.heading,
                "text": item.text,
                "tokens": item.tokens,
            }
            for item in answer.evidence
        ],
        "evidence_tokens": answer.evidence_tokens,
        "timings_ms": {k: round(v, 2) for k, v in answer.timings_ms.items()},
        "usage": dict(answer.usage),
        "fallbacks": list(answer.fallbacks),
        "nearest": [_document_json(item, paths) for item in answer.nearest],
        "trace": [
            {
                "stage": item.stage,
                "milliseconds": round(item.milliseconds, 2),
                "detail": dict(item.detail),
            }
            for item in answer.trace
        ],
    }


def answer_lines(answer: Answer, searched: Mapping[str, int]) -> Iterator[str]:
    """Yield the reply as a person reads it, sources numbered as in the chat."""
    reply = reply_to(answer)
    yield ""
    numbers = {source.id: source.number for source in reply.sources}
    yield from _marked(answer, numbers)
    if reply.sources:
        yield ""
        yield from (_source_line(source) for source in reply.sources)
    if reply.nearest:
        yield ""
        lead = "Might help:" if answer.outcome is Outcome.ABSTAINED else "Found:"
        yield lead
        yield from (_source_line(source) for source in reply.nearest)
    yield ""
    total = sum(searched.values())
    places = ", ".join(
        f"{printable(name)} ({count:,})" for name, count in searched.items()
    )
    noun = "document" if total == 1 else "documents"
    took = f"{answer.timings_ms.get('total', 0):,.0f} ms."
    if answer.outcome is Outcome.FAILED:
        # What wasn't searched says nothing about what the documents hold.
        yield took
        return
    yield f"Searched {total:,} {noun}{': ' + places if places else ''}."
    yield f"{likelihood(answer.answerability)} ({answer.answerability:.0%}). {took}"
    yield from reply.notes


def trace_lines(answer: Answer) -> Iterator[str]:
    """Yield what each stage did and how long it took."""
    yield ""
    for stage in answer.trace:
        yield f"{stage.stage:<14} {stage.milliseconds:8.1f} ms"
        for name, value in stage.detail.items():
            text = json.dumps(value, ensure_ascii=False, default=str)
            yield f"    {name}: {printable(text)[:400]}"


def _marked(answer: Answer, numbers: Mapping[UUID, int]) -> Iterator[str]:
    """Yield the answer's lines; numbers stand where documents change or a line ends."""
    marks = [_marks(item.document_ids, numbers) for item in answer.sentences]
    text, at = "", 0
    for sentence, own, next_one in zip(
        answer.sentences, marks, [*marks, ""][1:], strict=True
    ):
        text += answer.text[at : sentence.end]
        at = sentence.end
        ends_line = answer.text[at:].lstrip(" ")[:1] in ("", "\n")
        if own and (own != next_one or ends_line):
            text += "" if _heads_a_table(answer.text, at) else f" {own}"
    text += answer.text[at:]
    yield from (printable_line(line) for line in text.split("\n"))


def _marks(documents: Iterable[UUID], numbers: Mapping[UUID, int]) -> str:
    named = sorted(numbers[id_] for id_ in documents if id_ in numbers)
    return " ".join(f"[{number}]" for number in named)


def _heads_a_table(text: str, end: int) -> bool:
    """Tell whether the line that ends there names a table's columns, or rules it off."""
    before, _, line = text[:end].rpartition("\n")
    above = before.rpartition("\n")[2]
    below = text[end:].partition("\n")[2]
    rows = [part.lstrip().startswith("|") for part in (above, line, below)]
    return rows[1] and (is_rule(line) or rows == [False, True, True])


def printable_line(line: str) -> str:
    """Return a line of an answer with nothing in it that a terminal would obey."""
    return printable(line.replace("\t", "    ")).rstrip()


def _source_line(source: Source) -> str:
    number = f"[{source.number}] " if source.number else "- "
    parts = [source.title or source.path, source.name, source.age(timezone.now())]
    address = source.url or document_address(source.id)
    return f"{number}{printable(' · '.join(p for p in parts if p))}\n    {address}"


def document_address(document_id: Any) -> str:
    """Return the absolute address of our page for a document."""
    path = reverse("web:document", args=[document_id])
    return f"{settings.ATTEST_BASE_URL.rstrip('/')}{path}"


def _document_json(
    document: LinkedDocument, paths: Mapping[Any, str]
) -> dict[str, Any]:
    values: dict[str, Any] = {
        "id": str(document.id),
        "title": document.title,
        "url": document.url or document_address(document.id),
        "source": document.source,
        "updated_at": document.updated_at.isoformat() if document.updated_at else None,
    }
    if document.id in paths:
        values["path"] = paths[document.id]
    return values


def _file_paths(answer: Answer) -> dict[Any, str]:
    """Return the path of each named document that comes from a `files` source."""
    ids = [item.id for item in (*answer.documents, *answer.nearest)]
    rows = Document.objects.filter(id__in=ids, source__kind="files")
    return dict(rows.values_list("id", "external_id"))
